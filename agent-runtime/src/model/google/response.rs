//! Answers of Google: errors, reasons, usage, and the parts of an answer that the next request must repeat.
//!
//! Gemini signs parts in which it has thought, and some models reject a call without its signature. So an
//! answer with signatures, thoughts or ids keeps the list of its parts. In the place of each text, thought, image
//! and of the arguments of each call the list has a mark, because the message has them already.

use crate::model::http::Failure;
use crate::model::wire::{base64_bytes, count, has_error, kept, text, thoughts, word};
use agent_core::conversation::{Audio, Image, Message, Part, ProviderPart};
use agent_core::model::{FinishReason, Usage};
use agent_spec::json::values_in;
use agent_tool::Error;
use serde_json::{Value, json};

/// Returns the error that a chunk reports: an error of the service, or that it blocked the request. `raw` is the text of
/// the chunk.
pub(super) fn error(json: &Value, raw: &str, failure: &Failure<'_>) -> Option<Error> {
    if has_error(json) {
        return Some(failure.reported(raw.as_bytes()));
    }
    let feedback = json.get("promptFeedback")?;
    let reason = text(feedback, "blockReason")?;
    let why = text(feedback, "blockReasonMessage");
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let text = format!("the request was blocked ({reason}){why}");
    Some(failure.reported(text.as_bytes()).into_refused())
}

/// Returns the word for the reason of a candidate. The value for no reason counts as missing, because an answer
/// with this value may continue.
pub(super) fn reason_word(candidate: &Value) -> Option<&str> {
    word(candidate, "finishReason").filter(|word| *word != "FINISH_REASON_UNSPECIFIED")
}

/// The reason of an answer that reached the token limit of a request, and continues in the next request by a
/// continuation token.
pub(super) const CONTINUATION: &str = "CONTINUATION";

/// The member with the continuation token.
const TOKEN: &str = "continuationToken";

/// Returns the token by which an answer continues.
pub(super) fn continuation_token(json: &Value) -> Option<&str> {
    word(json, TOKEN)
}

/// Returns the token of a message with the beginning of an answer.
pub(super) fn token_of(message: &Message) -> Option<&str> {
    continuation_token(kept(message, PROVIDER)?.as_array()?.last()?)
}

/// Parses the reason. Google has no word for answers with calls.
pub(super) fn finish_reason(word: Option<&str>, calls: bool) -> FinishReason {
    match word {
        None | Some("STOP" | "FUNCTION_CALL") if calls => FinishReason::ToolCalls,
        None | Some("STOP") => FinishReason::Stop,
        Some("MAX_TOKENS" | CONTINUATION) => FinishReason::Length,
        Some(
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "LANGUAGE"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION"
            | "ESCALATION"
            | "MODEL_ARMOR",
        ) => FinishReason::ContentFilter,
        Some(other) => FinishReason::Other(other.to_owned()),
    }
}

/// The members of the usage that are read.
const TOKENS: [&str; 5] = [
    "thoughtsTokenCount",
    "promptTokenCount",
    "toolUsePromptTokenCount",
    "candidatesTokenCount",
    "cachedContentTokenCount",
];

/// Returns the numbers of tokens in the usage of a chunk. Other members are left out, because the chunks of an answer
/// could have millions of them.
pub(super) fn token_numbers(usage: &Value) -> impl Iterator<Item = (String, Value)> {
    let number = |key: &str| Some((key.to_owned(), usage.get(key)?.as_u64()?.into()));
    TOKENS.into_iter().filter_map(number)
}

/// Returns the usage of a request. Google counts thoughts beside the output tokens; in [`Usage`] they are
/// part of the output.
pub(super) fn usage(json: &Value) -> Usage {
    let number = |key| count(json, &[key]);
    let thoughts = number("thoughtsTokenCount");
    let input = number("promptTokenCount").saturating_add(number("toolUsePromptTokenCount"));
    let output = number("candidatesTokenCount").saturating_add(thoughts);
    // Google leaves out numbers that are zero.
    let mut usage = Usage::reported(input, Some(output));
    usage.cached_tokens = number("cachedContentTokenCount");
    usage.reasoning_tokens = thoughts;
    usage
}

/// The provider in parts of messages.
pub(super) const PROVIDER: &str = "Google";

/// The parts of an answer so far, without the content that the message has.
#[derive(Debug, Default)]
pub(super) struct KeptParts(Vec<Value>);

