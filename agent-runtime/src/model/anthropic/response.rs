//! Answers in Anthropic's form.

use crate::conversation::{Message, ToolCall};
use crate::error::Error;
use crate::model::http::Failure;
use crate::model::wire::{arguments_text, count, list, parse, raw_at, raw_items, text};
use crate::model::{FinishReason, ModelReply, Usage};
use serde_json::{Value, json};

/// Why an answer with such a call cannot be read.
pub(super) const NAMELESS: &str = "has a tool call without a name";

/// Where a call has its arguments.
const INPUT: &str = "input";

/// The answer that a body holds.
pub(super) fn reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
    let (json, raw) = parse(body, failure)?;
    if is_error(&json) {
        return Err(failure.reported(body));
    }
    let Some(Value::Array(content)) = json.get("content") else {
        return Err(failure.unreadable("has no content", body));
    };
    let mut reply = ModelReply {
        usage: usage(json.get("usage")),
        id: text(&json, "id"),
        model: text(&json, "model"),
        provider_data: kept(list(&json, "content")),
        ..ModelReply::default()
    };
    let raw = match content.iter().any(|block| kind(block) == "tool_use") {
        true => raw_at(raw, &["content"]).map(raw_items).unwrap_or_default(),
        false => Vec::new(),
    };
    let mut said = String::new();
    for (at, block) in content.iter().enumerate() {
        match kind(block) {
            "text" => said.push_str(member(block, "text")),
            "tool_use" => match call(block, raw.get(at).copied()) {
                Some(call) => reply.tool_calls.push(call),
                None => return Err(failure.unreadable(NAMELESS, body)),
            },
            _ => {}
        }
    }
    if said.is_empty() && reply.tool_calls.is_empty() {
        said = explanation(&json).unwrap_or_default();
    }
    reply.content = Some(said).filter(|text| !text.is_empty());
    let reason = json.get("stop_reason").and_then(Value::as_str);
    reply.finish_reason = finish_reason(reason, !reply.tool_calls.is_empty());
    Ok(reply)
}

/// Whether this tells of an error. Some servers do so with a status of success.
pub(super) fn is_error(json: &Value) -> bool {
    json.get("type").and_then(Value::as_str) == Some("error")
        || json.get("error").is_some_and(|error| !error.is_null())
}

fn call(block: &Value, raw: Option<&str>) -> Option<ToolCall> {
    let name = member(block, "name");
    let call = || ToolCall::new(member(block, "id"), name, input(block, raw));
    (!name.is_empty()).then(call)
}

/// Why there is no answer, in Anthropic's words. A refusal stops the model, often before it has said
/// anything.
pub(super) fn explanation(json: &Value) -> Option<String> {
    text(json.get("stop_details")?, "explanation")
}

/// The arguments of a call, as a text. `raw` is the text of its block.
pub(super) fn input(block: &Value, raw: Option<&str>) -> String {
    let raw = raw.and_then(|block| raw_at(block, &[INPUT]));
    arguments_text(block.get(INPUT), raw).unwrap_or_else(|| "{}".to_owned())
}

pub(super) fn finish_reason(word: Option<&str>, calls: bool) -> FinishReason {
    match word {
        Some("tool_use") => FinishReason::ToolCalls,
        Some("end_turn" | "stop_sequence") => FinishReason::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("refusal") => FinishReason::ContentFilter,
        Some(other) => FinishReason::from_word(other),
        None if calls => FinishReason::ToolCalls,
        None => FinishReason::Stop,
    }
}

/// What a request cost. Anthropic counts what comes from its cache, and what goes into it, beside
/// the input; here the input is all that was sent.
pub(super) fn usage(json: Option<&Value>) -> Usage {
    let number = |path| json.and_then(|json| count(json, path)).unwrap_or(0);
    let cached = number("/cache_read_input_tokens");
    let written = number("/cache_creation_input_tokens");
    let input = number("/input_tokens")
        .saturating_add(cached)
        .saturating_add(written);
    let mut usage = Usage::as_told(input, json.and_then(|json| count(json, "/output_tokens")));
    usage.cached_tokens = cached;
    usage.reasoning_tokens = number("/output_tokens_details/thinking_tokens");
    usage
}

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
