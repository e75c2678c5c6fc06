//! Answers in Ollama's form.

use crate::conversation::ToolCall;
use crate::error::Error;
use crate::http::Failure;
use crate::model::wire::{self, count, list, text};
use crate::model::{FinishReason, ModelReply, Usage};
use serde_json::{Value, json};

/// What the model thought, kept with its message.
pub(super) const THINKING: &str = "ollamaThinking";

/// The answer that a body holds.
pub(super) fn reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
    let json = parse(body, failure)?;
    let Some(message) = json.get("message").filter(|message| message.is_object()) else {
        return Err(failure.unreadable("has no message", body));
    };
    let calls: Option<Vec<ToolCall>> = list(message, "tool_calls").iter().map(call).collect();
    let Some(tool_calls) = calls else {
        return Err(failure.unreadable("has a tool call without a name", body));
    };
    let thinking = text(message, "thinking").unwrap_or_default();
    Ok(ModelReply {
        content: text(message, "content").filter(|text| !text.is_empty()),
        finish_reason: finish_reason(&json, !tool_calls.is_empty()),
        tool_calls,
        usage: usage(&json),
        model: text(&json, "model"),
        provider_data: kept(&thinking),
        ..ModelReply::default()
    })
}

/// One JSON text, if it does not tell of an error: Ollama may do so after it said 200.
pub(super) fn parse(body: &[u8], failure: &Failure<'_>) -> Result<Value, Error> {
    let json = wire::parse(body, failure)?;
    match json.get("error") {
        Some(error) if !error.is_null() => Err(failure.reported(body)),
        _ => Ok(json),
    }
}

/// A call, which comes as a whole. Older servers give no id.
pub(super) fn call(call: &Value) -> Option<ToolCall> {
    let function = call.get("function")?;
    let name = text(function, "name").filter(|name| !name.is_empty())?;
    let arguments = match function.get("arguments") {
        None | Some(Value::Null) => String::new(),
        // Not the form, but what it means is plain.
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    Some(ToolCall::new(
        text(call, "id").unwrap_or_default(),
        name,
        arguments,
    ))
}

/// The reason is `stop` for answers that call tools, too.
pub(super) fn finish_reason(json: &Value, calls: bool) -> FinishReason {
    match json.get("done_reason").and_then(Value::as_str) {
        None | Some("stop" | "") if calls => FinishReason::ToolCalls,
        None | Some("") => FinishReason::Stop,
        Some(word) => FinishReason::from_word(word),
    }
}

pub(super) fn usage(json: &Value) -> Usage {
    let number = |path| count(json, path).unwrap_or(0);
    Usage::of_request(number("/prompt_eval_count"), number("/eval_count"))
}

/// What goes back with the message.
pub(super) fn kept(thinking: &str) -> Option<Value> {
    (!thinking.is_empty()).then(|| json!({ THINKING: thinking }))
}
