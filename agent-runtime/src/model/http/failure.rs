//! The errors of a request, with all secrets redacted.

use super::base_url::display_url;
use super::endpoint::Endpoint;
use super::refusal;
use super::report::Report;
use super::retry::is_transient;
use agent_core::model::{FinishReason, ModelReply};
use agent_spec::terminal;
use agent_tool::__private::{Cause, shortened};
use agent_tool::Error;
use reqwest::Url;
use std::error::Error as StdError;
use std::io;
use std::time::Duration;

/// The maximum number of bytes of an answer that an error quotes.
const QUOTED: usize = 500;

/// Creates the errors of one request.
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

    /// Removes the end of a truncated body if it may be the beginning of a secret, which the redactor does
    /// not find there.
    pub(super) fn without_cut_secret(&self, body: &mut Vec<u8>) {
        body.truncate(body.len() - self.endpoint.redactor.pending(body));
    }

    /// Redacts the parts of a reply that traces show, because a server may repeat the key there.
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

    /// Prepares a server's text for a message: redacted, on one line, shortened.
    pub(crate) fn quote(&self, text: &str) -> String {
        let text = self.endpoint.redactor.log_text(text);
        let line: Vec<&str> = text.split_whitespace().collect();
        shortened(&terminal::text(&line.join(" ")), QUOTED)
    }

    /// Returns a quoted text after a colon; nothing for an empty text.
    fn quote_after_colon(&self, text: &str) -> String {
        match self.quote(text) {
            quoted if quoted.is_empty() => quoted,
            quoted => format!(": {quoted}"),
        }
    }

    fn server(&self) -> String {
        format!("{} at {}", self.endpoint.provider, display_url(self.url))
    }

    /// The error of an answer without a success status.
    pub(super) fn status(
        &self,
        status: u16,
        request_id: Option<&str>,
        report: &Report<'_>,
    ) -> Error {
        let mut text = format!("{} answered with status {status}", self.server());
        if let Some(id) = request_id {
            text.push_str(&format!(" (request {})", self.quote(id)));
        }
        text.push_str(&self.quote_after_colon(&report.text()));
        let cause = report.cause(Some(status));
        add_advice(&mut text, cause);
        // Gateways that moderate answer with 403, too.
        if matches!(status, 401 | 403) && cause != Some(Cause::Refused) {
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
        let told = matches!(status, 400 | 404).then(|| refusal::read(&report.text()));
        let error = Error::llm(text)
            .with_cause(cause)
            .with_refusal(told.flatten());
        with_wait(error, report, is_transient(status))
    }

    /// Returns the part of the provider's path that the URL has twice, because the base URL already ends with
    /// it.
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

    /// The error of a redirect. Redirects are not followed, because the key would be sent along.
    pub(super) fn redirect(&self, status: u16, location: &str) -> Error {
        let target = self.url.join(location).map(|url| display_url(&url));
        let target = target.unwrap_or_else(|_| "somewhere else".to_owned());
        Error::llm(format!(
            "{} redirects to {} (status {status}); redirects are not followed, so set the base URL \
             to the right address",
            self.server(),
            self.quote(&target)
        ))
    }

    /// The error of a connection that failed before or within an answer, with the first cause in its text:
    /// "connection refused".
    pub(super) fn transport(&self, problem: &str, error: reqwest::Error) -> Error {
        let cause = self.quote_after_colon(&first_cause(&error));
        self.with_transport(format!("{} {problem}{cause}", self.server()), error)
    }

    /// The error of a server whose certificate is not accepted, which `problem` explains.
    pub(super) fn untrusted(&self, problem: &str, error: reqwest::Error) -> Error {
        self.with_transport(format!("{} {problem}", self.server()), error)
    }

    fn with_transport(&self, text: String, error: reqwest::Error) -> Error {
        let is_timeout = error.is_timeout();
        // The message of `error` has the URL with its query, which may hold secrets.
        let error = Error::llm(text).with_source(error.without_url());
        match is_timeout {
            true => error.into_timeout(),
            false => error.into_unavailable(),
        }
    }

    /// The error of an answer that ended before it was complete.
    pub(crate) fn broken_off(&self) -> Error {
        let text = format!("{} broke its answer off", self.server());
        Error::llm(text).into_unavailable()
    }

    /// The error of an answer that is not complete within the time limit.
    pub(super) fn timed_out(&self) -> Error {
        let text = format!("{} did not answer in time", self.server());
        Error::llm(text).into_timeout()
    }

    /// The error of an answer that is compressed in another way than the request allows.
    pub(super) fn encoded(&self, encoding: &str) -> Error {
        Error::llm(format!(
            "{} sends its answer in the encoding `{}`, which was not asked for and is not read",
            self.server(),
            self.quote(encoding)
        ))
    }

    /// The error of an answer that is not UTF-8.
    pub(crate) fn not_text(&self) -> Error {
        Error::llm(format!(
            "{} gave an answer that is not UTF-8",
            self.server()
        ))
    }

    /// The error of an empty answer.
    pub(crate) fn empty(&self) -> Error {
        let text = format!("{} gave an empty answer", self.server());
        Error::llm(text).into_unavailable()
    }

    /// The error of a streamed answer that paused for longer than the idle limit.
    pub(super) fn silent(&self, limit: Duration) -> Error {
        let text = format!("{} sent nothing for {limit:?}", self.server());
        Error::llm(text).into_timeout()
    }

    /// The error of an answer that is longer than allowed.
    pub(super) fn too_long(&self, max_length: usize) -> Error {
        Error::llm(format!(
            "{} answered with more than {} MB",
            self.server(),
            max_length / 1_048_576
        ))
    }

    /// The error that an answer with a success status reports. A transient one allows a fallback model.
    pub(crate) fn reported(&self, body: &[u8]) -> Error {
        let report = Report::parse(body);
        let text = self.quote_after_colon(&report.text());
        let cause = report.cause(None);
        let mut text = format!("{} reports an error{text}", self.server());
        add_advice(&mut text, cause);
        let error = Error::llm(text).with_cause(cause);
        with_wait(error, &report, report.is_transient())
    }

    /// The error of an answer with a call that the program would have to make, of a tool that is no function.
    pub(crate) fn not_run(&self, item: &str) -> Error {
        Error::llm(format!(
            "{} gave an answer with the item {}, a call of a tool of the provider's own that the program should make; \
             the runtime calls functions only, so leave that tool out of the request",
            self.server(),
            self.quote(item)
        ))
    }

    /// The error of an answer that cannot be parsed.
    pub(crate) fn unreadable(&self, problem: &str, body: &[u8]) -> Error {
        let body = self.quote_after_colon(&String::from_utf8_lossy(body));
        Error::llm(format!(
            "{} gave an answer that {problem}{body}",
            self.server()
        ))
    }
}

