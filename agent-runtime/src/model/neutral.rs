//! The neutral form of a request: what a model gets, without the wire format of its provider, keys and addresses.

use super::{ModelRequest, ToolDefinition};
use crate::conversation::{Exactness, messages_to_json};
use crate::media::MediaForm;
use serde_json::{Map, Value, json};

/// The settings that do not change a model's answer, so that a recorded answer stays valid without them.
const IGNORED_SETTINGS: [&str; 6] = [
    "cache",
    "maxIterations",
    "maxDepth",
    "toolTimeout",
    "baseUrl",
    "fallback",
];

/// Returns a request as JSON.
pub(crate) fn request_to_json(request: &ModelRequest) -> Value {
    // Destructured, so that a new member is not forgotten.
    let ModelRequest {
        model,
        agent: _,
        instruction,
        messages,
        tools,
        settings,
        // It does not change an answer.
        conversation_id: _,
        // It is that of a tool.
        answer_schema: _,
        #[cfg(feature = "http")]
            permissions: _,
    } = request;
    let mut json = Map::new();
    json.insert("model".into(), model.to_string().into());
    json.insert("instruction".into(), instruction.as_str().into());
    let mut messages = messages_to_json(messages, Exactness::Plain, MediaForm::Digest);
    remove_argument_texts(&mut messages);
    json.insert("messages".into(), messages);
    if !tools.is_empty() {
        json.insert("tools".into(), tools.iter().map(tool).collect());
    }
    if let Value::Object(mut settings) = settings.to_json() {
        settings.retain(|key, _| !IGNORED_SETTINGS.contains(&key.as_str()));
        if !settings.is_empty() {
            json.insert("settings".into(), settings.into());
        }
    }
    Value::Object(json)
}

/// Removes the text of arguments beside their value. It may differ between equal requests, and where a secret
/// in it is replaced.
fn remove_argument_texts(messages: &mut Value) {
    for message in messages.as_array_mut().into_iter().flatten() {
        let calls = message.get_mut("toolCalls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            if let Value::Object(members) = call {
                members.remove("argsText");
            }
        }
    }
}

/// Writes a tool with its signature, which determines its schema, apart from the parts of the tool's own schema
/// in the place of `Any`.
fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "name": tool.name(),
        "description": tool.description(),
        "typeSignature": tool.signature().to_string(),
    })
}
