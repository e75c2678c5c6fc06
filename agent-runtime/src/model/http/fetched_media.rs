//! The media that were fetched for providers, kept for the next requests.

use super::large_answers::MAX_BODY;
use agent_tool::media::Media;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The maximum number of bytes that are kept, because the media of many runs would fill the memory of a server.
const MAX_KEPT: usize = 2 * MAX_BODY;

/// The media that were fetched, oldest first. They are kept, so that the next request of a conversation has the same
/// bytes.
#[derive(Default)]
pub(super) struct FetchedMedia(Mutex<VecDeque<(String, Media)>>);

impl FetchedMedia {
    pub(super) fn get(&self, url: &str) -> Option<Media> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = held.iter().find(|(held, _)| held == url)?;
        Some(found.1.clone())
    }

    pub(super) fn keep(&self, url: &str, media: &Media) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.push_back((url.to_owned(), media.clone()));
        let size = |media: &Media| media.bytes().map_or(0, <[u8]>::len);
        let mut total: usize = held.iter().map(|(_, media)| size(media)).sum();
        while total > MAX_KEPT
            && let Some((_, oldest)) = held.pop_front()
        {
            total -= size(&oldest);
        }
    }
}
