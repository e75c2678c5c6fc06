//! The thoughts of an answer, which go back to Anthropic as they came.
//!
//! A thought is signed together with its place among text and calls. So what is kept of an answer
//! with thoughts is the list of its blocks: thoughts and texts as they are, and a mark for each
//! call, whose id and arguments the message itself has.

use crate::conversation::Message;
use serde_json::{Value, json};

/// Where the blocks of an answer stand in what its provider wants back.
const KEY: &str = "anthropic";

/// What is kept of an answer with these blocks: nothing, unless it has thoughts.
pub(super) fn kept(blocks: &[Value]) -> Option<Value> {
    let kept: Vec<Value> = blocks.iter().filter_map(kept_block).collect();
    let has_thoughts = kept.iter().any(is_thought);
    has_thoughts.then(|| json!({ KEY: kept }))
}

fn kept_block(block: &Value) -> Option<Value> {
    match kind(block) {
        // A thought that was cut off has no signature, and would be refused.
        "thinking" if member(block, "signature").is_empty() => None,
        "thinking" | "redacted_thinking" => Some(block.clone()),
        "text" => Some(json!({"type": "text", "text": member(block, "text")})),
        "tool_use" => Some(json!({"type": "tool_use"})),
        _ => None,
    }
}

/// The blocks that were kept of a message, if they still say what the message says. A history may
/// have been edited, or come from another provider.
pub(super) fn of(message: &Message) -> Option<&[Value]> {
    let blocks = message.provider_data()?.get(KEY)?.as_array()?;
    let texts = blocks.iter().filter(|block| kind(block) == "text");
    let text: String = texts.map(|block| member(block, "text")).collect();
    let calls = blocks.iter().filter(|block| kind(block) == "tool_use");
    let agrees = text == message.content() && calls.count() == message.tool_calls().len();
    agrees.then_some(blocks.as_slice())
}

pub(super) fn kind(block: &Value) -> &str {
    member(block, "type")
}

pub(super) fn is_thought(block: &Value) -> bool {
    matches!(kind(block), "thinking" | "redacted_thinking")
}

pub(super) fn member<'a>(block: &'a Value, key: &str) -> &'a str {
    block.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_kept_for_the_sake_of_thoughts() {
        let text = json!({"type": "text", "text": "Hm.", "citations": null});
        let call = json!({"type": "tool_use", "id": "a", "name": "t", "input": {}});
        let thought = json!({"type": "thinking", "thinking": "?", "signature": "s"});
        let cut_off = json!({"type": "thinking", "thinking": "?", "signature": ""});
        assert_eq!(kept(&[text.clone(), call.clone()]), None);
        assert_eq!(kept(&[cut_off.clone(), text.clone()]), None);
        let blocks = [thought.clone(), text, cut_off, call];
        let expected = json!({"anthropic": [
            thought, {"type": "text", "text": "Hm."}, {"type": "tool_use"},
        ]});
        assert_eq!(kept(&blocks), Some(expected));
    }

    #[test]
    fn blocks_that_no_longer_fit_the_message_are_left_alone() {
        let data = json!({"anthropic": [
            {"type": "thinking", "thinking": "?", "signature": "s"},
            {"type": "text", "text": "Hm."},
        ]});
        let message = |text| Message::assistant(text).with_provider_data(data.clone());
        assert!(of(&message("Hm.")).is_some());
        assert!(of(&message("Hm!")).is_none());
        let other = Message::assistant("Hm.").with_provider_data(json!({"other": []}));
        assert!(of(&other).is_none());
    }
}
