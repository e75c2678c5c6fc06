//! Answers of OpenAI, parsed leniently because compatible servers differ.

use crate::model::http::Failure;
use crate::model::wire::{
    Json, Node, base64_bytes, count, is_no_call, list, member, parse, refuse, text, word,
};
use agent_core::conversation::{Audio, Image, Message, Part, ProviderPart, Thinking, ToolCall};
use agent_core::model::{FinishReason, ModelReply, Usage};
use agent_tool::Error;
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
    message.parts().iter().any(|part| match part {
        Part::Provider(part) => part.provider() == PROVIDER && part.data().get(LEGACY).is_some(),
        _ => false,
    })
}

/// Parses an answer in one piece.
pub(super) fn parse_reply(body: &[u8], failure: &Failure<'_>) -> Result<ModelReply, Error> {
    let (json, _) = parse(body, failure)?;
    // Some servers report errors with a success status.
    if json.get("error").is_some_and(|error| !error.is_null()) {
        return Err(failure.reported(body));
    }
    let Some(choice) = list(&json, "choices").first() else {
        return Err(failure.unreadable("has no choices", body));
    };
    let Some(message) = choice.get("message").filter(|message| message.is_object()) else {
        return Err(failure.unreadable("has no message", body));
    };
    let mut reply = ModelReply::default();
    reply.parts = parts(message);
    reply.usage = usage(json.get("usage"));
    reply.id = text(&json, "id");
    reply.model = text(&json, "model");
    for call in list(message, "tool_calls") {
        let id = member(call, "id");
        let (name, arguments) = function(call.get("function").unwrap_or(&Json::Null));
        if is_no_call(id, &name, &arguments) {
            continue;
        }
        if name.is_empty() {
            return Err(failure.unreadable("has a tool call without a name", body));
        }
        reply.tool_calls.push(ToolCall::new(id, name, arguments));
    }
    if reply.tool_calls.is_empty()
        && let Some(call) = message.get("function_call").filter(|call| call.is_object())
    {
        let (name, arguments) = function(call);
        if !name.is_empty() {
            reply.tool_calls.push(ToolCall::new("", name, arguments));
            reply.parts.push(legacy_mark());
        } else if !is_no_call("", &name, &arguments) {
            return Err(failure.unreadable("has a function call without a name", body));
        }
    }
    reply.finish_reason = finish_reason(choice, !reply.tool_calls.is_empty());
    if refusal(message).is_some() {
        refuse(&mut reply.finish_reason);
    }
    Ok(reply)
}

/// Returns the text of a refusal in a message, or in a piece of one.
pub(super) fn refusal(message: &Json<'_>) -> Option<String> {
    text(message, "refusal").filter(|refusal| !refusal.is_empty())
}

/// Returns the thoughts, the text or the transcript, the refusal, the images and the audio of a message.
fn parts(message: &Json<'_>) -> Vec<Part> {
    let thoughts: String = THOUGHTS
        .iter()
        .filter_map(|key| message.get(key)?.as_str())
        .collect();
    let spoken = message.get("audio").unwrap_or(&Json::Null);
    let transcript = || text(spoken, "transcript");
    let mut text_and_refusal = content_text(message)
        .or_else(transcript)
        .unwrap_or_default();
    text_and_refusal.push_str(&refusal(message).unwrap_or_default());
    let thoughts = Some(thoughts).filter(|text| !text.is_empty());
    let thoughts = thoughts.map(|text| Part::from(Thinking::new(PROVIDER, text)));
    let said = Some(text_and_refusal).filter(|text| !text.is_empty());
    let mut parts: Vec<Part> = thoughts.into_iter().chain(said.map(Part::from)).collect();
    parts.extend(images(message));
    let data = spoken.get("data").and_then(Node::as_str);
    parts.extend(data.and_then(base64_bytes).and_then(audio));
    parts
}

/// Returns the images of a message, or of a piece of one. OpenRouter sends them.
pub(super) fn images(message: &Json<'_>) -> impl Iterator<Item = Part> {
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

/// Returns spoken words; none for no bytes.
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

/// Returns the text in `content`, which is a string or an array of parts.
pub(super) fn content_text(message: &Json<'_>) -> Option<String> {
    let whole = text(message, "content");
    let joined = || {
        let parts = list(message, "content").iter();
        parts
            .filter_map(|part| part.get("text")?.as_str())
            .collect()
    };
    Some(whole.unwrap_or_else(joined)).filter(|text| !text.is_empty())
}

/// Returns the name and the arguments of a call, or of a piece of a call.
pub(super) fn function(function: &Json<'_>) -> (String, String) {
    let arguments = match function.get("arguments") {
        Some(Json::Text(text)) => text.clone().into_owned(),
        None | Some(Json::Null) => String::new(),
        // A server with an object in place of the text.
        Some(value) => Value::from(value.clone()).to_string(),
    };
    (text(function, "name").unwrap_or_default(), arguments)
}

pub(super) fn finish_reason(choice: &Json<'_>, calls: bool) -> FinishReason {
    match word(choice, "finish_reason") {
        Some("function_call" | "tool_use") => FinishReason::ToolCalls,
        // Together, TGI, and gateways that pass on the words of other vendors.
        Some("eos" | "eos_token" | "end_turn" | "stop_sequence") => FinishReason::Stop,
        // Mistral, and such gateways.
        Some("model_length" | "max_tokens") => FinishReason::Length,
        Some(word) => FinishReason::from_word(word),
        None if calls => FinishReason::ToolCalls,
        None => FinishReason::Stop,
    }
}

pub(super) fn usage(json: Option<&Json<'_>>) -> Usage {
    let number = |path| json.and_then(|json| count(json, path)).unwrap_or(0);
    let written = json.and_then(|json| count(json, &["completion_tokens"]));
    let mut usage = Usage::reported(number(&["prompt_tokens"]), written);
    usage.cached_tokens = number(&["prompt_tokens_details", "cached_tokens"]);
    usage.cache_written_tokens = number(&["prompt_tokens_details", "cache_write_tokens"]);
    usage.reasoning_tokens = number(&["completion_tokens_details", "reasoning_tokens"]);
    usage
}
