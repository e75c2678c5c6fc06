//! Writing a run's history back, however the run ends.

use crate::conversation::Conversation;
use crate::run::Run;

/// A run and the conversation it belongs to. When the guard is dropped, be it after the end, after
/// an error or because the caller dropped the future in the middle, the conversation gets what was
/// done so far, in a form that can be sent.
pub(crate) struct HistoryGuard<'a> {
    conversation: &'a mut Conversation,
    pub(crate) run: Run,
}

impl<'a> HistoryGuard<'a> {
    pub(crate) fn new(conversation: &'a mut Conversation, run: Run) -> Self {
        Self { conversation, run }
    }
}

impl Drop for HistoryGuard<'_> {
    fn drop(&mut self) {
        *self.conversation = self.run.conversation();
    }
}
