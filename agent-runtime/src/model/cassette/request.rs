//! Requests as JSON: what the model is told, and nothing else.

use crate::conversation::{Exactness, messages_to_json};
use crate::model::{ModelRequest, ToolDefinition};
use serde_json::{Map, Value, json};

/// Settings that the model is not told, so an answer stays good when they change.
const NOT_TOLD: [&str; 4] = ["maxIterations", "toolTimeout", "baseUrl", "fallback"];

pub(super) fn to_json(request: &ModelRequest) -> Value {
    // Each member by name, so that a new one cannot be forgotten.
    let ModelRequest {
        model,
        instruction,
        messages,
        tools,
        settings,
    } = request;
    let mut json = Map::new();
    json.insert("model".into(), model.to_string().into());
    json.insert("instruction".into(), instruction.as_str().into());
    let mut messages = messages_to_json(messages, Exactness::Plain);
    forget_spellings(&mut messages);
    json.insert("messages".into(), messages);
    if !tools.is_empty() {
        json.insert("tools".into(), tools.iter().map(tool).collect());
    }
    if let Value::Object(mut settings) = settings.to_json() {
        settings.retain(|key, _| !NOT_TOLD.contains(&key.as_str()));
        if !settings.is_empty() {
            json.insert("settings".into(), settings.into());
        }
    }
    Value::Object(json)
}

/// How the text of arguments spells its value does not matter, and changes where a secret in it is
/// replaced.
fn forget_spellings(messages: &mut Value) {
    for message in messages.as_array_mut().into_iter().flatten() {
        let calls = message.get_mut("toolCalls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            if let Value::Object(members) = call {
                members.remove("argsText");
            }
        }
    }
}

/// The signature says all that the schema does.
fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "name": tool.name(),
        "description": tool.description(),
        "typeSignature": tool.signature().to_string(),
    })
}
