//! An answer that an error or Ctrl-C interrupts.

use agent_runtime::Event;

/// The text of an incomplete answer that has arrived so far.
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
}
