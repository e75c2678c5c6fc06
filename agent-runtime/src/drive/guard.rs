//! Writing a run's history back, however the run ends.

use crate::conversation::Conversation;
use crate::run::Run;

/// A run and the conversation it belongs to. When the guard is dropped, the conversation gets what was
/// done so far, in a form that can be sent: after the end, after an error, and when the caller dropped the
/// future in between.
pub(crate) struct HistoryGuard<'a> {
    conversation: Option<&'a mut Conversation>,
    pub(crate) run: Run,
}

impl<'a> HistoryGuard<'a> {
    pub(crate) fn new(conversation: &'a mut Conversation, run: Run) -> Self {
        Self {
            conversation: Some(conversation),
            run,
        }
    }

    /// Returns the run and leaves the conversation as it was.
    pub(crate) fn discard(mut self) -> Run {
        self.conversation = None;
        self.run.clone()
    }
}

impl Drop for HistoryGuard<'_> {
    fn drop(&mut self) {
        if let Some(conversation) = &mut self.conversation {
            **conversation = self.run.conversation();
        }
    }
}
