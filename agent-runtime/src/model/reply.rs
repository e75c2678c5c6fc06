//! What a model answers.

use super::Usage;
use crate::conversation::ToolCall;
use serde_json::Value;
use std::fmt;

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
