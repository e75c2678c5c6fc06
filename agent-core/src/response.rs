//! The response of a run.

mod pattern;
#[cfg(test)]
mod tests;

use crate::conversation::{Message, Taint};
use crate::model::reply::REFUSED;
use crate::model::{FinishReason, Usage};
use agent_tool::__private::{MediaForm, part_to_json};
use agent_tool::media::Part;
use agent_tool::redact::Redactor;
use agent_tool::tool::{StaticTool, ToolError};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::fmt;

/// The response of a run: the answer, the calls and the usage.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AgentResponse {
    /// The model's answer. It is only blank if the model stopped without text after a result of a tool.
    pub content: String,
    /// The parts of the answer: its text, the model's thoughts before it, and images that the model made. Data that
    /// only the provider understands is in the conversation alone.
    pub parts: Vec<Part>,
    /// All calls of the run, in the order in which the model made them, also those that failed, were denied or named
    /// an unknown tool. The calls that give a typed answer are left out, because their tool is not one of the
    /// agent's.
    pub tools_used: Vec<ToolInvocation>,
    /// The tokens of the run's requests, and of those of the agents that it called. The calls of agents in
    /// [`tools_used`](Self::tools_used) have the [usage](ToolInvocation::usage) of each.
    pub usage: Usage,
    /// The cost of these tokens in dollars; `None` when the runtime does not know the price of a model that
    /// answered, or a provider did not report the tokens. See `RuntimeBuilder::prices`.
    pub cost: Option<f64>,
    /// The reason for which the model stopped. [`FinishReason::Length`] means that the answer is cut off.
    pub finish_reason: FinishReason,
    /// The warnings about the run's requests, each once: settings that the model refuses and that were left out, a
    /// request that was refused and corrected, a demanded call that the model did not make, an answer that is a refusal as
    /// a whole.
    pub warnings: Vec<String>,
}

impl AgentResponse {
    /// Returns `{"content", "finishReason", "toolsUsed": [{"tool", "args", "result" or "error", "attempt"}],
    /// "usage"}`, `"cost"` in dollars when it is known, `"warnings"` when there are any, and `"parts"` when there is
    /// anything but one text. Bytes of media are written as their digests.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.json(MediaForm::Digest)
    }

    /// Returns the JSON of [`to_json`](Self::to_json) with the bytes of media in base64, where `to_json` writes their
    /// digests.
    #[must_use]
    pub fn to_json_with_data(&self) -> Value {
        self.json(MediaForm::Data)
    }

    fn json(&self, form: MediaForm) -> Value {
        let mut json = json!({
            "content": self.content,
            "finishReason": self.finish_reason.as_str(),
        });
        // Within `json!`, values would be copied.
        let calls = self.tools_used.iter();
        json["toolsUsed"] = calls.map(ToolInvocation::to_json).collect();
        json["usage"] = self.usage.to_json();
        if let Some(dollars) = self.cost {
            json["cost"] = dollars.into();
        }
        if !self.warnings.is_empty() {
            json["warnings"] = self.warnings.clone().into();
        }
        if let Some(parts) = self.several_parts() {
            let parts = parts.iter();
            json["parts"] = parts.map(|part| part_to_json(part, form)).collect();
        }
        json
    }

    /// The calls of the tool of a function: `calls_of::<say_hello>()`.
    pub fn calls_of<T: StaticTool>(&self) -> impl Iterator<Item = &ToolInvocation> {
        let name = T::DESCRIPTOR.name();
        self.tools_used.iter().filter(move |call| call.tool == name)
    }

    /// Whether the model refused to answer at all, so that [`content`](Self::content) has its refusal or the reason.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        let is_filtered = self.finish_reason == FinishReason::ContentFilter;
        is_filtered && self.warnings.iter().any(|warning| warning == REFUSED)
    }

    /// The parts, unless they are one text.
    fn several_parts(&self) -> Option<&[Part]> {
        match self.parts.as_slice() {
            [] | [Part::Text(_)] => None,
            parts => Some(parts),
        }
    }

    /// Returns the response with its secrets replaced, in the answer and in all calls.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let calls = self.tools_used.iter();
        let answer = Message::assistant_parts(self.parts.clone()).redacted(redactor);
        let warnings = self.warnings.iter();
        Self {
            warnings: warnings.map(|text| redactor.text(text)).collect(),
            content: redactor.text(&self.content),
            parts: answer.parts().to_vec(),
            tools_used: calls.map(|call| call.redacted(redactor)).collect(),
            finish_reason: FinishReason::from_word(&redactor.text(self.finish_reason.as_str())),
            ..self.clone()
        }
    }
}

