//! What answers in Google's form say besides text and calls.

use crate::error::Error;
use crate::model::http::Failure;
use crate::model::wire::{count, text};
use crate::model::{FinishReason, Usage};
use serde_json::Value;

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
