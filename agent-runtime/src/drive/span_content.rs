//! What users, models and tools say, in the form that the conventions give it.

use crate::conversation::{Message, Role, ToolCall};
use crate::model::{ModelReply, ModelRequest};
use crate::tool_error::shortened;
use crate::trace::Mask;
use serde_json::{Map, Value, json};

/// How much of one text is written, in bytes.
const MOST_OF_A_TEXT: usize = 65_536;

/// A text for a trace. It is masked before it is cut: what is left of a key would not be known.
pub(super) fn text(text: &str, mask: Mask<'_>) -> String {
    shortened(&mask(text), MOST_OF_A_TEXT)
}

pub(super) fn instructions(request: &ModelRequest, mask: Mask<'_>) -> String {
    json!([text_part(&request.instruction, mask)]).to_string()
}

/// The tools that the model may call, if there are any.
pub(super) fn tools(request: &ModelRequest, mask: Mask<'_>) -> Option<String> {
    let tools = request.tools.iter().map(|tool| {
        json!({
            "type": "function",
            "name": tool.name(),
            "description": text(tool.description(), mask),
            "parameters": object(&tool.schema().to_value().to_string(), mask),
        })
    });
    let tools: Vec<Value> = tools.collect();
    (!tools.is_empty()).then(|| Value::from(tools).to_string())
}

pub(super) fn input(request: &ModelRequest, mask: Mask<'_>) -> String {
    let messages = request.messages.iter();
    let messages: Value = messages.map(|message| said(message, mask)).collect();
    messages.to_string()
}

pub(super) fn output(reply: &ModelReply, mask: Mask<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(content) = &reply.content {
        parts.push(text_part(content, mask));
    }
    parts.extend(reply.tool_calls.iter().map(|call| call_part(call, mask)));
    let reason = reply.finish_reason.as_str();
    json!([{"role": "assistant", "parts": parts, "finish_reason": reason}]).to_string()
}

fn said(message: &Message, mask: Mask<'_>) -> Value {
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
            "response": text(message.content(), mask),
        }));
    } else if !message.content().is_empty() {
        parts.push(text_part(message.content(), mask));
    }
    let calls = message.tool_calls().iter();
    parts.extend(calls.map(|call| call_part(call, mask)));
    json!({"role": role, "parts": parts})
}

fn text_part(content: &str, mask: Mask<'_>) -> Value {
    json!({"type": "text", "content": text(content, mask)})
}

fn call_part(call: &ToolCall, mask: Mask<'_>) -> Value {
    let mut part = Map::new();
    part.insert("type".into(), "tool_call".into());
    part.insert("id".into(), call.id().into());
    part.insert("name".into(), call.tool().into());
    part.insert("arguments".into(), object(call.args_text(), mask));
    Value::Object(part)
}

/// An object from its text. What is none, or was cut, is shown as the text that it is.
fn object(json: &str, mask: Mask<'_>) -> Value {
    let json = text(json, mask);
    match serde_json::from_str::<Value>(&json) {
        Ok(read) if read.is_object() => read,
        _ => Value::String(json),
    }
}
