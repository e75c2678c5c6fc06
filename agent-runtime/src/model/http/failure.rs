//! What is said of a request that failed.

use super::endpoint::{Endpoint, shown};
use crate::error::Error;
use crate::model::{FinishReason, ModelReply};
use crate::tool::shortened;
use reqwest::Url;
use serde_json::Value;
use std::time::Duration;

/// How much of an answer is quoted, in bytes.
const QUOTED: usize = 500;

/// The words about one request, none of which holds its key.
pub(crate) struct Failure<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) url: &'a Url,
}

impl Failure<'_> {
    /// Returns a body as text for a log, with its secrets replaced.
    pub(super) fn redacted(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        self.endpoint.redactor.log_text(&text)
    }

    /// Shortens a body that was cut, by the end that may be a part of a secret: it is not recognised.
    pub(super) fn without_cut_secret(&self, body: &mut Vec<u8>) {
        body.truncate(body.len() - self.endpoint.redactor.pending(body));
    }

    /// The answer without secrets in what traces show of it: a server may send anything back.
    pub(crate) fn redacted_reply(&self, mut reply: ModelReply) -> ModelReply {
        let redactor = &self.endpoint.redactor;
        for text in [&mut reply.id, &mut reply.model].into_iter().flatten() {
            *text = redactor.text(text);
        }
        if let FinishReason::Other(word) = &mut reply.finish_reason {
            *word = redactor.text(word);
        }
        reply
    }

    /// Prepares a text of a server for a message: redacted, on one line, shortened.
    pub(super) fn quote(&self, text: &str) -> String {
        let text = self.endpoint.redactor.log_text(text);
        let line: Vec<&str> = text.split_whitespace().collect();
        shortened(&line.join(" ").replace(steers, "\u{fffd}"), QUOTED)
    }

    /// The same after a colon, or nothing when nothing was said.
    fn after_a_colon(&self, text: &str) -> String {
        match self.quote(text) {
            quoted if quoted.is_empty() => quoted,
            quoted => format!(": {quoted}"),
        }
    }

    fn place(&self) -> String {
        format!("{} at {}", self.endpoint.provider, shown(self.url))
    }

    /// An answer with a status that is no success.
    pub(super) fn status(&self, status: u16, request_id: Option<&str>, body: &[u8]) -> Error {
        let mut text = format!("{} answered with status {status}", self.place());
        if let Some(id) = request_id {
            text.push_str(&format!(" (request {})", self.quote(id)));
        }
        text.push_str(&self.after_a_colon(&said(body)));
        if matches!(status, 401 | 403) {
            let why = match &self.endpoint.withheld {
                _ if self.endpoint.has_key => "the key was refused",
                Some(why) => why,
                None => "no key was sent, since none is set",
            };
            return Error::configuration(format!("{text}; {why}"));
        }
        if status == 407 {
            return Error::configuration(format!(
                "{text}; a proxy on the way wants a user name and password, which stand in its \
                 address, in the variable `http_proxy` or `https_proxy`"
            ));
        }
        if let Some(path) = self.repeated().filter(|_| matches!(status, 404 | 405)) {
            text.push_str(&format!(
                "; the base URL ends with `{}`, which is added to it: leave it out there",
                path.escape_debug()
            ));
        }
        let error = Error::llm(text);
        if super::retry::is_passing(status) {
            error.into_unavailable()
        } else {
            error
        }
    }

    /// The part of the provider's path with which the base URL ends already.
    fn repeated(&self) -> Option<&str> {
        let base = self.endpoint.url.path().trim_end_matches('/');
        let own = self.url.path().strip_prefix(base)?;
        let mut ends = own.match_indices('/').map(|(at, _)| at).skip(1);
        let parts = ends.by_ref().map(|end| &own[..end]).chain([own]);
        let parts: Vec<&str> = parts.collect();
        parts
            .into_iter()
            .rev()
            .find(|part| part.len() > 1 && base.ends_with(part))
    }

    /// An answer that points elsewhere. It is never followed, since a key might go along.
    pub(super) fn redirect(&self, status: u16, location: &str) -> Error {
        let target = self.url.join(location).map(|url| shown(&url));
        let target = target.unwrap_or_else(|_| "somewhere else".to_owned());
        Error::llm(format!(
            "{} redirects to {} (status {status}); redirects are not followed, so set the base URL \
             to the right address",
            self.place(),
            self.quote(&target)
        ))
    }

    /// No answer at all, or one that broke off.
    pub(super) fn transport(&self, what: &str, error: reqwest::Error) -> Error {
        let text = format!("{} {what}", self.place());
        // The error would repeat the address, with its query.
        Error::llm(text)
            .with_source(error.without_url())
            .into_unavailable()
    }

    /// An answer that stopped before it was complete.
    pub(crate) fn broken_off(&self) -> Error {
        let text = format!("{} broke its answer off", self.place());
        Error::llm(text).into_unavailable()
    }

    /// No answer, or not all of it, within the time.
    pub(super) fn late(&self) -> Error {
        let text = format!("{} did not answer in time", self.place());
        Error::llm(text).into_unavailable()
    }

    /// An answer that is compressed, though nobody said that it may be.
    pub(super) fn encoded(&self, encoding: &str) -> Error {
        Error::llm(format!(
            "{} sends its answer in the encoding `{}`, which was not asked for and is not read",
            self.place(),
            self.quote(encoding)
        ))
    }

    /// An answer that holds bytes that are no text.
    pub(crate) fn not_text(&self) -> Error {
        Error::llm(format!("{} gave an answer that is not UTF-8", self.place()))
    }

    /// An answer without anything in it.
    pub(crate) fn empty(&self) -> Error {
        let text = format!("{} gave an empty answer", self.place());
        Error::llm(text).into_unavailable()
    }

    /// An answer in which nothing came for too long.
    pub(super) fn silent(&self, limit: Duration) -> Error {
        let text = format!("{} sent nothing for {limit:?}", self.place());
        Error::llm(text).into_unavailable()
    }

    /// An answer that is too long to be one.
    pub(super) fn too_long(&self, most: usize) -> Error {
        Error::llm(format!(
            "{} answered with more than {} MB",
            self.place(),
            most / 1_048_576
        ))
    }

    /// An error that an answer with a status of success reports. Words that servers use for what
    /// may pass make it one after which another model may be tried.
    pub(crate) fn reported(&self, body: &[u8]) -> Error {
        let said = self.after_a_colon(&said(body));
        let error = Error::llm(format!("{} reports an error{said}", self.place()));
        if says_passing(body) {
            error.into_unavailable()
        } else {
            error
        }
    }

    /// An answer that cannot be understood.
    pub(crate) fn unreadable(&self, why: &str, body: &[u8]) -> Error {
        let body = self.after_a_colon(&String::from_utf8_lossy(body));
        Error::llm(format!("{} gave an answer that {why}{body}", self.place()))
    }
}

