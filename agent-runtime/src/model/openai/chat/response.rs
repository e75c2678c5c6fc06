//! Answers of OpenAI, parsed leniently because compatible servers differ.

use crate::model::wire::{base64_bytes, count, kept, list, text, word};
use agent_core::conversation::{Audio, Image, Message, Part, ProviderPart};
use agent_core::model::{FinishReason, Usage};
use serde_json::{Value, json};

/// The provider in parts of messages.
pub(super) const PROVIDER: &str = "OpenAI";

/// The member of the provider's data that marks a call in the older form `function_call`.
const LEGACY: &str = "openaiFunctionCall";

/// Returns the mark of a call in the older form.
pub(super) fn legacy_mark() -> Part {
    Part::from(ProviderPart::new(PROVIDER, json!({ LEGACY: true })))
}

/// Whether a message has the mark of a call in the older form.
pub(super) fn has_legacy_mark(message: &Message) -> bool {
    kept(message, PROVIDER).is_some_and(|data| data.get(LEGACY).is_some())
}

/// Returns the text of a refusal in a message, or in a piece of one.
pub(super) fn refusal(message: &Value) -> Option<String> {
    text(message, "refusal").filter(|refusal| !refusal.is_empty())
}

/// Returns the images of a message, or of a piece of one. OpenRouter sends them.
pub(super) fn images(message: &Value) -> impl Iterator<Item = Part> {
    list(message, "images").iter().filter_map(|image| {
        let url = image.get("image_url")?.get("url")?.as_str()?;
        let Some(data) = url.strip_prefix("data:") else {
            let is_url = url.starts_with("https://");
            return is_url.then(|| Part::from(Image::from_url(url)));
        };
        let (_, data) = data.split_once(";base64,")?;
        let image = Image::new(base64_bytes(data)?);
        let is_image = image
            .media_type()
            .is_some_and(|kind| kind.starts_with("image/"));
        is_image.then(|| Part::from(image))
    })
}

/// Returns spoken words; `None` if there are no bytes.
pub(super) fn audio(bytes: Vec<u8>) -> Option<Part> {
    if bytes.is_empty() {
        return None;
    }
    let audio = Audio::new(bytes);
    let is_known = audio
        .media_type()
        .is_some_and(|kind| kind.starts_with("audio/"));
    // Only the format `pcm16`, the one of streamed answers, has no header.
    Some(Part::from(match is_known {
        true => audio,
        false => audio.with_media_type("audio/pcm"),
    }))
}

/// The members of a message with the model's thoughts. Servers differ in the name.
pub(super) const THOUGHTS: [&str; 2] = ["reasoning_content", "reasoning"];

/// A piece of the model's text or thoughts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said<'j> {
    Text(&'j str),
    Thought(&'j str),
}

/// Returns the texts and the thoughts in `content`, which is a string or an array of parts. Mistral sends thoughts there,
/// each as parts of their own.
pub(super) fn said(message: &Value) -> Vec<Said<'_>> {
    let content = &message["content"];
    if let Some(text) = content.as_str() {
        return vec![Said::Text(text)];
    }
    let mut said = Vec::new();
    for part in list(message, "content") {
        let thoughts = list(part, "thinking").iter();
        let thoughts = thoughts.filter_map(|thought| thought.get("text")?.as_str());
        said.extend(thoughts.map(Said::Thought));
        said.extend(part["thinking"].as_str().map(Said::Thought));
        said.extend(part["text"].as_str().map(Said::Text));
    }
    said
}

/// Returns the name and the arguments of a call, or of a piece of a call.
pub(super) fn function(function: &Value) -> (String, String) {
    let arguments = match &function["arguments"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        // Some servers send an object in place of the text.
        value => value.to_string(),
    };
    (text(function, "name").unwrap_or_default(), arguments)
}

pub(super) fn finish_reason(choice: &Value, calls: bool) -> FinishReason {
    match word(choice, "finish_reason") {
        Some("function_call" | "tool_use") => FinishReason::ToolCalls,
        // Sent by Together, TGI, and gateways that pass on the words of other vendors.
        Some("eos" | "eos_token" | "end_turn" | "stop_sequence") => FinishReason::Stop,
        // Sent by Mistral, and by gateways that pass on the words of other vendors.
        Some("model_length" | "max_tokens") => FinishReason::Length,
        Some(word) => FinishReason::from_word(word),
        None if calls => FinishReason::ToolCalls,
        None => FinishReason::Stop,
    }
}

pub(super) fn usage(json: &Value) -> Usage {
    let written = json["completion_tokens"].as_u64();
    let mut usage = Usage::reported(count(json, &["prompt_tokens"]), written);
    usage.cached_tokens = count(json, &["prompt_tokens_details", "cached_tokens"]);
    usage.cache_written_tokens = count(json, &["prompt_tokens_details", "cache_write_tokens"]);
    usage.reasoning_tokens = count(json, &["completion_tokens_details", "reasoning_tokens"]);
    usage
}