impl KeptParts {
    /// Whether a part continues the last part, as a bare text continues the text before it.
    pub(super) fn goes_on(&self, part: &Value) -> bool {
        let is_bare = bare_text(part).is_some();
        let continues = |last: &Value| is_mark(last) && is_thought(part) == is_thought(last);
        is_bare && self.0.last().is_some_and(continues)
    }

    /// Adds a part that begins, and returns the number of its values. `has_media` says that the message has the
    /// image or the audio of the part.
    pub(super) fn push(&mut self, part: Value, has_media: bool) -> usize {
        let part = if has_media || has_content(&part) {
            without_content(part, has_media)
        } else if is_signed(&part) {
            // Gemini rejects a part without content. A signature is sent back beside an empty text.
            json!({"text": "", "thoughtSignature": part["thoughtSignature"]})
        } else {
            return 0;
        };
        let values = values_in(&part);
        self.0.push(part);
        values
    }

    /// Adds the token by which the answer continues.
    pub(super) fn push_token(&mut self, token: &str) {
        self.0.push(json!({ TOKEN: token }));
    }

    /// Returns the data of an answer with these parts that the next request must repeat. `None` if the parts
    /// have no signature, thought or id, and the message has all of the parts.
    pub(super) fn into_part(self) -> Option<Part> {
        let must_return = |part: &Value| {
            let call = part.get("functionCall");
            // Media of other kinds, such as videos, are only in the kept parts.
            let is_in_message = part.get("inlineData").is_some_and(Value::is_null);
            let is_content = part.get("text").is_some() || is_in_message;
            is_thought(part)
                || is_signed(part)
                || call.map_or(!is_content, |call| id(call).is_some())
        };
        let any = self.0.iter().any(must_return);
        any.then(|| Part::from(ProviderPart::new(PROVIDER, Value::Array(self.0))))
    }
}

/// Returns a part with `null` in the place of its text or its bytes, and with an empty object in the place of
/// the arguments of its call.
fn without_content(mut part: Value, has_media: bool) -> Value {
    let Value::Object(members) = &mut part else {
        return part;
    };
    if let Some(Value::String(text)) = members.get("text")
        && !text.is_empty()
    {
        members.insert("text".to_owned(), Value::Null);
    }
    if has_media {
        members.insert("inlineData".to_owned(), Value::Null);
    }
    if let Some(Value::Object(call)) = members.get_mut("functionCall")
        && let Some(arguments) = call.get_mut("args")
    {
        *arguments = json!({});
    }
    part
}

/// Whether a kept part is the mark of a text without a signature.
fn is_mark(part: &Value) -> bool {
    part.get("text").is_some_and(Value::is_null) && is_bare(part)
}

/// Returns the bytes of `inlineData`; `None` if there are none.
fn bytes(data: &Value) -> Option<Vec<u8>> {
    base64_bytes(data.get("data")?.as_str()?).filter(|bytes| !bytes.is_empty())
}

/// Returns the image or the audio of a part.
pub(super) fn media(part: &Value) -> Option<Part> {
    let data = part.get("inlineData")?;
    let bytes = bytes(data)?;
    let media_type = text(data, "mimeType").unwrap_or_default();
    Some(match media_type.split('/').next()? {
        "image" => Part::from(Image::new(bytes).with_media_type(media_type)),
        "audio" => Part::from(Audio::new(bytes).with_media_type(media_type)),
        _ => return None,
    })
}

/// Returns the kept parts of a message, unless the number of its texts, thoughts or images, or the names of its
/// calls differ: the history may have been edited, or come from another provider. Parts of older histories have
/// texts and thoughts of their own.
pub(super) fn kept_parts(message: &Message) -> Option<&[Value]> {
    let parts = kept(message, PROVIDER)?.as_array()?;
    let texts_of_message = message.parts().iter().filter_map(Part::as_text);
    let text_of_part = |part: &Value| part.get("text").cloned();
    let texts: Vec<Value> = parts
        .iter()
        .filter(|part| !is_thought(part))
        .filter_map(text_of_part)
        .collect();
    let is_same_text = if texts.iter().any(Value::is_null) {
        texts.iter().filter(|text| text.is_null()).count() == texts_of_message.count()
    } else {
        texts.iter().filter_map(Value::as_str).collect::<String>() == message.content()
    };
    let marks = |key: &str, thoughts: bool| {
        let parts = parts.iter().filter(|part| is_thought(part) == thoughts);
        parts
            .filter(|part| part.get(key).is_some_and(Value::is_null))
            .count()
    };
    let is_same = is_same_text
        && marks("text", true) == thoughts(message, PROVIDER).count()
        && marks("inlineData", false) == message.media().count();
    let names = parts.iter().filter_map(|part| part.get("functionCall"));
    let names: Vec<Option<String>> = names.map(|call| text(call, "name")).collect();
    let calls = message.tool_calls().iter();
    let calls = calls.map(|call| Some(call.tool().to_owned()));
    (is_same && calls.eq(names)).then_some(parts.as_slice())
}

