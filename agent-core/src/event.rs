//! The events of a run.

mod collector;
mod id;
mod json;

pub use collector::EventCollector;
pub use id::{EventId, FollowedEvent, InvalidEventId};

use crate::conversation::{Message, Part, ToolCall};
use crate::model::{FinishReason, ReplyPart, Usage, UsagePart};
use crate::response::{AgentResponse, ToolInvocation};
use crate::run::{AwaitingApproval, PendingCall, saved};
use agent_spec::Model;
use agent_tool::__private::with_causes;
use agent_tool::Error;
use serde::{Deserialize, Serialize};

/// An event of a run.
///
/// The parts of an answer (`TextDelta`, `ThoughtDelta`, `CallStarted`, `ArgumentsDelta`) are only reported by
/// `RunBuilder::stream` and with `RunBuilder::streaming`. The last event is `Finished`, `Waiting`, `Failed` or `Cancelled`.
///
/// # JSON
///
/// Events can be sent to other programs: each is an object whose `type` is its name, such as
/// `{"type": "textDelta", "text": "Hello"}`. `book/src/reference/event.schema.json` has all of them, as a JSON Schema. This is version 1:
/// later programs may add events and members, and change none of these, so skip unknown ones. Bytes of media
/// are base64. Secrets are not replaced: use [`Redactor`](agent_tool::redact::Redactor) for readers who must
/// not see them.
///
/// ```
/// use agent_runtime::Event;
/// use agent_runtime::serde_json;
///
/// # fn main() -> Result<(), serde_json::Error> {
/// let event: Event = serde_json::from_str(r#"{"type": "textDelta", "text": "Hello"}"#)?;
/// assert!(matches!(&event, Event::TextDelta { text, .. } if text == "Hello"));
/// assert_eq!(serde_json::to_string(&event)?, r#"{"type":"textDelta","text":"Hello"}"#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum Event {
    /// A request is sent to a model, which begins a turn. If the turn before did not end with
    /// [`ModelReplied`](Self::ModelReplied), discard the parts of its answer. The same applies after a crash,
    /// because a run that is recovered during a request begins with this event.
    #[non_exhaustive]
    ModelCalled {
        /// The model.
        #[serde(with = "json::model")]
        model: Model,
    },
    /// A part of the text of the answer.
    #[non_exhaustive]
    TextDelta {
        /// The part.
        text: String,
    },
    /// A part of the model's thoughts, from providers that show them.
    #[non_exhaustive]
    ThoughtDelta {
        /// The part.
        text: String,
    },
    /// The model begins to call a tool. The call is made when the answer is complete and its arguments are valid.
    #[non_exhaustive]
    CallStarted {
        /// The id that the call has in the conversation. A hook that replaces the calls of an answer may give
        /// the call another id.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        call_id: String,
        /// The index of the call in the turn, from 0.
        index: usize,
        /// The name that the model calls.
        tool: String,
    },
    /// A part of the arguments of a call.
    #[non_exhaustive]
    ArgumentsDelta {
        /// The id of the call, as [`CallStarted`](Self::CallStarted) has it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        call_id: String,
        /// The index of the call in the turn, from 0.
        index: usize,
        /// A part of JSON text.
        text: String,
    },
    /// The model sent a part of its answer that arrives in one piece, such as an image.
    #[non_exhaustive]
    PartReceived {
        /// The part.
        #[serde(with = "json::part")]
        part: Part,
    },
    /// The model answered, which ends the turn.
    #[non_exhaustive]
    ModelReplied {
        /// The text, the thoughts and the media of the answer. The answer may also contain calls. Data that
        /// only the provider understands is left out.
        #[serde(with = "saved::parts")]
        parts: Vec<Part>,
        /// The calls, in order, with the ids that they have in the conversation.
        #[serde(with = "json::calls")]
        calls: Vec<ToolCall>,
        /// The reason for which the model stopped.
        #[serde(with = "saved::finish_reason")]
        finish_reason: FinishReason,
        /// The usage of the request.
        usage: Usage,
        /// The parts of the usage, if the provider made several requests for this answer: their tokens may have different
        /// prices. Empty for any other answer.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        usage_parts: Vec<UsagePart>,
    },
    /// A call of a tool begins.
    #[non_exhaustive]
    ToolStarted {
        /// The call.
        call: PendingCall,
    },
    /// A tool reports progress.
    #[non_exhaustive]
    ToolProgress {
        /// The id of the call.
        call_id: String,
        /// The name of the tool.
        tool: String,
        /// The report.
        text: String,
    },
    /// A call has its result. These events are reported in the order of the calls, also for calls that were
    /// never made because they were invalid or denied.
    #[non_exhaustive]
    ToolFinished {
        /// The call and its result.
        #[serde(with = "saved::InvocationForm")]
        invocation: ToolInvocation,
    },
    /// The run received a message that the user sent during the run; see
    /// [`RunHandle::say`](crate::RunHandle::say). The model gets the message with the next request.
    #[non_exhaustive]
    Steered {
        /// The message.
        #[serde(with = "json::message")]
        message: Message,
    },
    /// A request for a summary is sent to a model, because the next request would be too long; see
    /// [`Compaction`](crate::conversation::Compaction). The compaction ends with
    /// [`Compacted`](Self::Compacted), and begins again when the model wrote no summary.
    #[non_exhaustive]
    CompactionStarted {
        /// The model.
        #[serde(with = "json::model")]
        model: Model,
    },
    /// The conversation has a summary of its beginning, which is sent from now on.
    #[non_exhaustive]
    Compacted {
        /// The summary. [`Message::summary_scope`] returns the messages that it replaces.
        #[serde(with = "json::message")]
        summary: Message,
        /// The usage of the requests for the summary.
        usage: Usage,
    },
    /// An event of an agent that the run called, itself or through others. The event is never
    /// [`Steered`](Self::Steered), `Nested` or an event that ends a run. An agent begins with the
    /// [`ToolStarted`](Self::ToolStarted) of its call, and ends with the
    /// [`ToolFinished`](Self::ToolFinished).
    #[non_exhaustive]
    Nested {
        /// The names of the agents that lead there, joined by `/`: `support/billing`.
        path: String,
        /// The ids of the calls that lead there, joined by `/`: `call_3`, or `call_3/call_1`.
        call_id: String,
        /// The event. The ids of calls in `ToolStarted`, `ToolProgress` and `ToolFinished` begin with `call_id`.
        event: Box<Event>,
    },
    /// The events of a step, and of all later steps, are sent again: discard those that you have received. A
    /// program that [follows](FollowedEvent) a run gets this event when another process continues the run.
    #[non_exhaustive]
    StepReset {
        /// The step, as the [id](EventId) of each event has it.
        step: u64,
    },
    /// The run has ended with an answer.
    #[non_exhaustive]
    Finished {
        /// The response of the run.
        #[serde(with = "json::ResponseForm")]
        response: AgentResponse,
    },
    /// The run is paused, because a person must decide on calls.
    #[non_exhaustive]
    Waiting {
        /// The calls.
        calls: Vec<PendingCall>,
    },
    /// The run has ended with an error.
    #[non_exhaustive]
    Failed {
        /// The word for the kind of the error, such as `llm`, `limit` or `configuration`.
        kind: String,
        /// The error with its causes, as one text.
        message: String,
    },
    /// The run was cancelled.
    Cancelled,
}

