//! The reply of a model, as a whole and in parts.

use super::{Usage, UsagePart};
use crate::conversation::{Message, Part, ToolCall};
use agent_tool::__private::{MediaForm, opt_text, part_from_json, part_to_json, text};
use agent_tool::media::ReadError;
use agent_tool::redact::Redactor;
use serde_json::{Value, json};
use std::fmt;
use std::future::poll_fn;
use std::task::Poll;

/// The warning about an answer that is a refusal as a whole.
pub const REFUSED: &str = "the model refused to answer (`content_filter`)";

/// The reply of a model.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelReply {
    /// The text, the thoughts and whatever else the model said, in order. Thoughts and data that only the provider
    /// understands are sent back to it with later requests.
    pub parts: Vec<Part>,
    /// The calls that the model requests, in order. An id may be empty or used twice; the run then creates
    /// its own.
    pub tool_calls: Vec<ToolCall>,
    /// The reason why the model stopped.
    pub finish_reason: FinishReason,
    /// The tokens of the request. Leave the default if the model does not report them.
    pub usage: Usage,
    /// The parts of the usage, if the provider made several requests for this reply: their tokens may have different
    /// prices. Empty for any other reply.
    pub usage_parts: Vec<UsagePart>,
    /// The provider's id of the reply.
    pub id: Option<String>,
    /// The provider's name of the exact model that replied.
    pub model: Option<String>,
    /// The cost of the request in dollars, if the provider knows its price. A price of the runtime's own
    /// [`Prices`](crate::cost::Prices) takes precedence.
    pub cost: Option<f64>,
    /// The warnings about the request, such as of settings that the model refuses and that were left out:
    /// [`AgentResponse::warnings`](crate::response::AgentResponse::warnings).
    pub warnings: Vec<String>,
}

impl ModelReply {
    /// Creates a reply with a text.
    #[must_use]
    pub fn text(content: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Text(content.into())],
            ..Self::default()
        }
    }

    /// Replaces the secrets, as [`Message::redacted`] does.
    #[doc(hidden)]
    #[must_use]
    pub fn redacted(mut self, redactor: &Redactor) -> Self {
        for text in [&mut self.id, &mut self.model] {
            *text = text.as_ref().map(|text| redactor.text(text));
        }
        for call in &mut self.tool_calls {
            *call = ToolCall::new(
                redactor.text(call.id()),
                redactor.text(call.tool()),
                redactor.text(call.args_text()),
            );
        }
        if let FinishReason::Other(word) = &mut self.finish_reason {
            *word = redactor.text(word);
        }
        for warning in &mut self.warnings {
            *warning = redactor.text(warning);
        }
        let message = Message::assistant_parts(self.parts).redacted(redactor);
        self.parts = message.parts().to_vec();
        self
    }

    /// Creates a reply with several parts.
    #[must_use]
    pub fn parts(parts: impl IntoIterator<Item = Part>) -> Self {
        Self {
            parts: parts.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The texts of all text parts, joined.
    #[must_use]
    pub fn content(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect()
    }

    /// Creates a reply that calls tools.
    #[must_use]
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self {
            tool_calls: calls.into_iter().collect(),
            finish_reason: FinishReason::ToolCalls,
            ..Self::default()
        }
    }

    /// Creates a reply that calls one tool. The run creates the id.
    #[must_use]
    pub fn call(tool: impl Into<String>, args: impl Into<String>) -> Self {
        Self::calls([ToolCall::new("", tool, args)])
    }

    /// Sets the reason why the model stopped.
    #[must_use]
    pub fn with_finish_reason(mut self, reason: FinishReason) -> Self {
        self.finish_reason = reason;
        self
    }

    /// Sets the tokens of the request.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Sets the warnings about the request.
    #[must_use]
    pub fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }

    /// Returns the usage with this request counted, even if the model reported none.
    #[doc(hidden)]
    pub fn counted(&self) -> Usage {
        let mut usage = self.usage;
        if usage.requests == 0 {
            usage.requests = 1;
            let is_unreported = usage.input_tokens == 0 && usage.output_tokens == 0;
            usage.uncounted_requests = usage.uncounted_requests.max(u64::from(is_unreported));
        }
        usage
    }
}

/// The reason why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The reply is complete.
    #[default]
    Stop,
    /// The model waits for the results of calls.
    ToolCalls,
    /// The model reached the maximum number of tokens, so the reply is truncated.
    Length,
    /// The provider blocked the reply.
    ContentFilter,
    /// The provider paused the reply, as Anthropic does when its own tools take long. The run sends it back,
    /// and the model continues.
    Paused,
    /// Another reason, in the provider's words.
    Other(String),
}

impl FinishReason {
    /// Returns the word for the reason.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Paused => "paused",
            Self::Other(word) => word,
        }
    }

    /// Parses the word for a reason.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "stop" => Self::Stop,
            "tool_calls" => Self::ToolCalls,
            "length" => Self::Length,
            "content_filter" => Self::ContentFilter,
            "paused" => Self::Paused,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Returns the tool and the arguments of the first call in a reply; `None` for a reply without calls.
#[must_use]
pub fn detect_tool_call(reply: &ModelReply) -> Option<(&str, Value)> {
    let call = reply.tool_calls.first()?;
    Some((call.tool(), call.args()))
}

/// A part of a streamed reply.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplyPart {
    /// More of the text.
    Text(String),
    /// More of the model's thoughts, from providers that show them. They are not part of the reply's text.
    Thought(String),
    /// A part that arrives in one piece, such as an image.
    Part(Part),
    /// The beginning of a call.
    #[non_exhaustive]
    Call {
        /// The index of the call in the reply, from 0.
        index: usize,
        /// The name of the tool.
        tool: String,
        /// The id that the provider gives the call; empty if there is no id, or none yet.
        id: String,
    },
    /// More of the arguments of a call: a piece of JSON text.
    #[non_exhaustive]
    Arguments {
        /// The index of the call.
        index: usize,
        /// The piece.
        text: String,
    },
}

