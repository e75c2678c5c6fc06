//! Answers and their parts as JSON.

use crate::conversation::{ReadError, ToolCall, call_from_json, opt_text, text};
use crate::model::{FinishReason, ModelReply, ReplyPart, Usage};
use agent_spec::names::nearly_spells;
use serde_json::{Map, Value, json};

/// The members that an answer may have.
const MEMBERS: [&str; 7] = [
    "content",
    "toolCalls",
    "finishReason",
    "usage",
    "id",
    "model",
    "providerData",
];

pub(super) fn to_json(reply: &ModelReply) -> Value {
    let mut json = Map::new();
    let mut put = |key: &str, value: Value| drop(json.insert(key.to_owned(), value));
    for (key, text) in [
        ("content", &reply.content),
        ("id", &reply.id),
        ("model", &reply.model),
    ] {
        if let Some(text) = text {
            put(key, text.as_str().into());
        }
    }
    if !reply.tool_calls.is_empty() {
        put(
            "toolCalls",
            reply.tool_calls.iter().map(call_to_json).collect(),
        );
    }
    put("finishReason", reply.finish_reason.as_str().into());
    put("usage", reply.usage.to_json());
    if let Some(data) = &reply.provider_data {
        put("providerData", data.clone());
    }
    Value::Object(json)
}

/// Only the text of the arguments, since only that is exactly what the model sent.
fn call_to_json(call: &ToolCall) -> Value {
    json!({"id": call.id(), "tool": call.tool(), "argsText": call.args_text()})
}

pub(super) fn from_json(json: &Value) -> Result<ModelReply, ReadError> {
    check_members(json)?;
    let calls = match json.get("toolCalls") {
        None => Vec::new(),
        Some(Value::Array(calls)) => calls.iter().map(call_from_json).collect::<Result<_, _>>()?,
        Some(_) => return Err(ReadError::new("`toolCalls` is an array")),
    };
    let reason = opt_text(json, "finishReason")?;
    Ok(ModelReply {
        content: opt_text(json, "content")?,
        tool_calls: calls,
        finish_reason: reason
            .map_or_else(FinishReason::default, |word| FinishReason::from_word(&word)),
        usage: Usage::from_json(json.get("usage").unwrap_or(&Value::Null)),
        id: opt_text(json, "id")?,
        model: opt_text(json, "model")?,
        provider_data: json.get("providerData").cloned(),
    })
}

/// People edit these files: a member that is nearly spelled as a known one would be passed over.
fn check_members(json: &Value) -> Result<(), ReadError> {
    let members = json
        .as_object()
        .ok_or_else(|| ReadError::new("`reply` is an object"))?;
    for found in members.keys() {
        if let Some(meant) = MEMBERS.iter().find(|known| nearly_spells(found, known)) {
            return Err(ReadError::new(format!(
                "`{found}` is unknown; did you mean `{meant}`?"
            )));
        }
    }
    Ok(())
}

pub(super) fn part_to_json(part: &ReplyPart) -> Value {
    match part {
        ReplyPart::Text(text) => json!({"text": text}),
        ReplyPart::Thought(text) => json!({"thought": text}),
        ReplyPart::Call { index, tool } => json!({"call": index, "tool": tool}),
        ReplyPart::Arguments { index, text } => json!({"call": index, "arguments": text}),
    }
}

pub(super) fn part_from_json(json: &Value) -> Result<ReplyPart, ReadError> {
    if let Some(text) = opt_text(json, "text")? {
        return Ok(ReplyPart::Text(text));
    }
    if let Some(text) = opt_text(json, "thought")? {
        return Ok(ReplyPart::Thought(text));
    }
    let index = json.get("call").and_then(Value::as_u64);
    let index = index.and_then(|index| usize::try_from(index).ok());
    let index = index.ok_or_else(|| {
        ReadError::new("a part has `text`, `thought`, or the number of a `call` from 0")
    })?;
    match opt_text(json, "arguments")? {
        Some(piece) => Ok(ReplyPart::arguments(index, piece)),
        None => Ok(ReplyPart::call(index, text(json, "tool")?)),
    }
}
