//! Cuts large texts that the engine could not keep, so that the work that was done is not lost.

use serde_json::{Value, json};

/// The number of bytes from which a text is cut.
const LARGE: usize = 16 * 1024;

/// The number of characters of a cut text that are kept.
const STAYS: usize = 1_000;

/// Cuts the large texts of a list of messages. Large media are replaced by a text. Large parts of a provider
/// are left out, because they would be worth nothing if they were cut.
pub(crate) fn cut_messages(messages: &mut Value) {
    match messages {
        Value::String(text) => cut_text(text),
        Value::Array(items) => {
            items.retain(|item| {
                !matches!(item["type"].as_str(), Some("provider" | "thinking"))
                    || item.to_string().len() < LARGE
            });
            items.iter_mut().for_each(cut_messages);
        }
        Value::Object(members) => {
            let bytes = members
                .get("data")
                .and_then(Value::as_str)
                .map_or(0, str::len);
            match members.get("mediaType").and_then(Value::as_str) {
                Some(kind) if bytes >= LARGE => {
                    let text = format!("[{kind} of {} KB was left out]", bytes / 1_000);
                    *messages = json!({"type": "text", "text": text});
                }
                _ => members.values_mut().for_each(cut_messages),
            }
        }
        _ => {}
    }
}

/// Cuts the arguments and results of the calls of a response.
pub(crate) fn cut_calls(response: &mut Value) {
    let calls = response["toolsUsed"].as_array_mut();
    for call in calls.into_iter().flatten() {
        for member in ["args", "result", "error"] {
            let Some(value) = call.get_mut(member) else {
                continue;
            };
            match value {
                Value::String(text) => cut_text(text),
                value => {
                    let mut text = value.to_string();
                    if text.len() >= LARGE {
                        cut_text(&mut text);
                        *value = text.into();
                    }
                }
            }
        }
    }
}

fn cut_text(text: &mut String) {
    if text.len() < LARGE {
        return;
    }
    let end = text
        .char_indices()
        .nth(STAYS)
        .map_or(text.len(), |(at, _)| at);
    let left_out = (text.len() - end) / 1_000;
    text.truncate(end);
    text.push_str(&format!("… [{left_out} KB were left out]"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::Conversation;

    #[test]
    fn messages_that_were_cut_are_small_and_can_be_read() {
        let large = "é\"".repeat(1 << 20);
        let mut messages = json!([
            {"role": "user", "content": [
                {"type": "text", "text": large},
                {"type": "image", "mediaType": "image/png", "data": "iVBORw0KGgo=".repeat(100_000)},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "text": large, "provider": "OpenAI"},
                {"type": "text", "text": "I look."},
            ], "toolCalls": [{"id": "c", "tool": "look", "args": {"a": large}, "argsText": large}]},
            {"role": "function", "name": "look", "callId": "c", "content": large},
        ]);
        cut_messages(&mut messages);
        assert!(
            messages.to_string().len() < 20_000,
            "{}",
            messages.to_string().len()
        );
        assert!(
            messages
                .to_string()
                .contains("[image/png of 1200 KB was left out]")
        );
        let read = Conversation::from_json(&messages).expect("messages");
        assert_eq!(read.messages().len(), 3);
    }

    #[test]
    fn calls_that_were_cut_keep_their_tools() {
        let mut response = json!({"content": "Done.", "toolsUsed": [
            {"tool": "pay", "args": {"amount": 5}, "result": "paid", "attempt": 1},
            {"tool": "look", "args": {}, "result": vec![7; 100_000], "attempt": 1},
        ]});
        cut_calls(&mut response);
        assert_eq!(response["toolsUsed"][0]["result"], "paid");
        assert_eq!(response["toolsUsed"][1]["tool"], "look");
        assert!(response.to_string().len() < 3_000);
    }
}