impl Event {
    /// Returns the last event of a run that ended with this error.
    #[doc(hidden)]
    #[must_use]
    pub fn of_error(error: &Error) -> Self {
        match AwaitingApproval::of(error) {
            Some(paused) => Self::Waiting {
                calls: paused.calls.clone(),
            },
            None if error.is_cancelled() => Self::Cancelled,
            None => Self::Failed {
                kind: error.kind().word().to_owned(),
                message: with_causes(error),
            },
        }
    }

    /// Returns the event that restarts the events of a step.
    #[doc(hidden)]
    #[must_use]
    pub fn step_reset(step: u64) -> Self {
        Self::StepReset { step }
    }

    /// Whether this is a part of an answer that a later event has as a whole.
    pub(crate) fn is_part(&self) -> bool {
        match self {
            Self::TextDelta { .. }
            | Self::ThoughtDelta { .. }
            | Self::CallStarted { .. }
            | Self::ArgumentsDelta { .. }
            | Self::PartReceived { .. } => true,
            Self::Nested { event, .. } => event.is_part(),
            _ => false,
        }
    }

    /// Returns the event of a called agent as the observers of its caller get it.
    pub(crate) fn nested(self, path: &str, call_id: &str) -> Self {
        Self::Nested {
            path: path.to_owned(),
            call_id: call_id.to_owned(),
            event: Box::new(self),
        }
    }

    /// Whether the run has ended with this event, or is paused.
    #[must_use]
    pub fn is_last(&self) -> bool {
        matches!(
            self,
            Self::Finished { .. } | Self::Waiting { .. } | Self::Failed { .. } | Self::Cancelled
        )
    }
}

impl Event {
    /// The event of a part of an answer. `call_id` is the id of the call that it belongs to.
    pub(crate) fn of_part(part: ReplyPart, call_id: &str) -> Self {
        let call_id = call_id.to_owned();
        match part {
            ReplyPart::Text(text) => Self::TextDelta { text },
            ReplyPart::Thought(text) => Self::ThoughtDelta { text },
            ReplyPart::Part(part) => Self::PartReceived { part },
            ReplyPart::Call { index, tool, .. } => Self::CallStarted {
                call_id,
                index,
                tool,
            },
            ReplyPart::Arguments { index, text } => Self::ArgumentsDelta {
                call_id,
                index,
                text,
            },
        }
    }
}
