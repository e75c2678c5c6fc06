//! The bytes of media beside the JSON that names them by their digests.
//!
//! A tool's result is JSON. An image of 10 MB in it would be encoded in base64, copied to each hook and observer,
//! and decoded again. So the JSON of media has the digest, and the bytes are kept in the context of the call until
//! the run takes them.

use super::{Media, Part, Sha256};
use crate::redact::Redactor;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The media that a call keeps for its result. Clones share them.
#[derive(Clone, Default)]
pub struct KeptMedia(Arc<Kept>);

#[derive(Default)]
struct Kept {
    media: Mutex<Vec<Media>>,
    /// Whether the result is a list of parts, whatever the return type of the tool.
    is_of_parts: AtomicBool,
    /// The parts that the model reads after the result.
    beside: Mutex<Vec<Part>>,
}

impl KeptMedia {
    /// Keeps media with bytes. Equal bytes are kept once.
    pub fn keep(&self, media: impl IntoIterator<Item = Media>) {
        for media in media {
            if media.bytes().is_none() || self.find(media.sha256()).is_some() {
                continue;
            }
            self.lock().push(media);
        }
    }

    /// Returns a part with its bytes, if the part contains only their digest and the bytes are kept.
    pub(crate) fn filled(&self, part: Part) -> Part {
        match part.media() {
            Some(media) if media.is_missing() => match self.find(media.sha256()) {
                Some(kept) => part.map_media(|media| media.with_kept_bytes(&kept)),
                None => part,
            },
            _ => part,
        }
    }

    /// Marks the result as a list of parts.
    pub(crate) fn mark_parts(&self) {
        self.0.is_of_parts.store(true, Ordering::Relaxed);
    }

    /// Whether the result was marked as a list of parts.
    pub fn is_of_parts(&self) -> bool {
        self.0.is_of_parts.load(Ordering::Relaxed)
    }

    /// Keeps parts that the model reads after the result.
    pub(crate) fn keep_beside(&self, parts: impl IntoIterator<Item = Part>) {
        let mut beside = self.0.beside.lock().unwrap_or_else(PoisonError::into_inner);
        beside.extend(parts);
    }

    /// Replaces the secrets in the texts that the model reads after the result.
    pub fn redact_beside(&self, redactor: &Redactor) {
        let mut beside = self.0.beside.lock().unwrap_or_else(PoisonError::into_inner);
        for part in beside.iter_mut() {
            if let Part::Text(text) = part {
                *text = redactor.text(text);
            }
        }
    }

    /// Takes the parts that the model reads after the result.
    pub fn take_beside(&self) -> Vec<Part> {
        let mut beside = self.0.beside.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut beside)
    }

    fn find(&self, sha256: Option<Sha256>) -> Option<Media> {
        let kept = self.lock();
        let mut kept = kept.iter();
        kept.find(|media| media.sha256() == sha256).cloned()
    }

    /// Locks the list. The list is still valid after a panic.
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Media>> {
        self.0.media.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
