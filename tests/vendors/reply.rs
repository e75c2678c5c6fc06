//! The answer to an accepted request.

use crate::faults::server::Play;

/// The header of an answer that is JSON.
pub(crate) const JSON: &str = "content-type: application/json\r\n";

/// The answer to an accepted request.
pub(crate) struct Reply {
    pub(crate) play: Play,
    /// The hash of the history up to an answer that begins with a thought and is bound to it.
    pub(crate) bound: Option<u64>,
}

impl From<Play> for Reply {
    fn from(play: Play) -> Self {
        Self { play, bound: None }
    }
}
