//! The media of a value that serde writes, collected beside its JSON.

use super::Media;
use std::cell::RefCell;

thread_local! {
    /// The media that were serialized in the current [`Noting`] of this thread.
    static NOTED: RefCell<Option<Vec<Media>>> = const { RefCell::new(None) };
}

/// Collects the media that this thread serializes, from [`begin`](Self::begin) to [`end`](Self::end) or drop.
/// The media are collected for the thread because serde has no other way for a type to return more than its
/// JSON.
pub struct Noting {
    outer: Option<Vec<Media>>,
}

impl Noting {
    /// Begins to note the media that this thread writes.
    pub fn begin() -> Self {
        let outer = NOTED.with_borrow_mut(|noted| noted.replace(Vec::new()));
        Self { outer }
    }

    /// Returns the media that were serialized.
    pub fn end(self) -> Vec<Media> {
        NOTED.with_borrow_mut(|noted| noted.take().unwrap_or_default())
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        NOTED.with_borrow_mut(|noted| *noted = self.outer.take());
    }
}

/// Notes media that are being serialized, for the [`Noting`] of this thread.
pub(super) fn note(media: &Media) {
    NOTED.with_borrow_mut(|noted| {
        if let Some(noted) = noted
            && media.bytes().is_some()
        {
            noted.push(media.clone());
        }
    });
}
