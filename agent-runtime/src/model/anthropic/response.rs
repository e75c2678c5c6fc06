//! Answers of Anthropic, and the blocks of an answer that the next request must repeat.
//!
//! The signature of a thought covers its position among texts and calls. So an answer with thoughts keeps the
//! list of its blocks: thoughts and texts as they are, and a mark for each call, whose id and arguments are
//! in the message.

use crate::conversation::{Message, ToolCall};
use crate::error::Error;
use crate::model::http::Failure;
use crate::model::wire::{
    arguments_text, count, is_no_call, list, parse, raw_at, raw_items, text, word,
};
use crate::model::{FinishReason, ModelReply, Usage};
use serde_json::{Value, json};

/// The problem of an answer with a call without a name.
const NAMELESS: &str = "has a tool call without a name";

/// The reason of an answer that waits for a tool of the server.
const PAUSED: &str = "pause_turn";

/// The member of a call with its arguments.
const INPUT: &str = "input";

/// Parses an answer in one piece.
pub(super) fn parse_reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
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
        provider_data: signed_blocks(list(&json, "content")),
        ..ModelReply::default()
    };
    let raw = match content.iter().any(|block| kind(block) == "tool_use") {
        true => raw_at(raw, &["content"]).map(raw_items).unwrap_or_default(),
        false => Vec::new(),
    };
    let mut answer = String::new();
    for (at, block) in content.iter().enumerate() {
        match kind(block) {
            "text" => answer.push_str(member(block, "text")),
            "tool_use" => {
                let (id, name) = (member(block, "id"), member(block, "name"));
                let input = input(block, raw.get(at).copied());
                if is_no_call(id, name, &input) {
                    continue;
                }
                if name.is_empty() {
                    return Err(failure.unreadable(NAMELESS, body));
                }
                reply.tool_calls.push(ToolCall::new(id, name, input));
            }
            _ => {}
        }
    }
    if answer.is_empty() && reply.tool_calls.is_empty() {
        answer = explanation(&json).unwrap_or_default();
    }
    reply.content = Some(answer).filter(|text| !text.is_empty());
    let reason = word(&json, "stop_reason");
    check_reason(reason, failure)?;
    reply.finish_reason = finish_reason(reason, !reply.tool_calls.is_empty());
    Ok(reply)
}

/// Whether an answer or an event reports an error, which some servers do with a success status.
pub(super) fn is_error(json: &Value) -> bool {
    json.get("type").and_then(Value::as_str) == Some("error")
        || json.get("error").is_some_and(|error| !error.is_null())
}

/// Returns the reason of a refusal, which often ends an answer before its first text.
pub(super) fn explanation(json: &Value) -> Option<String> {
    text(json.get("stop_details")?, "explanation")
}

/// Returns the arguments of a call. `raw` is the text of its block.
pub(super) fn input(block: &Value, raw: Option<&str>) -> String {
    let raw = raw.and_then(|block| raw_at(block, &[INPUT]));
    arguments_text(block.get(INPUT), raw).unwrap_or_else(|| "{}".to_owned())
}

