//! Thinking blocks that are valid only behind the prefix for which they were written: the system text, the tools and all
//! earlier messages, without the marks of the cache and without thinking blocks.

use crate::vendors::facts::Anthropic;
use crate::vendors::refused::{Refused, items, refuse_if, text};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Returns the signature of a thought in the answer to a request.
pub(super) fn signature(model: &Anthropic, body: &Value) -> String {
    let messages = items(body, "messages");
    let prefix = if model.is_bound {
        prefix(body, messages)
    } else {
        0
    };
    format!("signed/{}/{prefix:016x}", model.id)
}

/// Returns the model and the prefix of a signature.
fn read(signature: &str) -> Option<(&str, u64)> {
    let (model, prefix) = signature.strip_prefix("signed/")?.split_once('/')?;
    Some((model, u64::from_str_radix(prefix, 16).ok()?))
}

/// Returns a hash of the history up to an answer, by which it is known again if its thoughts are missing.
pub(super) fn history(model: &Anthropic, body: &Value, content: &[Value]) -> u64 {
    let answer = json!({"role": "assistant", "content": content});
    let messages = items(body, "messages").iter();
    let messages: Vec<Value> = messages.cloned().chain([answer]).collect();
    hash(&[json!(model.id), canonical_messages(&messages)])
}

/// The beta that a request needs to choose what happens to a thought behind another prefix.
const BETA: &str = "thinking-binding-controls-2026-08-01";

/// Checks that a request with a choice about bound thoughts names the beta.
pub(super) fn check_beta(body: &Value, betas: &str) -> Result<(), Refused> {
    let chooses = body.pointer("/thinking/block_binding").is_some();
    refuse_if(chooses && !betas.contains(BETA), || {
        "thinking.adaptive.block_binding: Extra inputs are not permitted".to_owned()
    })
}

/// Checks the thoughts of a request. The thoughts of another model are ignored.
pub(super) fn check(
    model: &Anthropic,
    body: &Value,
    thought: &HashSet<u64>,
) -> Result<(), Refused> {
    let behavior = body.pointer("/thinking/block_binding/prefix_mismatch_behavior");
    if behavior == Some(&json!("drop_block")) {
        return Ok(());
    }
    let messages = items(body, "messages");
    let mut has_thought = false;
    for (at, message) in messages.iter().enumerate() {
        if text(message, "role") != Some("assistant") {
            continue;
        }
        let mut own_thoughts = items(message, "content")
            .iter()
            .enumerate()
            .filter(|(_, block)| text(block, "type") == Some("thinking"))
            .filter_map(|(place, block)| Some((place, read(text(block, "signature")?)?)))
            .filter(|(_, (writer, _))| *writer == model.id)
            .peekable();
        if own_thoughts.peek().is_none() {
            let known = hash(&[json!(model.id), canonical_messages(&messages[..=at])]);
            refuse_if(has_thought && thought.contains(&known), || {
                format!(
                    "messages.{at}.content: Thinking may be removed from the start of the history, not from the middle."
                )
            })?;
            continue;
        }
        let own_prefix = prefix(body, &messages[..at]);
        for (place, (_, bound)) in own_thoughts {
            refuse_if(bound != own_prefix, || {
                format!(
                    "messages.{at}.content.{place}: Invalid `signature` in `thinking` block. The block is bound to a \
                     different conversation. Remove the block, or set \
                     `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
                )
            })?;
        }
        has_thought = true;
    }
    Ok(())
}

fn prefix(body: &Value, messages: &[Value]) -> u64 {
    let member = |key: &str| body.get(key).cloned().unwrap_or(Value::Null);
    let system = canonical_content(&member("system"));
    let tools = canonical(&member("tools"));
    hash(&[system, tools, canonical_messages(messages)])
}

