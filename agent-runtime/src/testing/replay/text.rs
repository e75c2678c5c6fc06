//! The text of a request, for people.

use agent_spec::terminal;
use serde_json::Value;
use std::fmt::Write as _;

/// Writes a request. Its own texts are indented, so that no line of a text looks like a heading.
pub(super) fn request_text(json: &Value) -> String {
    let mut text = format!("model: {}\n", string(json, "model"));
    section(&mut text, "settings", &settings_text(&json["settings"]));
    section(&mut text, "instruction", string(json, "instruction"));
    for tool in items(json, "tools").chain(items(json, "deferredTools")) {
        let heading = format!("tool {}", name(tool, "name"));
        section(&mut text, &heading, &tool_text(tool));
    }
    for message in items(json, "messages") {
        let heading = match message.get("name") {
            Some(_) => format!("{} {}", name(message, "role"), name(message, "name")),
            None => name(message, "role"),
        };
        section(&mut text, &heading, &message_text(message));
    }
    text
}

/// Writes settings, one a line.
pub(super) fn settings_text(settings: &Value) -> String {
    let members = settings.as_object().into_iter().flatten();
    let lines: Vec<String> = members
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    lines.join("\n")
}

/// Writes the type and the description of a tool.
pub(super) fn tool_text(tool: &Value) -> String {
    let (signature, description) = (string(tool, "typeSignature"), string(tool, "description"));
    format!("{signature}\n{description}")
}

/// Writes the content of a message, and its calls.
pub(super) fn message_text(message: &Value) -> String {
    let mut lines = Vec::new();
    if let Some(id) = message["callId"].as_str() {
        lines.push(format!("of {}", terminal::line(id, usize::MAX)));
    }
    if message["isError"] == true {
        lines.push("error".to_owned());
    }
    match &message["content"] {
        Value::String(text) => lines.push(text.clone()),
        content => {
            let parts = content.as_array().into_iter().flatten();
            lines.extend(parts.map(|part| match part["text"].as_str() {
                Some(text) if part["type"] == "text" => text.to_owned(),
                _ => part.to_string(),
            }));
        }
    }
    for call in items(message, "toolCalls") {
        let (id, tool) = (name(call, "id"), name(call, "tool"));
        lines.push(format!("call {id}: {tool} {}", call["args"]));
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

fn section(text: &mut String, heading: &str, content: &str) {
    if content.is_empty() {
        return;
    }
    let _ = writeln!(text, "{heading}:");
    // Not `lines`, because a line end that was added or removed is a difference.
    for line in content.split('\n') {
        let indent = if line.is_empty() { "" } else { "  " };
        let _ = writeln!(text, "{indent}{line}");
    }
}

fn items<'j>(json: &'j Value, key: &str) -> impl Iterator<Item = &'j Value> {
    json.get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn string<'j>(json: &'j Value, key: &str) -> &'j str {
    json.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn name(json: &Value, key: &str) -> String {
    terminal::line(string(json, key), usize::MAX)
}
