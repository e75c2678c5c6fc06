//! What is said of a request that failed.

use super::endpoint::shown;
use super::secret::Secret;
use crate::error::Error;
use crate::tool::shortened;
use reqwest::Url;

/// How much of an answer is quoted, in bytes.
const QUOTED: usize = 500;

/// The words about one request, none of which holds its key.
pub(crate) struct Failure<'a> {
    pub(crate) provider: &'a str,
    pub(crate) url: &'a Url,
    pub(crate) key: Option<&'a Secret>,
}

impl Failure<'_> {
    /// A body as text, without the key.
    pub(super) fn masked(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        match self.key {
            Some(key) => key.mask(&text),
            None => text.into_owned(),
        }
    }

    /// A text that comes from outside: masked, on one line, cut.
    fn quote(&self, text: &str) -> String {
        let text = match self.key {
            Some(key) => key.mask(text),
            None => text.to_owned(),
        };
        let line: Vec<&str> = text.split_whitespace().collect();
        shortened(&line.join(" "), QUOTED)
    }

    fn place(&self) -> String {
        format!("{} at {}", self.provider, shown(self.url))
    }

    /// An answer with a status that is no success.
    pub(super) fn status(&self, status: u16, request_id: Option<&str>, body: &[u8]) -> Error {
        let mut text = format!("{} answered with status {status}", self.place());
        if let Some(id) = request_id {
            text.push_str(&format!(" (request {})", self.quote(id)));
        }
        let said = said(body);
        if !said.is_empty() {
            text.push_str(&format!(": {}", self.quote(&said)));
        }
        if matches!(status, 401 | 403) {
            let why = match self.key {
                Some(_) => "the key was refused",
                None => "no key was sent: none is set, or the address is not one that gets it",
            };
            return Error::configuration(format!("{text}; {why}"));
        }
        let error = Error::llm(text);
        if super::backoff::is_passing(status) {
            error.into_unavailable()
        } else {
            error
        }
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

    /// An answer that is too long to be one.
    pub(super) fn too_long(&self, most: usize) -> Error {
        Error::llm(format!(
            "{} answered with more than {} MB",
            self.place(),
            most / 1_048_576
        ))
    }

    /// An answer that cannot be understood.
    pub(crate) fn unreadable(&self, why: &str, body: &[u8]) -> Error {
        let body = String::from_utf8_lossy(body);
        Error::llm(format!(
            "{} gave an answer that {why}: {}",
            self.place(),
            self.quote(&body)
        ))
    }

    /// A key that no header can hold.
    pub(super) fn bad_key(&self) -> Error {
        Error::configuration(format!(
            "the key for {} holds characters that a header cannot",
            self.place()
        ))
    }
}

/// The message in the body of an error, in whatever form vendors give it, else the body.
fn said(body: &[u8]) -> String {
    let parsed: Result<serde_json::Value, _> = serde_json::from_slice(body);
    if let Ok(json) = parsed {
        let places = ["/error/message", "/error", "/message", "/detail"];
        let texts = places
            .iter()
            .filter_map(|place| json.pointer(place)?.as_str());
        if let Some(text) = texts.into_iter().next() {
            return text.to_owned();
        }
    }
    String::from_utf8_lossy(body).into_owned()
}
