//! The messages of a conversation as a client of the AI SDK has them.

use super::stream::{data_url, readable};
use agent_runtime::conversation::{Message, Part, Role, ToolCall};
use serde_json::{Value, json};

/// Returns messages as `UIMessage`s. The answers between two messages of the user are one `UIMessage`, with a
/// step for each answer of the model. The ids of the messages are their numbers.
pub(super) fn ui_messages(messages: &[Message]) -> Value {
    let mut all: Vec<Value> = Vec::new();
    let mut begin = |role: &str| {
        let id = format!("message-{}", all.len());
        all.push(json!({"id": id, "role": role, "parts": []}));
        all.len() - 1
    };
    let mut shown: Vec<(usize, Value)> = Vec::new();
    let mut answer = None;
    for message in messages {
        match message.role() {
            Role::User if !message.is_steering() => {
                let at = begin("user");
                answer = None;
                shown.extend(
                    message
                        .parts()
                        .iter()
                        .filter_map(part)
                        .map(|part| (at, part)),
                );
            }
            Role::User => {}
            Role::Assistant => {
                let at = *answer.get_or_insert_with(|| begin("assistant"));
                shown.push((at, json!({"type": "step-start"})));
                shown.extend(
                    message
                        .parts()
                        .iter()
                        .filter_map(part)
                        .map(|part| (at, part)),
                );
                for call in message.tool_calls() {
                    shown.push((at, call_part(messages, call)));
                }
            }
            _ => {}
        }
    }
    for (at, part) in shown {
        if let Some(parts) = all[at]["parts"].as_array_mut() {
            parts.push(part);
        }
    }
    all.into()
}

fn part(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) => Some(json!({"type": "text", "text": text, "state": "done"})),
        Part::Thinking(thinking) if !thinking.text().is_empty() => {
            Some(json!({"type": "reasoning", "text": thinking.text(), "state": "done"}))
        }
        part => {
            let media = part.media()?;
            let media_type = media.media_type().unwrap_or("application/octet-stream");
            let url = match (media.url(), media.bytes()) {
                (Some(url), _) => url.to_owned(),
                (None, Some(bytes)) => data_url(media_type, bytes),
                (None, None) => return None,
            };
            Some(json!({"type": "file", "mediaType": media_type, "url": url}))
        }
    }
}

/// A call with its result. Ids are unique in a conversation.
fn call_part(messages: &[Message], call: &ToolCall) -> Value {
    let result = messages
        .iter()
        .find(|message| message.call_id() == Some(call.id()));
    let mut part = json!({
        "type": format!("tool-{}", call.tool()),
        "toolCallId": call.id(),
        "input": readable(&call.args()),
        "state": "input-available",
    });
    if let Some(result) = result {
        if result.is_error() {
            part["state"] = "output-error".into();
            part["errorText"] = result.content().into();
        } else {
            part["state"] = "output-available".into();
            let text = result.content();
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
            part["output"] = readable(&value);
        }
    }
    part
}
