//! Parsing the errors that servers report: the text, whether a retry may help, the cause, the time to wait.

use super::retry::is_transient;
use agent_spec::json::{MAX_VALUES, has_more_values_than};
use agent_tool::__private::Cause;
use serde_json::Value;
use std::time::Duration;

/// An error in the body of an answer, in any vendor's form.
pub(super) struct Report<'b> {
    body: &'b [u8],
    json: Option<Value>,
}

impl<'b> Report<'b> {
    pub(super) fn parse(body: &'b [u8]) -> Self {
        let json = match has_more_values_than(body, MAX_VALUES) {
            true => None,
            false => serde_json::from_slice(body).ok(),
        };
        // Google puts the error into an array if the answer would have been one.
        let json = match json {
            Some(Value::Array(items)) => items.into_iter().next(),
            json => json,
        };
        Self { body, json }
    }

    /// Returns the message, else the body.
    pub(super) fn text(&self) -> String {
        let paths = ["/error/message", "/error", "/message", "/detail"];
        let mut texts = paths
            .iter()
            .filter_map(|path| self.json.as_ref()?.pointer(path)?.as_str());
        match texts.find(|text| !text.trim().is_empty()) {
            Some(text) => text.to_owned(),
            None => String::from_utf8_lossy(self.body).into_owned(),
        }
    }

    /// Whether the same request may succeed later, by the error's own words.
    pub(super) fn is_transient(&self) -> bool {
        self.status().is_some_and(is_transient)
            || self.has_word(RATE_LIMITED)
            || self.has_word(OVERLOADED)
            || self.has_word(TIMEOUT)
            || self.has_word(&["api_error", "server_error", "INTERNAL"])
    }

    /// Whether the account has no credit left. A retry does not help, although the status is that of a rate
    /// limit.
    pub(super) fn is_out_of_credit(&self) -> bool {
        self.has_word(&["insufficient_quota"])
    }

    /// Returns the cause of an error with this status. If `status` is `None`, the status in the error itself
    /// is used. Words in the error take precedence over the status, because gateways pass errors on with a
    /// status of their own.
    pub(super) fn cause(&self, status: Option<u16>) -> Option<Cause> {
        let status = status.or_else(|| self.status());
        let text = self.text().to_lowercase();
        if self.is_refusal(&text) {
            return Some(Cause::Refused);
        }
        for (words, cause) in [
            (CONTEXT_TOO_LONG, Cause::ContextTooLong),
            (RATE_LIMITED, Cause::RateLimited),
            (OVERLOADED, Cause::Overloaded),
            (TIMEOUT, Cause::Timeout),
        ] {
            if self.has_word(words) {
                return Some(cause);
            }
        }
        if matches!(status, None | Some(400)) && self.refuses_thoughts(&text) {
            return Some(Cause::ThoughtsRefused);
        }
        match status {
            Some(413) => Some(Cause::ContextTooLong),
            Some(429) if !self.is_out_of_credit() => Some(Cause::RateLimited),
            Some(503 | 529) => Some(Cause::Overloaded),
            Some(408 | 504 | 524) => Some(Cause::Timeout),
            Some(401 | 403 | 404 | 429) => None,
            _ => reports_context_too_long(&text).then_some(Cause::ContextTooLong),
        }
    }

    /// Returns the time to wait that Google's errors have among their details.
    pub(super) fn wait(&self) -> Option<Duration> {
        let details = self.error()?.get("details")?.as_array()?;
        let delay = details.iter().find_map(|detail| detail.get("retryDelay"));
        let seconds = delay?.as_str()?.strip_suffix('s')?.parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    }

    fn error(&self) -> Option<&Value> {
        let json = self.json.as_ref()?;
        // In OpenAI's events, the error is the event itself.
        let is_event = json.get("type").is_some_and(|kind| kind == "error");
        json.get("error").or(is_event.then_some(json))
    }

    /// Returns the HTTP status in the error: a number, or its digits in a text.
    fn status(&self) -> Option<u16> {
        let code = self.error()?.get("code")?;
        let number = code.as_u64().and_then(|code| u16::try_from(code).ok());
        number.or_else(|| code.as_str()?.parse().ok())
    }

    /// Whether the error has one of these words as its type: in OpenAI's and Anthropic's `type`, OpenAI's
    /// `code`, Google's `status`, or Azure's inner error.
    fn has_word(&self, words: &[&str]) -> bool {
        let paths = ["/type", "/status", "/code", "/innererror/code"];
        let found = |path| self.error()?.pointer(path)?.as_str();
        let mut found = paths.into_iter().filter_map(found);
        found.any(|word| words.contains(&word))
    }

    /// Whether the provider refuses the thoughts of earlier answers, which another key, organization or endpoint
    /// may have signed or encrypted.
    fn refuses_thoughts(&self, text: &str) -> bool {
        let has = |words: &str| text.contains(words);
        self.has_word(&["invalid_encrypted_content"])
            || (has("encrypted content") && (has("verified") || has("decrypted")))
            || has("`signature`")
            || (has("signature") && (has("thought") || has("thinking")))
            || (has("thinking") && has("cannot be modified"))
    }

    fn is_refusal(&self, text: &str) -> bool {
        let flagged = self
            .error()
            .and_then(|error| error.pointer("/metadata/flagged_input"));
        flagged.is_some()
            || self.has_word(REFUSED)
            || (self.has_word(&["invalid_prompt"]) && text.contains("flagged"))
            || text.contains("content filtering policy")
    }
}

const RATE_LIMITED: &[&str] = &[
    "rate_limit_error",
    "rate_limit_exceeded",
    "too_many_requests",
    "RESOURCE_EXHAUSTED",
];

const OVERLOADED: &[&str] = &[
    "overloaded_error",
    "server_is_overloaded",
    "engine_overloaded_error",
    "slow_down",
    "UNAVAILABLE",
];

const TIMEOUT: &[&str] = &["timeout_error", "DEADLINE_EXCEEDED"];

const CONTEXT_TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size_error",
    "request_too_large",
];

const REFUSED: &[&str] = &[
    "content_filter",
    "content_policy_violation",
    "image_content_policy_violation",
    "bio_policy",
    "misalignment_policy_violation",
    "ResponsibleAIPolicyViolation",
];

/// Whether a text in lower case says that a request is too long for the model. Most servers have no code for
/// it.
fn reports_context_too_long(text: &str) -> bool {
    // Google's own text has numbers in between.
    if text.contains("input token count") && text.contains("exceeds the maximum") {
        return true;
    }
    [
        // OpenAI, vLLM, Mistral, DeepSeek, OpenRouter.
        "maximum context length",
        "context length exceeded",
        "exceeds the context window",
        "reduce the length of the messages",
        // Anthropic.
        "prompt is too long",
        "exceed context limit",
        // Ollama.
        "exceeds the context length",
        "prompt too long",
        // llama.cpp, LM Studio, xAI, MiniMax, Moonshot, Bedrock.
        "exceeds the available context size",
        "greater than the context length",
        "maximum prompt length",
        "context window exceeds limit",
        "exceeded model token limit",
        "input is too long for requested model",
    ]
    .iter()
    .any(|words| text.contains(words))
}
