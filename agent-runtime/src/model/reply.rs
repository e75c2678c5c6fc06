//! What a model answers.

use super::Usage;
use crate::conversation::ToolCall;
use serde_json::Value;
use std::fmt;
use std::future::poll_fn;
use std::task::Poll;

/// What a model answers.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelReply {
    /// The text, if any.
    pub content: Option<String>,
    /// The calls the model asks for, in order. Ids may be empty or used twice; the run mints its
    /// own then.
    pub tool_calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub finish_reason: FinishReason,
    /// What the request cost; left as it is when the model does not say.
    pub usage: Usage,
    /// The provider's id of the answer.
    pub id: Option<String>,
    /// The exact model that answered, as the provider calls it.
    pub model: Option<String>,
    /// What the provider wants back with this answer, such as the signature of a thought.
    pub provider_data: Option<Value>,
}

impl ModelReply {
    /// An answer in words.
    #[must_use]
    pub fn text(content: impl Into<String>) -> Self {
        Self {
            content: Some(content.into()),
            ..Self::default()
        }
    }

    /// An answer that calls tools.
    #[must_use]
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self {
            tool_calls: calls.into_iter().collect(),
            finish_reason: FinishReason::ToolCalls,
            ..Self::default()
        }
    }

    /// An answer that calls one tool; the run mints the id.
    #[must_use]
    pub fn call(tool: impl Into<String>, args: impl Into<String>) -> Self {
        Self::calls([ToolCall::new("", tool, args)])
    }

    /// The same answer with another reason for stopping.
    #[must_use]
    pub fn with_finish_reason(mut self, reason: FinishReason) -> Self {
        self.finish_reason = reason;
        self
    }

    /// The same answer with what it cost.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// What the request cost, which is one however little its model says of it.
    pub(crate) fn counted(&self) -> Usage {
        let mut usage = self.usage;
        if usage.requests == 0 {
            usage.requests = 1;
            let says_nothing = usage.input_tokens == 0 && usage.output_tokens == 0;
            usage.uncounted_requests = usage.uncounted_requests.max(u64::from(says_nothing));
        }
        usage
    }
}

/// Why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// It had said everything.
    #[default]
    Stop,
    /// It waits for the results of calls.
    ToolCalls,
    /// It reached the most tokens it may write: the answer is cut off.
    Length,
    /// The provider held the answer back.
    ContentFilter,
    /// Something else, in the provider's words.
    Other(String),
}

impl FinishReason {
    /// The word for it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Other(word) => word,
        }
    }

    /// The reason of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "stop" => Self::Stop,
            "tool_calls" => Self::ToolCalls,
            "length" => Self::Length,
            "content_filter" => Self::ContentFilter,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The first call that an answer asks for: the tool's name and the arguments. `None` for an answer
/// in words.
#[must_use]
pub fn detect_tool_call(reply: &ModelReply) -> Option<(&str, Value)> {
    let call = reply.tool_calls.first()?;
    Some((call.tool(), call.args()))
}

/// One part of an answer that is on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyPart {
    /// More of the text.
    Text(String),
    /// More of what the model thinks, from providers that show it. It is no part of the answer.
    Thought(String),
    /// The model begins to call a tool.
    #[non_exhaustive]
    Call {
        /// Which call of the answer this is, from 0.
        index: usize,
        /// The name that the model calls.
        tool: String,
    },
    /// More of the arguments of a call that has begun: a piece of JSON text.
    #[non_exhaustive]
    Arguments {
        /// The call.
        index: usize,
        /// The piece.
        text: String,
    },
}

impl ReplyPart {
    /// A call begins. Calls begin in order, from index 0.
    #[must_use]
    pub fn call(index: usize, tool: impl Into<String>) -> Self {
        let tool = tool.into();
        Self::Call { index, tool }
    }

    /// More of the arguments of a call.
    #[must_use]
    pub fn arguments(index: usize, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Arguments { index, text }
    }
}

/// Where a model puts the parts of an answer, as they come.
pub struct ReplySink<'a> {
    take: &'a mut (dyn FnMut(ReplyPart) + Send),
    /// Whether whoever reads the parts can take more.
    has_room: &'a (dyn Fn() -> bool + Sync),
    sent: bool,
}

impl<'a> ReplySink<'a> {
    /// A sink that hands each part to a function, for models that wrap another and for tests.
    pub fn new(take: &'a mut (dyn FnMut(ReplyPart) + Send)) -> Self {
        Self::with_room(take, &|| true)
    }

    pub(crate) fn with_room(
        take: &'a mut (dyn FnMut(ReplyPart) + Send),
        has_room: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        Self {
            take,
            has_room,
            sent: false,
        }
    }

    /// Puts a part, and waits until whoever reads them can take another: so a slow reader slows
    /// the sender down, and nothing piles up. Empty texts are left out.
    ///
    /// Cancel safety: the part is put at once; dropping the future only gives up the waiting.
    pub async fn send(&mut self, part: ReplyPart) {
        let is_empty = match &part {
            ReplyPart::Text(text)
            | ReplyPart::Thought(text)
            | ReplyPart::Arguments { text, .. } => text.is_empty(),
            ReplyPart::Call { .. } => false,
        };
        if is_empty {
            return;
        }
        self.sent = true;
        (self.take)(part);
        // Whoever makes room polls the whole work again, so no waker is kept.
        poll_fn(|_| match (self.has_room)() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }

    #[cfg(feature = "testing")]
    /// What a sink that stands before this one is made of: where a part goes, whether there is room
    /// for another, and whether any was put.
    pub(crate) fn pieces(
        &mut self,
    ) -> (
        &mut (dyn FnMut(ReplyPart) + Send + 'a),
        &'a (dyn Fn() -> bool + Sync),
        &mut bool,
    ) {
        (&mut *self.take, self.has_room, &mut self.sent)
    }

    /// Puts an answer that came as a whole.
    pub async fn send_reply(&mut self, reply: &ModelReply) {
        if let Some(text) = &reply.content {
            self.send(ReplyPart::Text(text.clone())).await;
        }
        for (index, call) in reply.tool_calls.iter().enumerate() {
            self.send(ReplyPart::call(index, call.tool())).await;
            self.send(ReplyPart::arguments(index, call.args_text()))
                .await;
        }
    }

    /// Whether any part was put. From then on the request cannot be sent again unnoticed.
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
