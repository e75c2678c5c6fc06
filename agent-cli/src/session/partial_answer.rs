//! An answer that does not come to its end.

use agent_runtime::{Conversation, Event, Message};

/// What stands behind an answer that did not come to its end.
pub(crate) const MARK: &str = "[interrupted]";

/// What came of an answer that is not there yet.
#[derive(Default)]
pub(crate) struct Unfinished(String);

impl Unfinished {
    /// Takes what happens in a run.
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::TextDelta { text, .. } => self.0.push_str(text),
            Event::ModelCalled { .. } | Event::ModelReplied { .. } => self.0.clear(),
            _ => {}
        }
    }

    /// The text, if any came.
    pub(crate) fn text(&self) -> Option<&str> {
        let text = self.0.trim_end();
        (!text.is_empty()).then_some(text)
    }

    /// Puts it into the conversation that the message was said in, of which so many messages were known
    /// before: what somebody has read, the agent must know to have said.
    pub(crate) fn add_to(&self, sent: &mut Conversation, known: usize, message: &str) {
        let Some(text) = self.text() else {
            return;
        };
        // A message that no whole answer followed is not in it.
        if sent.len() == known {
            sent.push(Message::user(message));
        }
        sent.push(Message::assistant(format!("{text} {MARK}")));
    }
}
