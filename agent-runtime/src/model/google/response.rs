//! Answers of Google: errors, reasons, usage, and the parts of an answer that the next request must repeat.
//!
//! Gemini signs parts in which it has thought, and some models reject a call without its signature. So an
//! answer with signatures, thoughts or ids keeps all its parts.

use crate::conversation::Message;
use crate::error::Error;
use crate::model::http::Failure;
use crate::model::wire::{count, text, word};
use crate::model::{FinishReason, Usage};
use serde_json::{Value, json};

/// Returns the error that a chunk reports: an error of the service, or that it blocked the request.
pub(super) fn error(json: &Value, failure: &Failure<'_>) -> Option<Error> {
    if json.get("error").is_some_and(|error| !error.is_null()) {
        return Some(failure.reported(json.to_string().as_bytes()));
    }
    let feedback = json.get("promptFeedback")?;
    let reason = text(feedback, "blockReason")?;
    let why = text(feedback, "blockReasonMessage");
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let text = format!("the request was blocked ({reason}){why}");
    Some(failure.reported(text.as_bytes()).into_refused())
}

/// Returns the word for the reason of a candidate. The value for no reason counts as missing, because an answer
/// with it may go on.
pub(super) fn reason_word(candidate: &Value) -> Option<&str> {
    word(candidate, "finishReason").filter(|word| *word != "FINISH_REASON_UNSPECIFIED")
}

/// Parses the reason. Google has none of its own for answers with calls.
pub(super) fn finish_reason(word: Option<&str>, calls: bool) -> FinishReason {
    match word {
        None | Some("STOP" | "FUNCTION_CALL") if calls => FinishReason::ToolCalls,
        None | Some("STOP") => FinishReason::Stop,
        Some("MAX_TOKENS") => FinishReason::Length,
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

/// Returns the usage of a request. Google counts thoughts beside the output tokens; in [`Usage`] they are
/// part of the output.
pub(super) fn usage(json: &Value) -> Usage {
    let number = |path| count(json, path).unwrap_or(0);
    let thoughts = number("/thoughtsTokenCount");
    let input = number("/promptTokenCount").saturating_add(number("/toolUsePromptTokenCount"));
    let output = number("/candidatesTokenCount").saturating_add(thoughts);
    // Google leaves out numbers that are zero.
    let mut usage = Usage::reported(input, Some(output));
    usage.cached_tokens = number("/cachedContentTokenCount");
    usage.reasoning_tokens = thoughts;
    usage
}

/// The member of the provider's data with the parts.
const KEY: &str = "google";

/// The parts of an answer so far.
#[derive(Debug, Default)]
pub(super) struct Parts(Vec<Value>);

impl Parts {
    /// Adds a part. Pieces of one text are joined; a signed part stays alone.
    pub(super) fn push(&mut self, part: &Value) {
        let piece = bare_text(part);
        if piece == Some("") {
            return;
        }
        let continues =
            |last: &Value| bare_text(last).is_some() && is_thought(part) == is_thought(last);
        // In place, because an answer may have a hundred thousand pieces.
        if let Some(piece) = piece
            && let Some(last) = self.0.last_mut().filter(|last| continues(last))
            && let Some(Value::String(begun)) = last.get_mut("text")
        {
            begun.push_str(piece);
        } else {
            self.0.push(part.clone());
        }
    }

    /// Returns the data that the next request needs of an answer with these parts: none without signatures,
    /// thoughts and ids.
    pub(super) fn signed(self) -> Option<Value> {
        let must_return = |part: &Value| {
            let call = part.get("functionCall");
            is_thought(part) || is_signed(part) || call.is_some_and(|call| id(call).is_some())
        };
        let any = self.0.iter().any(must_return);
        any.then(|| json!({ KEY: self.0 }))
    }
}

/// Returns the kept parts of a message, unless its text or calls differ: the history may have been edited, or
/// come from another provider.
pub(super) fn kept_parts(message: &Message) -> Option<&[Value]> {
    let parts = message.provider_data()?.get(KEY)?.as_array()?;
    let texts = parts.iter().filter(|part| !is_thought(part));
    let text_of_parts: String = texts
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let names = parts.iter().filter_map(|part| part.get("functionCall"));
    let names: Vec<Option<String>> = names.map(|call| text(call, "name")).collect();
    let calls = message.tool_calls().iter();
    let calls = calls.map(|call| Some(call.tool().to_owned()));
    let is_unchanged = text_of_parts == message.content() && calls.eq(names);
    is_unchanged.then_some(parts.as_slice())
}

/// Returns the text of a part with no other members.
fn bare_text(part: &Value) -> Option<&str> {
    let mut keys = part.as_object()?.keys();
    let is_bare = keys.all(|key| matches!(key.as_str(), "text" | "thought"));
    part.get("text")?.as_str().filter(|_| is_bare)
}

pub(super) fn is_thought(part: &Value) -> bool {
    part.get("thought").and_then(Value::as_bool) == Some(true)
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
        let mut all = Parts::default();
        parts.iter().for_each(|part| all.push(part));
        all.signed()
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
            text(""),
            text("lo"),
            signed.clone(),
            text("!"),
        ];
        let expected = [thought("Hmm."), text("Hello"), signed, text("!")];
        assert_eq!(data_of(&parts), Some(json!({ KEY: expected })));
    }

    #[test]
    fn keeps_parts_only_with_signatures_thoughts_or_ids() {
        let call = json!({"functionCall": {"name": "t", "args": {}}});
        assert_eq!(data_of(&[json!({"text": "Hello"}), call]), None);
        let call = json!({"functionCall": {"id": "a", "name": "t", "args": {}}});
        assert!(data_of(&[call]).is_some());
    }
}