fn hash(values: &[Value]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for value in values {
        value.to_string().hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns the messages with neighbours of one role as one message.
fn canonical_messages(messages: &[Value]) -> Value {
    let mut merged: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let role = text(message, "role").unwrap_or_default();
        let content = canonical_content(&message["content"]);
        let blocks = content.as_array().cloned().unwrap_or_default();
        match merged.last_mut() {
            Some((last, held)) if *last == role => held.extend(blocks),
            _ => merged.push((role, blocks)),
        }
    }
    json!(merged)
}

/// Returns a content as blocks, without thoughts.
fn canonical_content(content: &Value) -> Value {
    let blocks = match content {
        Value::String(words) => vec![json!({"type": "text", "text": words})],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    };
    let is_thought =
        |block: &Value| matches!(text(block, "type"), Some("thinking" | "redacted_thinking"));
    let blocks = blocks.iter().filter(|block| !is_thought(block));
    Value::Array(blocks.map(canonical).collect())
}

/// Returns a value with sorted members and without the marks of the cache.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        Value::Object(members) => {
            let mut keys: Vec<&String> = members
                .keys()
                .filter(|key| *key != "cache_control")
                .collect();
            keys.sort();
            let sorted = keys.into_iter();
            let sorted: Map<String, Value> = sorted
                .map(|key| (key.clone(), canonical(&members[key])))
                .collect();
            Value::Object(sorted)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vendors::facts::ANTHROPIC;

    fn answered(body: &Value, words: &str) -> Value {
        let signature = signature(&ANTHROPIC[0], body);
        json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": signature},
            {"type": "text", "text": words},
        ]})
    }

    /// Three turns, and the histories up to the first two answers.
    fn three_turns() -> (Value, HashSet<u64>) {
        let model = &ANTHROPIC[0];
        let mut body = json!({
            "model": model.id, "system": "Greet.", "tools": [{"name": "sayHello"}], "messages": [],
        });
        let mut thought = HashSet::new();
        for number in 0..3 {
            let words = json!({"role": "user", "content": format!("Turn {number}")});
            let messages = body["messages"].as_array_mut().expect("a list");
            messages.push(words);
            if number < 2 {
                let answer = answered(&body, "Hello!");
                thought.insert(history(model, &body, items(&answer, "content")));
                let messages = body["messages"].as_array_mut().expect("a list");
                messages.push(answer);
            }
        }
        (body, thought)
    }

    fn refused(change: impl FnOnce(&mut Value)) -> Option<String> {
        let (mut body, thought) = three_turns();
        change(&mut body);
        let checked = check(&ANTHROPIC[0], &body, &thought);
        checked.err().map(|refused| refused.message)
    }

    fn remove_thought(body: &mut Value, at: usize) {
        let content = body["messages"][at]["content"].as_array_mut();
        content.expect("blocks").remove(0);
    }

    #[test]
    fn drops_blocks_on_request_with_the_beta() {
        let drop = |body: &mut Value| {
            body["system"] = json!("Greet politely.");
            body["thinking"] = json!({
                "type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"},
            });
        };
        assert_eq!(refused(drop), None);
        let (mut body, _) = three_turns();
        drop(&mut body);
        assert!(check_beta(&body, "").is_err());
        assert!(check_beta(&body, BETA).is_ok());
    }

    #[test]
    fn accepts_the_same_prefix() {
        assert_eq!(refused(|_| {}), None);
        let marked = refused(|body| {
            body["system"] =
                json!([{"type": "text", "text": "Greet.", "cache_control": {"type": "ephemeral"}}]);
            body["tools"][0]["cache_control"] = json!({"type": "ephemeral"});
        });
        assert_eq!(marked, None);
    }

    #[test]
    fn rejects_a_changed_prefix() {
        let changes: [fn(&mut Value); 4] = [
            |body| body["system"] = json!("Greet politely."),
            |body| body["tools"] = json!([]),
            |body| body["messages"][0]["content"] = json!("Turn 1"),
            |body| {
                let messages = body["messages"].as_array_mut().expect("a list");
                messages.drain(..2);
            },
        ];
        for change in changes {
            let text = refused(change).expect("a refusal");
            assert!(text.contains("bound to a different conversation"), "{text}");
        }
    }

    #[test]
    fn thoughts_may_be_removed_from_the_start_alone() {
        assert_eq!(refused(|body| remove_thought(body, 1)), None);
        let text = refused(|body| remove_thought(body, 3)).expect("a refusal");
        assert!(
            text.starts_with("messages.3.content: Thinking may be removed"),
            "{text}"
        );
        let none_left = refused(|body| {
            remove_thought(body, 1);
            remove_thought(body, 3);
        });
        assert_eq!(none_left, None);
    }
}
