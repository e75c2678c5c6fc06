//! From events back to the response.

use super::Event;
use crate::model::FinishReason;
use crate::response::AgentResponse;

/// Puts the events of a run together to what the run returns, as far as it has come: for whoever
/// gets events over a wire, and to show a run while it goes on.
///
/// ```
/// # use agent_runtime::event::EventCollector;
/// # use agent_runtime::{Conversation, Error, Event, Runtime, ToolLibrary, agent};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// let agent = agent! { [helper:Agent {instruction: "Help.", model: "Offline/any"}] };
/// let (runtime, library) = (Runtime::offline(), ToolLibrary::new());
/// let mut conversation = Conversation::new();
/// let mut events = runtime.run(&agent, "Hello").tools(&library).conversation(&mut conversation).stream();
/// let mut fold = EventCollector::new();
/// while let Some(event) = events.next().await {
///     let event = event?;
///     fold.push(&event);
///     if let Event::Finished { response, .. } = event {
///         assert_eq!(fold.response(), &response);
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventCollector(AgentResponse);

impl EventCollector {
    /// Nothing has happened.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes what happened next.
    pub fn push(&mut self, event: &Event) {
        let response = &mut self.0;
        match event {
            Event::ModelCalled { .. } => {
                response.content.clear();
                response.finish_reason = FinishReason::default();
            }
            Event::TextDelta { text } => response.content.push_str(text),
            Event::ModelReplied {
                content,
                finish_reason,
                usage,
                ..
            } => {
                // Without streaming there were no parts.
                response.content = content.clone().unwrap_or_default();
                response.finish_reason = finish_reason.clone();
                response.usage.add(usage);
            }
            Event::ToolFinished { invocation } => response.tools_used.push(invocation.clone()),
            _ => {}
        }
    }

    /// What the run has come to so far. After [`Event::Finished`] it is what the run returns.
    #[must_use]
    pub fn response(&self) -> &AgentResponse {
        &self.0
    }
}