/// Whether a character could steer the terminal that a message is shown on: controls, and those that
/// turn the direction of writing.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The message in the body of an error, in whatever form vendors give it, else the body.
fn said(body: &[u8]) -> String {
    let places = ["/error/message", "/error", "/message", "/detail"];
    let json = object(body);
    let texts = places
        .iter()
        .filter_map(|place| json.as_ref()?.pointer(place)?.as_str());
    match texts.into_iter().find(|text| !text.trim().is_empty()) {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(body).into_owned(),
    }
}

/// The JSON of an error's body. Google puts it into a list where it would have listed the pieces of an
/// answer.
fn object(body: &[u8]) -> Option<Value> {
    match serde_json::from_slice(body).ok()? {
        Value::Array(items) => items.into_iter().next(),
        json => Some(json),
    }
}

/// Whether an error calls itself one that may pass: by OpenAI's and Anthropic's words for its type,
/// Google's for its status, or an HTTP status as its code.
fn says_passing(body: &[u8]) -> bool {
    let json = object(body);
    let Some(error) = json.as_ref().and_then(|json| json.get("error")) else {
        return false;
    };
    let words = ["type", "status", "code"].into_iter();
    let mut words = words.filter_map(|key| error.get(key)?.as_str());
    let status = error.get("code").and_then(Value::as_u64);
    let status = status.and_then(|status| u16::try_from(status).ok());
    status.is_some_and(super::retry::is_passing)
        || words.any(|word| {
            matches!(
                word,
                "overloaded_error"
                    | "rate_limit_error"
                    | "rate_limit_exceeded"
                    | "api_error"
                    | "server_error"
                    | "timeout_error"
                    | "UNAVAILABLE"
                    | "RESOURCE_EXHAUSTED"
                    | "INTERNAL"
                    | "DEADLINE_EXCEEDED"
            )
        })
}
