//! Answers of Anthropic, and the blocks of an answer that the next request must repeat.
//!
//! The signature of a thought covers its position among texts and calls. So an answer with thoughts, or with
//! blocks of the server's own tools, keeps the list of its blocks. In the place of each text, thought and call
//! the list has a mark, because the message has them already.

use crate::model::wire::{
    arguments_text, count, has_error, kept, kind, list, member, raw_at, text, thoughts, word,
};
use agent_core::conversation::{Message, Part, ProviderPart};
use agent_core::model::{FinishReason, Usage, UsagePart};
use serde_json::{Value, json};

/// The member of a call with its arguments.
pub(super) const INPUT: &str = "input";

/// The member of a call with its caller: the model itself, or a program that the server runs.
pub(super) const CALLER: &str = "caller";

/// Whether an answer or an event reports an error, which some servers do with a success status.
pub(super) fn is_error(json: &Value) -> bool {
    kind(json) == "error" || has_error(json)
}

/// Returns the reason of a refusal, which often ends an answer before its first text.
pub(super) fn explanation(json: &Value) -> Option<String> {
    text(&json["stop_details"], "explanation")
}

/// Returns the arguments of a call. `raw` is the text of its block.
pub(super) fn input(block: &Value, raw: Option<&str>) -> String {
    let raw = raw.and_then(|block| raw_at(block, &[INPUT]));
    arguments_text(&block[INPUT], raw).unwrap_or_else(|| "{}".to_owned())
}

