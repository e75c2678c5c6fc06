//! An answer that an error or Ctrl-C interrupts.

use agent_runtime::{Conversation, Event, Message};

/// The mark at the end of an interrupted answer.
pub(crate) const INTERRUPTED: &str = "[interrupted]";

/// The text that has arrived of an answer that is not complete.
#[derive(Default)]
pub(crate) struct PartialAnswer(String);

impl PartialAnswer {
    /// Collects the text of an event.
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::TextDelta { text, .. } => self.0.push_str(text),
            Event::ModelCalled { .. } | Event::ModelReplied { .. } => self.0.clear(),
            _ => {}
        }
    }

    /// Returns the text, if it is not blank.
    pub(crate) fn text(&self) -> Option<&str> {
        let text = self.0.trim_end();
        (!text.is_empty()).then_some(text)
    }

    /// Adds the text to a conversation that had `known` messages before this one was sent, because the
    /// model must know the text that the user has read.
    pub(crate) fn add_to(&self, conversation: &mut Conversation, known: usize, message: Message) {
        let Some(text) = self.text() else {
            return;
        };
        // A run adds the message only when an answer is complete.
        if conversation.len() == known {
            conversation.push(message);
        }
        conversation.push(Message::assistant(format!("{text} {INTERRUPTED}")));
    }
}
