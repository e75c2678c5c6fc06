//! What a caller can watch while a run goes on.

use crate::conversation::ToolCall;
use crate::model::{FinishReason, ReplyPart, Usage};
use crate::response::{AgentResponse, ToolInvocation};
use crate::run::PendingCall;
use agent_spec::Model;

/// Something that happened in a run.
///
/// The parts of an answer (`TextDelta`, `ThoughtDelta`, `CallStarted`, `ArgumentsDelta`) are told
/// of by [`RunBuilder::stream`](crate::runtime::RunBuilder::stream), and when
/// [`DriveOptions::streaming`](crate::runtime::DriveOptions::streaming) asks for them; everything else
/// always.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A request goes to a model: a turn begins. What the parts of the turn before said stands
    /// only if a [`ModelReplied`](Self::ModelReplied) ended it.
    #[non_exhaustive]
    ModelCalled {
        /// Which model.
        model: Model,
    },
    /// More of the text of the answer.
    #[non_exhaustive]
    TextDelta {
        /// The piece.
        text: String,
    },
    /// More of what the model thinks, from providers that show it.
    #[non_exhaustive]
    ThoughtDelta {
        /// The piece.
        text: String,
    },
    /// The model begins to call a tool. The call is made when the answer is complete and its
    /// arguments are in order.
    #[non_exhaustive]
    CallStarted {
        /// Which call of the turn this is, from 0.
        index: usize,
        /// The name that the model calls.
        tool: String,
    },
    /// More of the arguments of a call.
    #[non_exhaustive]
    ArgumentsDelta {
        /// The call of the turn.
        index: usize,
        /// A piece of JSON text.
        text: String,
    },
    /// The model answered: the end of a turn.
    #[non_exhaustive]
    ModelReplied {
        /// The text, which may come with calls.
        content: Option<String>,
        /// The calls, in order, with the ids that they have in the conversation.
        calls: Vec<ToolCall>,
        /// Why the model stopped.
        finish_reason: FinishReason,
        /// What the request cost.
        usage: Usage,
    },
    /// A tool is being called.
    #[non_exhaustive]
    ToolStarted {
        /// The call.
        call: PendingCall,
    },
    /// A tool says how far it has come.
    #[non_exhaustive]
    ToolProgress {
        /// The call.
        call_id: String,
        /// The tool.
        tool: String,
        /// What it says.
        text: String,
    },
    /// A call has its result, in the order of the calls; also one that was never made, because it
    /// was bad or denied.
    #[non_exhaustive]
    ToolFinished {
        /// The call and its result.
        invocation: ToolInvocation,
    },
    /// The run has ended with an answer. A run that fails ends without this.
    #[non_exhaustive]
    Finished {
        /// What [`Runtime::execute`](crate::Runtime::execute) returns.
        response: AgentResponse,
    },
}

impl From<ReplyPart> for Event {
    fn from(part: ReplyPart) -> Self {
        match part {
            ReplyPart::Text(text) => Self::TextDelta { text },
            ReplyPart::Thought(text) => Self::ThoughtDelta { text },
            ReplyPart::Call { index, tool } => Self::CallStarted { index, tool },
            ReplyPart::Arguments { index, text } => Self::ArgumentsDelta { index, text },
        }
    }
}

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