pub(super) fn finish_reason(word: Option<&str>, calls: bool) -> FinishReason {
    match word {
        Some("tool_use") => FinishReason::ToolCalls,
        Some("end_turn" | "stop_sequence") => FinishReason::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("refusal") => FinishReason::ContentFilter,
        Some("pause_turn") => FinishReason::Paused,
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
pub(super) fn usage(json: &Value) -> Usage {
    let mut usage = usage_of(json);
    let iterations = list(json, "iterations");
    if iterations.is_empty() {
        return usage;
    }
    let mut sum = Usage::default();
    for part in iterations {
        sum.add(&usage_of(part));
    }
    usage.input_tokens = sum.input_tokens;
    usage.output_tokens = sum.output_tokens;
    usage.cached_tokens = sum.cached_tokens;
    usage.cache_written_tokens = sum.cache_written_tokens;
    usage
}

/// Returns the usage of each iteration of a request. An iteration has its model if the model differs from
/// `answered`, the model that wrote the answer.
pub(super) fn usage_parts(json: &Value, answered: Option<&str>) -> Vec<UsagePart> {
    let iterations = list(json, "iterations");
    // After a fallback, the model that wrote the answer is not the model of the request.
    let is_fallback = iterations
        .iter()
        .any(|part| kind(part) == "fallback_message");
    let parts = iterations.iter().map(|part| {
        let is_own = |model: &str| !is_fallback && answered == Some(model);
        let model = word(part, "model").filter(|model| !is_own(model));
        let mut usage = usage_of(part);
        usage.uncounted_requests = 0;
        UsagePart::new(model.map(str::to_owned), usage)
    });
    parts.collect()
}

/// The members of the usage that are read.
pub(super) const TOKENS: [&str; 6] = [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens_details",
    "iterations",
];

fn usage_of(json: &Value) -> Usage {
    let cached = count(json, &["cache_read_input_tokens"]);
    let written = count(json, &["cache_creation_input_tokens"]);
    let input = count(json, &["input_tokens"])
        .saturating_add(cached)
        .saturating_add(written);
    let mut usage = Usage::reported(input, json["output_tokens"].as_u64());
    usage.cached_tokens = cached;
    usage.cache_written_tokens = written;
    usage.reasoning_tokens = count(json, &["output_tokens_details", "thinking_tokens"]);
    usage
}

/// The provider in parts of messages.
pub(super) const PROVIDER: &str = "Anthropic";

/// Returns the data of an answer with these blocks that the next request must repeat. `None` if the answer
/// has only texts and calls.
pub(super) fn kept_blocks(blocks: impl IntoIterator<Item = Value>) -> Option<Part> {
    let kept: Vec<Value> = blocks.into_iter().filter_map(kept_block).collect();
    // A thought without a signature is not sent back.
    let is_needed = |block: &Value| match kind(block) {
        "text" => block.get("citations").is_some(),
        "tool_use" => block.get(CALLER).is_some(),
        "thinking" => block.get("signature").is_some(),
        _ => true,
    };
    let is_any = kept.iter().any(is_needed);
    is_any.then(|| Part::from(ProviderPart::new(PROVIDER, Value::Array(kept))))
}

/// Returns a block without the content that the message already has.
fn kept_block(block: Value) -> Option<Value> {
    let without = |mut block: Value, key: &str| {
        if let Value::Object(members) = &mut block {
            members.remove(key);
            members.retain(|_, value| !value.is_null());
        }
        Some(block)
    };
    match kind(&block) {
        "text" if member(&block, "text").is_empty() => None,
        "text" => without(block, "text"),
        // The thoughts of newer models may be empty, with a signature.
        "thinking" if member(&block, "thinking").is_empty() => {
            (!member(&block, "signature").is_empty()).then_some(block)
        }
        // Anthropic rejects a truncated thought, which has no signature.
        "thinking" if member(&block, "signature").is_empty() => Some(json!({"type": "thinking"})),
        "thinking" => without(block, "thinking"),
        "tool_use" if member(&block, "name").is_empty() => None,
        "tool_use" => {
            let mut kept = json!({"type": "tool_use"});
            let caller = block.get(CALLER).filter(|caller| caller.is_object());
            if let Some(caller) = caller.filter(|caller| kind(caller) != "direct") {
                kept[CALLER] = caller.clone();
            }
            Some(kept)
        }
        _ => Some(block),
    }
}

/// Returns the kept blocks of a message, unless the number of its texts, thoughts or calls differs: the history may
/// have been edited, or come from another provider. Blocks of older histories have texts and thoughts of their own.
pub(super) fn blocks_of(message: &Message) -> Option<&[Value]> {
    let blocks = kept(message, PROVIDER)?.as_array()?;
    let count = |word: &str| blocks.iter().filter(|block| kind(block) == word).count();
    let marks = |word: &str| {
        let blocks = blocks.iter().filter(|block| kind(block) == word);
        blocks.filter(|block| block.get(word).is_none()).count()
    };
    let is_unchanged = if count("text") == marks("text") {
        let texts = message.parts().iter().filter_map(Part::as_text);
        texts.count() == count("text") && thoughts(message, PROVIDER).count() == marks("thinking")
    } else {
        let texts = blocks.iter().filter(|block| kind(block) == "text");
        let text: String = texts.map(|block| member(block, "text")).collect();
        text == message.content()
    };
    let is_unchanged = is_unchanged && count("tool_use") == message.tool_calls().len();
    is_unchanged.then_some(blocks.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_core::conversation::Thinking;

    fn data_of(blocks: &[Value]) -> Option<Value> {
        match kept_blocks(blocks.to_vec())? {
            Part::Provider(part) => Some(part.data().clone()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keeps_blocks_only_with_signed_thoughts_or_blocks_of_the_server() {
        let text = json!({"type": "text", "text": "Hm.", "citations": null});
        let call = json!({"type": "tool_use", "id": "a", "name": "t", "input": {}});
        let thought = json!({"type": "thinking", "thinking": "?", "signature": "s"});
        let cut_off = json!({"type": "thinking", "thinking": "?", "signature": ""});
        let mut direct = call.clone();
        direct["caller"] = json!({"type": "direct"});
        assert_eq!(data_of(&[text.clone(), direct]), None);
        assert_eq!(data_of(&[text.clone(), call.clone()]), None);
        assert_eq!(data_of(&[cut_off.clone(), text.clone()]), None);
        let blocks = [thought, text.clone(), cut_off, call];
        let expected = json!([
            {"type": "thinking", "signature": "s"},
            {"type": "text"},
            {"type": "thinking"},
            {"type": "tool_use"},
        ]);
        assert_eq!(data_of(&blocks), Some(expected));
        let search =
            json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
        let expected = json!([search, {"type": "text"}]);
        assert_eq!(data_of(&[search, text]), Some(expected));
    }

    #[test]
    fn ignores_kept_blocks_of_an_edited_message() {
        let data = json!([{"type": "thinking", "signature": "s"}, {"type": "text"}]);
        let kept = |provider: &str| Part::from(ProviderPart::new(provider, data.clone()));
        let thought = || Part::from(Thinking::new(PROVIDER, "?"));
        let message = |parts: Vec<Part>| Message::assistant_parts(parts);
        let whole = message(vec![thought(), "Hm.".into(), kept(PROVIDER)]);
        assert!(blocks_of(&whole).is_some());
        assert!(blocks_of(&message(vec![thought(), "Hm.".into(), kept("Google")])).is_none());
        assert!(blocks_of(&message(vec!["Hm.".into(), kept(PROVIDER)])).is_none());
        assert!(blocks_of(&message(vec![thought(), kept(PROVIDER)])).is_none());
    }

    #[test]
    fn reads_kept_blocks_of_older_histories() {
        let data = json!([
            {"type": "thinking", "thinking": "?", "signature": "s"},
            {"type": "text", "text": "Hm."},
        ]);
        let message = |text: &str| {
            let kept = Part::from(ProviderPart::new(PROVIDER, data.clone()));
            Message::assistant_parts([text.into(), kept])
        };
        assert!(blocks_of(&message("Hm.")).is_some());
        assert!(blocks_of(&message("Hm!")).is_none());
    }
}