/// Returns the parts of an answer that a host can read.
pub(crate) fn readable(parts: &[Part]) -> Vec<Part> {
    let is_readable = |part: &&Part| !matches!(part, Part::Provider(_));
    parts.iter().filter(is_readable).cloned().collect()
}

impl Serialize for AgentResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// A call of a run, with its result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolInvocation {
    /// The name that the model called.
    pub tool: String,
    /// The id of the call in the conversation.
    pub call_id: String,
    /// The arguments that the tool was given, or those that the model sent if the tool was not called. Text that
    /// is not JSON is a string.
    pub args: Value,
    /// The result or the error.
    pub result: Result<Value, ToolError>,
    /// The text that the model read in place of a result. It is longer than that of the error if the tool has no
    /// attempts left.
    pub error_text: Option<String>,
    /// The number of the call since the tool last succeeded, from 1.
    pub attempt: u32,
    /// The usage of an agent that was called, and of those that it called. It is part of the usage of the run. `None`
    /// for a tool that is no agent.
    pub usage: Option<Usage>,
    /// The cost of the agent's usage in dollars; `None` when the cost is not known, and for a tool that is no
    /// agent.
    pub cost: Option<f64>,
    /// The taint that the result brought into the conversation.
    pub taint: Taint,
}

impl ToolInvocation {
    /// Whether the tool asked for other arguments ([`ToolError::Retry`]) and may be called again. After the last
    /// attempt such an error is a failure.
    #[must_use]
    pub fn is_retry(&self) -> bool {
        match &self.result {
            Err(ToolError::Retry(asked)) => {
                self.error_text.as_ref().is_none_or(|text| text == asked)
            }
            _ => false,
        }
    }

    /// Returns the call with its secrets replaced, in the arguments and in the result or error.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let result = self.result.as_ref();
        Self {
            args: redactor.value(&self.args),
            result: result
                .map(|value| redactor.value(value))
                .map_err(|error| error.redacted(redactor)),
            error_text: self.error_text.as_ref().map(|text| redactor.text(text)),
            ..self.clone()
        }
    }

    /// Returns `{"tool", "args", "result" or "error", "attempt"}`, for an agent also `"usage"` and, if it is known,
    /// `"cost"`, and `"taint"` if the result brought something in from outside.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        json.insert("tool".into(), self.tool.clone().into());
        json.insert("args".into(), self.args.clone());
        match &self.result {
            Ok(value) => json.insert("result".into(), value.clone()),
            Err(error) => {
                let text = self.error_text.clone().unwrap_or_else(|| error.to_string());
                json.insert("error".into(), text.into())
            }
        };
        json.insert("attempt".into(), self.attempt.into());
        if let Some(usage) = &self.usage {
            json.insert("usage".into(), usage.to_json());
        }
        if let Some(dollars) = self.cost {
            json.insert("cost".into(), dollars.into());
        }
        if !self.taint.is_clean() {
            json.insert("taint".into(), self.taint.as_str().into());
        }
        Value::Object(json)
    }
}

/// Prints the call and its result on one line: `sayHello {"personName":"Ada"} → Hello, Ada!`. A text is printed
/// without quotes, any other result as JSON.
impl fmt::Display for ToolInvocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.tool, self.args)?;
        match &self.result {
            Ok(Value::String(text)) => write!(out, " → {text}"),
            Ok(value) => write!(out, " → {value}"),
            Err(error) => write!(out, " ✗ {error}"),
        }
    }
}

impl Serialize for ToolInvocation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}