impl ReplyPart {
    /// Creates the beginning of a call. Calls begin in order, from index 0.
    #[must_use]
    pub fn call(index: usize, tool: impl Into<String>) -> Self {
        Self::Call {
            index,
            tool: tool.into(),
            id: String::new(),
        }
    }

    /// Creates the beginning of a call to which the provider gives an id.
    #[must_use]
    pub fn call_with_id(index: usize, tool: impl Into<String>, id: impl Into<String>) -> Self {
        Self::Call {
            index,
            tool: tool.into(),
            id: id.into(),
        }
    }

    /// Creates a piece of the arguments of a call.
    #[must_use]
    pub fn arguments(index: usize, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Arguments { index, text }
    }

    /// Writes the part in the form of recordings.
    #[doc(hidden)]
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => json!({"text": text}),
            Self::Thought(text) => json!({"thought": text}),
            Self::Part(part) => json!({"part": part_to_json(part, MediaForm::Data)}),
            Self::Call { index, tool, id } => match id.as_str() {
                "" => json!({"call": index, "tool": tool}),
                id => json!({"call": index, "tool": tool, "id": id}),
            },
            Self::Arguments { index, text } => json!({"call": index, "arguments": text}),
        }
    }

    /// Reads the result of [`to_json`](Self::to_json).
    ///
    /// # Errors
    /// When the JSON has another form.
    #[doc(hidden)]
    pub fn from_json(json: &Value) -> Result<Self, ReadError> {
        if let Some(text) = opt_text(json, "text")? {
            return Ok(Self::Text(text));
        }
        if let Some(text) = opt_text(json, "thought")? {
            return Ok(Self::Thought(text));
        }
        if let Some(part) = json.get("part") {
            return Ok(Self::Part(part_from_json(part)?));
        }
        let index = json.get("call").and_then(Value::as_u64);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let index = index.ok_or_else(|| {
            ReadError::new("a part has `text`, `thought`, `part`, or the number of a `call` from 0")
        })?;
        match opt_text(json, "arguments")? {
            Some(piece) => Ok(Self::arguments(index, piece)),
            None => Ok(Self::Call {
                index,
                tool: text(json, "tool")?,
                id: opt_text(json, "id")?.unwrap_or_default(),
            }),
        }
    }
}

/// Receives the parts of a streamed reply from a model.
pub struct ReplySink<'a> {
    take: &'a mut (dyn FnMut(ReplyPart) + Send),
    /// Whether the reader of the parts has room for another.
    has_room: &'a (dyn Fn() -> bool + Sync),
    sent: bool,
}

impl<'a> ReplySink<'a> {
    /// Creates a sink that calls a function with each part, for models that wrap another one and for tests.
    pub fn new(take: &'a mut (dyn FnMut(ReplyPart) + Send)) -> Self {
        Self::with_room(take, &|| true)
    }

    #[doc(hidden)]
    pub fn with_room(
        take: &'a mut (dyn FnMut(ReplyPart) + Send),
        has_room: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        Self {
            take,
            has_room,
            sent: false,
        }
    }

    /// Sends a part, and waits until the reader has room for another, so that parts do not accumulate in
    /// memory. Empty texts are dropped.
    ///
    /// Cancel safety: the part is sent at once. Dropping the future only ends the waiting.
    pub async fn send(&mut self, part: ReplyPart) {
        let is_empty = match &part {
            ReplyPart::Text(text)
            | ReplyPart::Thought(text)
            | ReplyPart::Arguments { text, .. } => text.is_empty(),
            ReplyPart::Call { .. } | ReplyPart::Part(_) => false,
        };
        if is_empty {
            return;
        }
        self.sent = true;
        (self.take)(part);
        // No waker is kept, because the reader that makes room polls the whole run again.
        poll_fn(|_| match (self.has_room)() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }

    /// Returns the parts of the sink, for a sink around it: the receiver, whether it has room, and whether a
    /// part was sent.
    #[doc(hidden)]
    pub fn pieces(
        &mut self,
    ) -> (
        &mut (dyn FnMut(ReplyPart) + Send + 'a),
        &'a (dyn Fn() -> bool + Sync),
        &mut bool,
    ) {
        (&mut *self.take, self.has_room, &mut self.sent)
    }

    /// Sends a whole reply.
    pub async fn send_reply(&mut self, reply: &ModelReply) {
        for part in &reply.parts {
            match part {
                Part::Text(text) => self.send(ReplyPart::Text(text.clone())).await,
                Part::Thinking(thinking) => {
                    self.send(ReplyPart::Thought(thinking.text().to_owned()))
                        .await;
                }
                Part::Provider(_) => {}
                part => self.send(ReplyPart::Part(part.clone())).await,
            }
        }
        for (index, call) in reply.tool_calls.iter().enumerate() {
            self.send(ReplyPart::call_with_id(index, call.tool(), call.id()))
                .await;
            self.send(ReplyPart::arguments(index, call.args_text()))
                .await;
        }
    }

    /// Whether any part was sent. After that the request must not be retried, because the user has read the
    /// part.
    #[must_use]
    pub fn has_sent(&self) -> bool {
        self.sent
    }
}

impl fmt::Debug for ReplySink<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ReplySink")
            .field("sent", &self.sent)
            .finish_non_exhaustive()
    }
}
