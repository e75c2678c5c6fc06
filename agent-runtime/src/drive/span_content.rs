//! What users, models and tools say, in the form that the conventions give it.

use crate::conversation::{Message, Role, ToolCall};
use crate::model::{ModelReply, ModelRequest};
use crate::redact::Redactor;
use crate::tool_error::shortened;
use serde_json::{Map, Value, json};

/// The maximum length of a text in a trace, in bytes.
const MAX_TEXT: usize = 65_536;

/// Prepares a text for a trace. It is redacted before it is cut, because a part of a key is not recognised.
pub(super) fn text(text: &str, redactor: &Redactor) -> String {
    shortened(&redactor.text(text), MAX_TEXT)
}

pub(super) fn instructions(request: &ModelRequest, redactor: &Redactor) -> String {
    json!([text_part(&request.instruction, redactor)]).to_string()
}

/// The tools that the model may call, if there are any.
pub(super) fn tools(request: &ModelRequest, redactor: &Redactor) -> Option<String> {
    let tools = request.tools.iter().map(|tool| {
        json!({
            "type": "function",
            "name": tool.name(),
            "description": text(tool.description(), redactor),
            "parameters": object(&tool.schema().to_value().to_string(), redactor),
        })
    });
    let tools: Vec<Value> = tools.collect();
    (!tools.is_empty()).then(|| Value::from(tools).to_string())
}

pub(super) fn input(request: &ModelRequest, redactor: &Redactor) -> String {
    let messages = request.messages.iter();
    let messages: Value = messages.map(|message| said(message, redactor)).collect();
    messages.to_string()
}

pub(super) fn output(reply: &ModelReply, redactor: &Redactor) -> String {
    let mut parts = Vec::new();
    if let Some(content) = &reply.content {
        parts.push(text_part(content, redactor));
    }
    parts.extend(
        reply
            .tool_calls
            .iter()
            .map(|call| call_part(call, redactor)),
    );
    let reason = reply.finish_reason.as_str();
    json!([{"role": "assistant", "parts": parts, "finish_reason": reason}]).to_string()
}

fn said(message: &Message, redactor: &Redactor) -> Value {
    let role = match message.role() {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Function => "tool",
    };
    let mut parts = Vec::new();
    if message.role() == Role::Function {
        parts.push(json!({
            "type": "tool_call_response",
            "id": message.call_id(),
            "response": text(message.content(), redactor),
        }));
    } else if !message.content().is_empty() {
        parts.push(text_part(message.content(), redactor));
    }
    let calls = message.tool_calls().iter();
    parts.extend(calls.map(|call| call_part(call, redactor)));
    json!({"role": role, "parts": parts})
}

fn text_part(content: &str, redactor: &Redactor) -> Value {
    json!({"type": "text", "content": text(content, redactor)})
}

fn call_part(call: &ToolCall, redactor: &Redactor) -> Value {
    let mut part = Map::new();
    part.insert("type".into(), "tool_call".into());
    part.insert("id".into(), call.id().into());
    part.insert("name".into(), call.tool().into());
    part.insert("arguments".into(), object(call.args_text(), redactor));
    Value::Object(part)
}

/// An object from its text. What is none, or was cut, is shown as the text that it is.
fn object(json: &str, redactor: &Redactor) -> Value {
    let json = text(json, redactor);
    match serde_json::from_str::<Value>(&json) {
        Ok(read) if read.is_object() => read,
        _ => Value::String(json),
    }
}
