//! The response of a run, from its events.

use super::{Event, FollowedEvent};
use crate::conversation::Part;
use crate::model::FinishReason;
use crate::response::AgentResponse;

/// Collects the events of a run into its response, for programs that receive events over a network, or show a
/// run in progress.
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
pub struct EventCollector {
    collected: Collected,
    /// The last step of a run that is followed, and what was collected before it.
    step: u64,
    before_step: Collected,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Collected {
    response: AgentResponse,
    /// The parts of the answer before its provider paused it.
    paused: Vec<Part>,
}

impl EventCollector {
    /// Creates a collector without events.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next event.
    pub fn push(&mut self, event: &Event) {
        self.collected.push(event);
    }

    /// Adds the next event of a run that is followed. [`Event::StepReset`] discards what was collected in the
    /// step.
    pub fn push_followed(&mut self, followed: &FollowedEvent) {
        if let Event::StepReset { .. } = followed.event {
            self.collected.clone_from(&self.before_step);
        } else if followed.id.step != self.step {
            self.before_step.clone_from(&self.collected);
        }
        self.step = followed.id.step;
        self.push(&followed.event);
    }

    /// The response so far. After [`Event::Finished`] it equals the response of the run.
    #[must_use]
    pub fn response(&self) -> &AgentResponse {
        &self.collected.response
    }
}

impl Collected {
    fn push(&mut self, event: &Event) {
        let response = &mut self.response;
        match event {
            Event::ModelCalled { .. } => {
                response.content = self.paused.iter().filter_map(Part::as_text).collect();
                response.parts.clone_from(&self.paused);
                response.finish_reason = FinishReason::default();
            }
            Event::TextDelta { text } => response.content.push_str(text),
            Event::ModelReplied {
                parts,
                calls,
                finish_reason,
                usage,
                usage_parts: _,
            } => {
                // Set as a whole, because there are no parts without streaming.
                response.parts.clone_from(&self.paused);
                response.parts.extend_from_slice(parts);
                let texts = response.parts.iter().filter_map(Part::as_text);
                response.content = texts.collect();
                self.paused = match finish_reason {
                    FinishReason::Paused if calls.is_empty() => response.parts.clone(),
                    _ => Vec::new(),
                };
                response.finish_reason = finish_reason.clone();
                response.usage.add(usage);
            }
            Event::ToolFinished { invocation } => response.tools_used.push(invocation.clone()),
            Event::Compacted { usage, .. } => response.usage.add(usage),
            // The whole response has the cost and the warnings, too.
            Event::Finished { response: whole } => response.clone_from(whole),
            // The usage of an agent counts for its caller, too.
            Event::Nested { event, .. } => match &**event {
                Event::ModelReplied { usage, .. } | Event::Compacted { usage, .. } => {
                    response.usage.add(usage);
                }
                _ => {}
            },
            _ => {}
        }
    }
}