/// Returns the text of a part with no other members.
fn bare_text(part: &Value) -> Option<&str> {
    part.get("text")?.as_str().filter(|_| is_bare(part))
}

/// Whether a part has content besides the marks of thoughts and media without bytes.
pub(super) fn has_content(part: &Value) -> bool {
    let Some(members) = part.as_object() else {
        return false;
    };
    members.iter().any(|(key, value)| match key.as_str() {
        "thought" | "thoughtSignature" => false,
        "inlineData" => bytes(value).is_some(),
        _ => !value.is_null(),
    })
}

/// Whether a part has a text and nothing else.
fn is_bare(part: &Value) -> bool {
    let is_of_text = |key: &String| matches!(key.as_str(), "text" | "thought");
    part.as_object()
        .is_some_and(|part| part.keys().all(is_of_text))
}

pub(super) fn is_thought(part: &Value) -> bool {
    part["thought"] == true
}

pub(super) fn is_signed(part: &Value) -> bool {
    part.get("thoughtSignature").is_some_and(Value::is_string)
}

/// Returns the id of a call, if the model sent one.
pub(super) fn id(call: &Value) -> Option<&str> {
    call.get("id")?.as_str().filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data_of(parts: &[Value]) -> Option<Value> {
        let mut all = KeptParts::default();
        for part in parts {
            if !all.goes_on(part) {
                all.push(part.clone(), media(part).is_some());
            }
        }
        match all.into_part()? {
            Part::Provider(part) => Some(part.data().clone()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn joins_pieces_of_text_and_keeps_signed_parts_alone() {
        let text = |text: &str| json!({"text": text});
        let thought = |text: &str| json!({"text": text, "thought": true});
        let signed = json!({"text": "", "thoughtSignature": "c2ln"});
        let parts = [
            thought("Hm"),
            thought("m."),
            text("Hel"),
            text("lo"),
            signed.clone(),
            text("!"),
        ];
        let mark = json!({"text": null});
        let expected = json!([{"text": null, "thought": true}, mark, signed, mark]);
        assert_eq!(data_of(&parts), Some(expected));
    }

    #[test]
    fn keeps_no_part_without_content_because_gemini_rejects_it() {
        let code = json!({"executableCode": {"language": "PYTHON", "code": "1"}});
        for empty in [
            json!({}),
            json!({"thought": true}),
            json!({"text": null}),
            json!({"inlineData": {"mimeType": "image/png", "data": ""}}),
            json!({"inlineData": {"mimeType": "image/png", "data": "not base64!"}}),
            json!(7),
        ] {
            assert_eq!(
                data_of(&[empty.clone(), code.clone()]),
                Some(json!([code])),
                "{empty}"
            );
        }
        let signed = json!({"thoughtSignature": "c2ln"});
        let kept = json!([{"text": "", "thoughtSignature": "c2ln"}]);
        assert_eq!(data_of(&[signed]), Some(kept));
    }

    #[test]
    fn keeps_parts_only_with_signatures_thoughts_ids_or_unknown_parts() {
        let call = json!({"functionCall": {"name": "t", "args": {"a": 1}}});
        assert_eq!(data_of(&[json!({"text": "Hello"}), call]), None);
        let call = json!({"functionCall": {"id": "a", "name": "t", "args": {"a": 1}}});
        let kept = json!([{"functionCall": {"id": "a", "name": "t", "args": {}}}]);
        assert_eq!(data_of(&[call]), Some(kept));
        let video = json!({"inlineData": {"mimeType": "video/mp4", "data": "AAAA"}});
        let kept = Some(json!([video]));
        assert_eq!(data_of(std::slice::from_ref(&video)), kept);
        let code = json!({"executableCode": {"language": "PYTHON", "code": "1"}});
        assert_eq!(data_of(std::slice::from_ref(&code)), Some(json!([code])));
    }
}