/// Rejects an answer that the server interrupted.
pub(super) fn check_reason(word: Option<&str>, failure: &Failure<'_>) -> Result<(), Error> {
    match word {
        Some(PAUSED) => Err(failure.paused(PAUSED)),
        _ => Ok(()),
    }
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

/// Returns the usage of a request. Anthropic counts cached tokens beside the input tokens; in [`Usage`] they
/// are part of the input.
///
/// A request in which the server compacted the conversation, or ran tools of its own, consists of several
/// iterations. Their sum is what was used; the numbers beside them leave the compactions out.
pub(super) fn usage(json: Option<&Value>) -> Usage {
    let Some(json) = json else {
        return usage_of(None);
    };
    let mut usage = usage_of(Some(json));
    let iterations = list(json, "iterations");
    if iterations.is_empty() {
        return usage;
    }
    let parts = iterations.iter().map(|json| usage_of(Some(json)));
    (usage.input_tokens, usage.output_tokens, usage.cached_tokens) =
        parts.fold((0_u64, 0_u64, 0_u64), |(input, output, cached), part| {
            (
                input.saturating_add(part.input_tokens),
                output.saturating_add(part.output_tokens),
                cached.saturating_add(part.cached_tokens),
            )
        });
    usage
}

fn usage_of(json: Option<&Value>) -> Usage {
    let number = |path| json.and_then(|json| count(json, path)).unwrap_or(0);
    let cached = number("/cache_read_input_tokens");
    let written = number("/cache_creation_input_tokens");
    let input = number("/input_tokens")
        .saturating_add(cached)
        .saturating_add(written);
    let mut usage = Usage::reported(input, json.and_then(|json| count(json, "/output_tokens")));
    usage.cached_tokens = cached;
    usage.reasoning_tokens = number("/output_tokens_details/thinking_tokens");
    usage
}

/// The member of the provider's data with the blocks.
const KEY: &str = "anthropic";

/// Returns the data that the next request needs of an answer with these blocks: none without thoughts.
pub(super) fn signed_blocks(blocks: &[Value]) -> Option<Value> {
    let kept: Vec<Value> = blocks.iter().filter_map(kept_block).collect();
    let has_thoughts = kept.iter().any(is_thought);
    has_thoughts.then(|| json!({ KEY: kept }))
}

fn kept_block(block: &Value) -> Option<Value> {
    match kind(block) {
        // Anthropic rejects a truncated thought, which has no signature.
        "thinking" if member(block, "signature").is_empty() => None,
        "thinking" | "redacted_thinking" => Some(block.clone()),
        "text" => Some(json!({"type": "text", "text": member(block, "text")})),
        "tool_use" if member(block, "name").is_empty() => None,
        "tool_use" => Some(json!({"type": "tool_use"})),
        _ => None,
    }
}

/// Returns the kept blocks of a message, unless its text or calls differ: the history may have been edited,
/// or come from another provider.
pub(super) fn kept_blocks(message: &Message) -> Option<&[Value]> {
    let blocks = message.provider_data()?.get(KEY)?.as_array()?;
    let texts = blocks.iter().filter(|block| kind(block) == "text");
    let text: String = texts.map(|block| member(block, "text")).collect();
    let calls = blocks.iter().filter(|block| kind(block) == "tool_use");
    let is_unchanged = text == message.content() && calls.count() == message.tool_calls().len();
    is_unchanged.then_some(blocks.as_slice())
}

pub(super) fn kind(block: &Value) -> &str {
    member(block, "type")
}

fn is_thought(block: &Value) -> bool {
    matches!(kind(block), "thinking" | "redacted_thinking")
}

pub(super) fn member<'a>(block: &'a Value, key: &str) -> &'a str {
    block.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_blocks_only_with_signed_thoughts() {
        let text = json!({"type": "text", "text": "Hm.", "citations": null});
        let call = json!({"type": "tool_use", "id": "a", "name": "t", "input": {}});
        let thought = json!({"type": "thinking", "thinking": "?", "signature": "s"});
        let cut_off = json!({"type": "thinking", "thinking": "?", "signature": ""});
        assert_eq!(signed_blocks(&[text.clone(), call.clone()]), None);
        assert_eq!(signed_blocks(&[cut_off.clone(), text.clone()]), None);
        let blocks = [thought.clone(), text, cut_off, call];
        let expected = json!({"anthropic": [
            thought, {"type": "text", "text": "Hm."}, {"type": "tool_use"},
        ]});
        assert_eq!(signed_blocks(&blocks), Some(expected));
    }

    #[test]
    fn ignores_kept_blocks_of_an_edited_message() {
        let data = json!({"anthropic": [
            {"type": "thinking", "thinking": "?", "signature": "s"},
            {"type": "text", "text": "Hm."},
        ]});
        let message = |text| Message::assistant(text).with_provider_data(data.clone());
        assert!(kept_blocks(&message("Hm.")).is_some());
        assert!(kept_blocks(&message("Hm!")).is_none());
        let other = Message::assistant("Hm.").with_provider_data(json!({"other": []}));
        assert!(kept_blocks(&other).is_none());
    }
}
