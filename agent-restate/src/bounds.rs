//! The bounds of what the engine keeps, in bytes of texts in JSON.

/// The maximum number of bytes of a commit. The engine holds what it sends to a worker and gets from it within 32 MiB for
/// each invocation: the conversation, the message, and the first step, which has both. Beyond that, the invocation hangs.
pub(crate) const COMMIT_BYTES: usize = 12 << 20;

/// The maximum number of bytes of a message, of the conversation in the state of an object, and of a response.
pub(crate) const MESSAGE_BYTES: usize = 5 << 20;
pub(crate) const CONVERSATION_BYTES: usize = 6 << 20;
pub(crate) const RESPONSE_BYTES: usize = 4 << 20;

/// The number of bytes of a run's messages from which on their large texts are cut.
pub(crate) const ADDED_BYTES: usize = 3 << 20;

/// The maximum number of bytes of the results between two commits, if there is no store for large texts.
pub(crate) const RESULTS_BYTES: usize = 8 << 20;

/// The error of something that the engine cannot keep.
pub(crate) fn too_large(what: &str, bytes: usize, most: usize) -> String {
    format!(
        "{what} takes {} MB, and at most {} MB can be kept in Restate; keep media and other large texts elsewhere with \
         `DurableAgent::media_store`, or let tools return less",
        bytes.div_ceil(1 << 20),
        most >> 20,
    )
}
