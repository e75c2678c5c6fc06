//! What answers in Google's form say besides text and calls.

use crate::conversation::Message;
use crate::error::Error;
use crate::model::http::Failure;
use crate::model::wire::{count, text};
use crate::model::{FinishReason, Usage};
use serde_json::{Value, json};

/// The error that a chunk of an answer tells of, if it does: an error of the service, or that it
/// took the request and refuses to answer it.
pub(super) fn error(json: &Value, failure: &Failure<'_>) -> Option<Error> {
    if json.get("error").is_some_and(|error| !error.is_null()) {
        return Some(failure.reported(json.to_string().as_bytes()));
    }
    let feedback = json.get("promptFeedback")?;
    let reason = text(feedback, "blockReason")?;
    let why = text(feedback, "blockReasonMessage");
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let text = format!("the request was blocked ({reason}){why}");
    Some(failure.reported(text.as_bytes()))
}

/// Why the model stopped. An answer with calls stops as any other does.
pub(super) fn finish_reason(word: Option<&str>, calls: bool) -> FinishReason {
    match word {
        None | Some("STOP" | "FUNCTION_CALL" | "FINISH_REASON_UNSPECIFIED") if calls => {
            FinishReason::ToolCalls
        }
        None | Some("STOP" | "FINISH_REASON_UNSPECIFIED") => FinishReason::Stop,
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

/// What a request cost. Google counts thoughts beside the answer; here they are part of it.
pub(super) fn usage(json: &Value) -> Usage {
    let number = |path| count(json, path).unwrap_or(0);
    let thoughts = number("/thoughtsTokenCount");
    let input = number("/promptTokenCount").saturating_add(number("/toolUsePromptTokenCount"));
    let output = number("/candidatesTokenCount").saturating_add(thoughts);
    // Numbers that are zero are left out.
    let mut usage = Usage::as_told(input, Some(output));
    usage.cached_tokens = number("/cachedContentTokenCount");
    usage.reasoning_tokens = thoughts;
    usage
}

/// Where the parts of an answer stand in what its provider wants back.
const KEY: &str = "google";

/// The parts of an answer while it comes.
#[derive(Debug, Default)]
pub(super) struct Parts(Vec<Value>);

impl Parts {
    /// Adds a part. Text that comes in pieces is put together again; what is signed stays alone.
    pub(super) fn push(&mut self, part: &Value) {
        let piece = bare_text(part);
        if piece == Some("") {
            return;
        }
        let goes_on =
            |last: &Value| bare_text(last).is_some() && is_thought(part) == is_thought(last);
        // In place: an answer may come in a hundred thousand pieces.
        if let Some(piece) = piece
            && let Some(last) = self.0.last_mut().filter(|last| goes_on(last))
            && let Some(Value::String(begun)) = last.get_mut("text")
        {
            begun.push_str(piece);
        } else {
            self.0.push(part.clone());
        }
    }

    /// What is kept of an answer of these parts: nothing, unless something in them must go back.
    pub(super) fn kept(self) -> Option<Value> {
        let matters = |part: &Value| {
            let call = part.get("functionCall");
            is_thought(part) || is_signed(part) || call.is_some_and(|call| id(call).is_some())
        };
        let any = self.0.iter().any(matters);
        any.then(|| json!({ KEY: self.0 }))
    }
}

/// The parts that were kept of a message, if they still say what the message says. A history may
/// have been edited, or come from another provider.
pub(super) fn of(message: &Message) -> Option<&[Value]> {
    let parts = message.provider_data()?.get(KEY)?.as_array()?;
    let said = parts.iter().filter(|part| !is_thought(part));
    let said: String = said.filter_map(|part| part.get("text")?.as_str()).collect();
    let called = parts.iter().filter_map(|part| part.get("functionCall"));
    let called: Vec<Option<String>> = called.map(|call| text(call, "name")).collect();
    let calls = message.tool_calls().iter();
    let calls = calls.map(|call| Some(call.tool().to_owned()));
    let agrees = said == message.content() && calls.eq(called);
    agrees.then_some(parts.as_slice())
}

/// The text of a part that has nothing but that.
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

/// The id of a call, if the model gave one.
pub(super) fn id(call: &Value) -> Option<&str> {
    call.get("id")?.as_str().filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(parts: &[Value]) -> Option<Value> {
        let mut all = Parts::default();
        parts.iter().for_each(|part| all.push(part));
        all.kept()
    }

    #[test]
    fn pieces_of_text_are_put_together_and_what_is_signed_stays_alone() {
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
        assert_eq!(kept(&parts), Some(json!({ KEY: expected })));
    }

    #[test]
    fn nothing_is_kept_when_nothing_must_go_back() {
        let call = json!({"functionCall": {"name": "t", "args": {}}});
        assert_eq!(kept(&[json!({"text": "Hello"}), call]), None);
        let call = json!({"functionCall": {"id": "a", "name": "t", "args": {}}});
        assert!(kept(&[call]).is_some());
    }
}