/// Returns an error with the time to wait that its report has.
fn with_wait(error: Error, report: &Report<'_>, is_transient: bool) -> Error {
    let error = match report.wait() {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    };
    match is_transient {
        true => error.into_unavailable(),
        false => error,
    }
}

/// Adds advice to an error, if the server's own text has none.
fn add_advice(text: &mut String, cause: Option<Cause>) {
    if cause == Some(Cause::ThoughtsRefused) {
        text.truncate(text.trim_end_matches('.').len());
        text.push_str(
            "; thoughts are accepted only as the model wrote them, and with the key, the organization and the region \
             of that time: use these again, or leave out the earlier answers",
        );
    }
}

/// Returns the causes of an error, the innermost last. Errors around it may have the whole URL, with a key.
pub(super) fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    std::iter::successors(error.source(), |cause| (*cause).source())
}

/// Returns the text of the innermost cause of an error, without the number of the operating system.
fn first_cause(error: &reqwest::Error) -> String {
    let Some(cause) = causes(error).last() else {
        return String::new();
    };
    let text = cause.to_string();
    match cause.downcast_ref::<io::Error>() {
        // The text of the kind, such as "connection refused", because the system's text is in the language of
        // the user.
        Some(error) if is_common(error.kind()) => error.kind().to_string(),
        _ => match text.split_once(" (os error ") {
            Some((text, _)) => text.to_owned(),
            None => text,
        },
    }
}

/// Whether a kind of error has a text that says enough by itself.
fn is_common(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable,
        NetworkUnreachable, TimedOut,
    };
    matches!(
        kind,
        BrokenPipe
            | ConnectionAborted
            | ConnectionRefused
            | ConnectionReset
            | HostUnreachable
            | NetworkUnreachable
            | TimedOut
    )
}
