//! Answers of Ollama.

use crate::model::http::Failure;
use crate::model::wire::{
    self, arguments_text, count, has_error, is_no_call, list, member, raw_at, raw_items, word,
};
use agent_core::conversation::ToolCall;
use agent_core::model::{FinishReason, Usage};
use agent_tool::Error;
use serde_json::Value;

/// The problem of an answer without a message.
pub(super) const NO_MESSAGE: &str = "has no message";

/// The problem of an answer with a call without a name.
pub(super) const NAMELESS: &str = "has a tool call without a name";

/// The provider in parts of messages.
pub(super) const PROVIDER: &str = "Ollama";

/// The member of a message with its calls, and the member of a call with its arguments.
const CALLS: &str = "tool_calls";
const ARGUMENTS: &str = "arguments";

/// Parses a JSON text, unless it reports an error. Ollama may report an error even with the status 200.
pub(super) fn parse<'t>(body: &'t [u8], failure: &Failure<'_>) -> Result<(Value, &'t str), Error> {
    let (json, text) = wire::parse(body, failure)?;
    match has_error(&json) {
        true => Err(failure.reported(body)),
        false => Ok((json, text)),
    }
}

/// Parses the calls of a message. Returns `None` if a call has no name. `raw` is the text around the message.
pub(super) fn calls(message: &Value, raw: &str) -> Option<Vec<ToolCall>> {
    let calls = list(message, CALLS);
    if calls.is_empty() {
        return Some(Vec::new());
    }
    let raw = raw_at(raw, &["message", CALLS]).map(raw_items);
    let raw = raw.unwrap_or_default();
    let mut parsed = Vec::with_capacity(calls.len());
    for (at, json) in calls.iter().enumerate() {
        let call = call(json, raw.get(at).copied());
        if is_no_call(call.id(), call.tool(), call.args_text()) {
            continue;
        }
        if call.tool().is_empty() {
            return None;
        }
        parsed.push(call);
    }
    Some(parsed)
}

/// Parses a call. Older servers send no id.
fn call(call: &Value, raw: Option<&str>) -> ToolCall {
    let function = &call["function"];
    let raw = raw.and_then(|call| raw_at(call, &["function", ARGUMENTS]));
    let arguments = arguments_text(&function[ARGUMENTS], raw).unwrap_or_default();
    ToolCall::new(member(call, "id"), member(function, "name"), arguments)
}

/// Parses the reason, which is `stop` for answers with calls, too.
pub(super) fn finish_reason(json: &Value, calls: bool) -> FinishReason {
    match word(json, "done_reason") {
        None | Some("stop") if calls => FinishReason::ToolCalls,
        None => FinishReason::Stop,
        Some(word) => FinishReason::from_word(word),
    }
}

pub(super) fn usage(json: &Value) -> Usage {
    let written = json["eval_count"].as_u64();
    Usage::reported(count(json, &["prompt_eval_count"]), written)
}
