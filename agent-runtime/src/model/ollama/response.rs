//! Answers of Ollama.

use crate::model::http::Failure;
use crate::model::wire;
use crate::model::wire::{
    Json, Node, arguments_text, count, is_no_call, list, raw_at, raw_items, text, word,
};
use agent_core::conversation::{Part, Thinking, ToolCall};
use agent_core::model::{FinishReason, ModelReply, Usage};
use agent_tool::Error;

/// The problem of an answer without a message.
pub(super) const NO_MESSAGE: &str = "has no message";

/// The problem of an answer with a call without a name.
pub(super) const NAMELESS: &str = "has a tool call without a name";

/// The provider in parts of messages.
pub(super) const PROVIDER: &str = "Ollama";

/// The member of a message with its calls, and the member of a call with its arguments.
const CALLS: &str = "tool_calls";
const ARGUMENTS: &str = "arguments";

/// Parses an answer in one piece.
pub(super) fn parse_reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
    let (json, raw) = parse(body, failure)?;
    let Some(message) = json.get("message").filter(|message| message.is_object()) else {
        return Err(failure.unreadable(NO_MESSAGE, body));
    };
    let Some(tool_calls) = calls(message, raw) else {
        return Err(failure.unreadable(NAMELESS, body));
    };
    let part = |key| text(message, key).filter(|text| !text.is_empty());
    let thinking = part("thinking").map(|text| Part::from(Thinking::new(PROVIDER, text)));
    let said = part("content").map(Part::from);
    let mut reply = ModelReply::default();
    reply.parts = thinking.into_iter().chain(said).collect();
    reply.finish_reason = finish_reason(&json, !tool_calls.is_empty());
    reply.tool_calls = tool_calls;
    reply.usage = usage(&json);
    reply.model = text(&json, "model");
    Ok(reply)
}

/// Parses a JSON text that reports no error, which Ollama may do even with the status 200.
pub(super) fn parse<'t>(
    body: &'t [u8],
    failure: &Failure<'_>,
) -> Result<(Json<'t>, &'t str), Error> {
    let (json, text) = wire::parse(body, failure)?;
    match json.get("error") {
        Some(error) if !error.is_null() => Err(failure.reported(body)),
        _ => Ok((json, text)),
    }
}

/// Parses the calls of a message. Returns `None` if one has no name. `raw` is the text around the message.
pub(super) fn calls(message: &Json<'_>, raw: &str) -> Option<Vec<ToolCall>> {
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
fn call(call: &Json<'_>, raw: Option<&str>) -> ToolCall {
    let function = call.get("function").unwrap_or(&Json::Null);
    let raw = raw.and_then(|call| raw_at(call, &["function", ARGUMENTS]));
    let arguments = arguments_text(function.get(ARGUMENTS), raw);
    ToolCall::new(
        text(call, "id").unwrap_or_default(),
        text(function, "name").unwrap_or_default(),
        arguments.unwrap_or_default(),
    )
}

/// Parses the reason, which is `stop` for answers with calls, too.
pub(super) fn finish_reason(json: &Json<'_>, calls: bool) -> FinishReason {
    match word(json, "done_reason") {
        None | Some("stop") if calls => FinishReason::ToolCalls,
        None => FinishReason::Stop,
        Some(word) => FinishReason::from_word(word),
    }
}

pub(super) fn usage(json: &Json<'_>) -> Usage {
    let number = |path| count(json, path).unwrap_or(0);
    Usage::reported(number(&["prompt_eval_count"]), count(json, &["eval_count"]))
}
