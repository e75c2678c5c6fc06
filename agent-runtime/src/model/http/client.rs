//! The HTTP client that all requests of a runtime share: proxies, attempts, time limits, bodies.

use super::base_url::display_url;
use super::endpoint::Endpoint;
use super::failure::{Failure, causes};
use super::fetched_media::FetchedMedia;
use super::large_answers::{LargeAnswers, MAX_BODY, Turn, extend};
use super::report::Report;
use super::retry::{self, Retry, is_transient, milliseconds, retry_after};
use super::span::{Resent, record_server};
use agent_core::__private::{Gate, Report as LimitReport};
use agent_http::{
    CERTIFICATE_FILE, certificate_problem, rejecting_tls_config, tls_config, with_proxies,
};
use agent_tool::trace::WIRE;
use agent_tool::{Environment, Error};
use hyper::body::Bytes;
use reqwest::header::{AsHeaderName, CONTENT_ENCODING, LOCATION, RETRY_AFTER};
use reqwest::{Client, Method, Request, Response, Url, redirect};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use std::{fmt, io};
use tokio::time::timeout;

/// The maximum number of bytes of the body of an error. A broken server can send an error without end, which would fill
/// the memory.
const MAX_ERROR_BODY: usize = 1_048_576;

/// The time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time limit for reading the text of an error. After that the error has only its status.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// Retries and time limits of requests.
#[derive(Clone, Debug)]
pub(crate) struct HttpSettings {
    pub(crate) retry: Retry,
    /// The time limit of a request with all its attempts. For a streamed answer it ends when the answer
    /// begins.
    pub(crate) timeout: Duration,
    /// The time limit between two pieces of a streamed answer.
    pub(crate) idle: Duration,
}

/// A client that is created for the first request, because creating it reads the system's certificates.
#[derive(Clone)]
pub(crate) struct HttpClient {
    client: Arc<Mutex<Option<Client>>>,
    pub(super) environment: Environment,
    /// The media that were fetched for providers, which the clients of a runtime share.
    pub(super) fetched: Arc<FetchedMedia>,
    pub(super) settings: HttpSettings,
    /// The gate of a provider with limits, which every request has passed.
    gate: Option<Arc<Gate>>,
    /// The turns of large answers, which the clients of a runtime share.
    pub(super) large_answers: LargeAnswers,
}

impl HttpClient {
    pub(crate) fn new(environment: Environment, settings: HttpSettings) -> Self {
        Self {
            client: Arc::default(),
            environment,
            fetched: Arc::default(),
            settings,
            gate: None,
            large_answers: LargeAnswers::default(),
        }
    }

    /// Returns a client for the provider of a gate, which shares its connections with this one.
    pub(crate) fn with_gate(&self, gate: Option<&Arc<Gate>>) -> Self {
        Self {
            gate: gate.cloned(),
            ..self.clone()
        }
    }

    /// Begins the attempts of a request.
    pub(crate) fn attempts<'a>(&'a self, request: &'a HttpRequest<'a>) -> Attempts<'a> {
        Attempts {
            client: self,
            request,
            deadline: Deadline::after(self.settings.timeout),
            attempt: 0,
            failures: 0,
            resent: Resent::never(),
            is_answered: false,
            broken: None,
        }
    }

    /// Sends a request and reads its answer. Dropping the future cancels the request.
    pub(crate) async fn post(&self, attempts: &mut Attempts<'_>) -> Result<Vec<u8>, Error> {
        let response = attempts.send().await?;
        let failure = attempts.request.failure();
        let status = response.status().as_u16();
        let mut turn = self.large_answers.turn();
        let body = success_body(response, &mut turn, &failure);
        let body = timeout(attempts.deadline.remaining(), body).await;
        let body = body.unwrap_or_else(|_| Err(failure.timed_out()))?;
        tracing::trace!(target: WIRE, status, body = %failure.redacted(&body), "response");
        Ok(body)
    }

    fn client(&self) -> Result<Client, Error> {
        let mut held = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*held {
            return Ok(client.clone());
        }
        let client = build_client(&self.environment)?;
        *held = Some(client.clone());
        Ok(client)
    }
}

/// The attempts of a request. Those that get no answer and those whose answer breaks off count together.
pub(crate) struct Attempts<'a> {
    client: &'a HttpClient,
    pub(super) request: &'a HttpRequest<'a>,
    deadline: Deadline,
    attempt: u32,
    /// The number of failed attempts that count towards the maximum.
    failures: u32,
    resent: Resent,
    /// Whether an answer with a success status began.
    is_answered: bool,
    /// The error of the last answer that could not be read.
    broken: Option<Error>,
}

impl Attempts<'_> {
    /// Sends the request, with retries, until an answer with a success status begins.
    pub(super) async fn send(&mut self) -> Result<Response, Error> {
        let request = self.request;
        let failure = request.failure();
        let client = self.client.client()?;
        tracing::trace!(
            target: WIRE,
            url = failure.redacted(display_url(&request.url).as_bytes()),
            // The conversation may hold the key, because a tool or a user wrote it there.
            body = %failure.redacted(&request.body),
            "request"
        );
        record_server(&request.url);
        self.is_answered = false;
        loop {
            self.attempt += 1;
            // Not reqwest's own timeout, which would also limit the reading of a streamed answer.
            let sent = client.execute(request.to_reqwest());
            let sent = timeout(self.deadline.remaining(), sent).await;
            let sent = sent.map_err(|_| failure.timed_out());
            if let (Ok(Ok(response)), Some(gate)) = (&sent, &self.client.gate) {
                gate.report(&reported_limits(response));
            }
            let is_transport_error = matches!(sent, Ok(Err(_)));
            let failed = match sent {
                Ok(Ok(response)) if response.status().is_success() => {
                    tracing::debug!(
                        request_id = request_id(&response).map(|id| failure.quote(&id)),
                        "answered"
                    );
                    self.is_answered = true;
                    return Ok(response);
                }
                Ok(Ok(response)) => transient_status(response, &failure).await,
                Ok(Err(error)) => transient_transport(error, &failure).map(|error| (error, None)),
                Err(error) => Err(error),
            };
            let paused = match failed {
                Ok((error, asked)) => self.pause(error, asked).await,
                Err(error) => Err(error),
            };
            if let Err(error) = paused {
                // The error of an answer that broke off is preferred to that of a failed connection, because
                // it describes the server better.
                let broken = self.broken.take().filter(|_| is_transport_error);
                return Err(broken.unwrap_or(error));
            }
        }
    }

    /// Waits before the next attempt, after an answer that began and could not be read.
    ///
    /// # Errors
    /// The error of that answer, if no retry may help or none is left.
    pub(crate) async fn pause_after_answer(&mut self, error: Error) -> Result<(), Error> {
        // After a time limit, another attempt would wait as long again.
        if !self.is_answered || !error.is_unavailable() || error.is_timeout() {
            return Err(error);
        }
        let asked = error.retry_after();
        self.broken = Some(self.pause(error, asked).await?);
        Ok(())
    }

    /// Waits before the next attempt, and returns the error of the last one. `asked` is the pause that the server asks for.
    ///
    /// # Errors
    /// The error, if no attempt is left.
    async fn pause(&mut self, error: Error, asked: Option<Duration>) -> Result<Error, Error> {
        let (retry, gate) = (&self.client.settings.retry, &self.client.gate);
        let remaining = self.deadline.remaining();
        let pause = asked.unwrap_or_else(|| retry.pause(self.attempt));
        let limited = gate.as_ref().filter(|_| error.is_rate_limited());
        if let Some(gate) = limited {
            gate.refused(Some(pause));
        }
        // With limits, a request waits for its turn when the provider limits the rate; that is no failure.
        let most = retry.attempts;
        if limited.is_none() || most == 1 {
            self.failures += 1;
        }
        if self.failures >= most || pause >= remaining {
            return Err(match asked.filter(|asked| *asked >= remaining) {
                Some(asked) => error.and(&retry::too_long(asked, remaining)),
                None => error,
            });
        }
        // The log leaves out the text of the error, because the text may quote the conversation.
        let (provider, attempt) = (&self.request.endpoint.provider, self.attempt);
        tracing::debug!(provider, attempt, ?pause, "a request is sent again");
        match gate {
            None => tokio::time::sleep(pause).await,
            Some(gate) => {
                let turn = timeout(remaining, gate.retry(pause)).await;
                if !matches!(turn, Ok(Ok(()))) {
                    return Err(error);
                }
            }
        }
        self.resent.once_more();
        Ok(error)
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("HttpClient")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// A JSON text for a resource of an endpoint.
pub(crate) struct HttpRequest<'a> {
    endpoint: &'a Endpoint,
    url: Url,
    /// Shared by the attempts.
    body: Bytes,
    /// The hash of the conversation, for a format that remembers the conversation before an answer.
    pub(crate) conversation: Option<u64>,
}

impl<'a> HttpRequest<'a> {
    pub(crate) fn new(
        endpoint: &'a Endpoint,
        path: &[&str],
        query: &[(&str, &str)],
        body: String,
    ) -> Self {
        Self {
            endpoint,
            url: endpoint.join(path, query),
            body: body.into(),
            conversation: None,
        }
    }

    #[cfg(test)]
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Whether another request has the same body.
    pub(crate) fn has_body_of(&self, other: &HttpRequest<'_>) -> bool {
        self.body == other.body
    }

    /// Returns the errors of this request.
    pub(crate) fn failure(&self) -> Failure<'_> {
        Failure {
            endpoint: self.endpoint,
            url: &self.url,
        }
    }

    fn to_reqwest(&self) -> Request {
        let mut request = Request::new(Method::POST, self.url.clone());
        *request.headers_mut() = self.endpoint.headers.clone();
        *request.body_mut() = Some(self.body.clone().into());
        request
    }
}

/// The end of the time limit of a request. `None` is no limit, for a limit beyond the range of the clock.
#[derive(Clone, Copy)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    pub(super) fn after(limit: Duration) -> Self {
        Self(Instant::now().checked_add(limit))
    }

    pub(super) fn remaining(self) -> Duration {
        match self.0 {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        }
    }
}

/// Builds a client with the proxies and certificates of an environment. That is the environment of the
/// runtime and not of the process, so that a host can give the runtime another one.
fn build_client(environment: &Environment) -> Result<Client, Error> {
    let file = environment.read(CERTIFICATE_FILE)?;
    // Missing certificates are no error yet, because servers over plain `http` can be used.
    let tls = tls_config(file.as_deref()).or_else(rejecting_tls_config);
    let tls =
        tls.map_err(|reason| Error::configuration(format!("cannot set up encryption: {reason}")))?;
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        // Otherwise a piece of a streamed answer waits for the next one to fill a packet.
        .tcp_nodelay(true)
        .user_agent(concat!("agent-runtime/", env!("CARGO_PKG_VERSION")));
    with_proxies(builder, |name| environment.read(name), Error::configuration)?
        .build()
        .map_err(|error| Error::configuration("cannot set up HTTP").with_source(error))
}

/// Returns the error of a transient status and the pause that the server asks for.
///
/// # Errors
/// The error of any other status.
async fn transient_status(
    response: Response,
    failure: &Failure<'_>,
) -> Result<(Error, Option<Duration>), Error> {
    let is_transient = is_transient(response.status().as_u16());
    let asked = asked_pause(&response);
    let (mut error, is_out_of_credit) = status_error(response, failure).await;
    if let Some(pause) = asked {
        error = error.with_retry_after(pause);
    }
    if is_transient && !is_out_of_credit {
        let asked = error.retry_after();
        Ok((error, asked))
    } else {
        Err(error)
    }
}

/// Returns the error of a request without an answer, if a retry may help: the server is unreachable, or
/// closed a kept-alive connection.
///
/// # Errors
/// The error if no retry helps.
fn transient_transport(error: reqwest::Error, failure: &Failure<'_>) -> Result<Error, Error> {
    if let Some(problem) = certificate_problem(&error) {
        Err(failure.untrusted(&problem, error))
    } else if error.is_connect() {
        Ok(failure.transport("cannot be reached", error))
    } else if error.is_timeout() {
        Err(failure.timed_out())
    } else {
        let is_transient = was_closed(&error);
        let error = failure.transport("gave no answer", error);
        if is_transient { Ok(error) } else { Err(error) }
    }
}

/// Whether the connection ended before an answer began. A server may close a kept-alive connection at the
/// moment at which the next request is sent.
fn was_closed(error: &reqwest::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    causes(error).any(|cause| {
        let hyper = cause.downcast_ref::<hyper::Error>();
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        hyper.is_some_and(|error| error.is_incomplete_message() || error.is_canceled())
            || matches!(io, Some(BrokenPipe | ConnectionAborted | ConnectionReset))
    })
}

/// Returns the text of a header.
pub(super) fn header(response: &Response, name: impl AsHeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    value.to_str().ok().map(str::to_owned)
}

/// Returns the id that the server gave the request, for its support.
fn request_id(response: &Response) -> Option<String> {
    ["x-request-id", "request-id", "x-goog-request-id"]
        .into_iter()
        .find_map(|name| header(response, name))
}

/// Rejects an answer with a compression that the request does not allow. An allowed compression was decoded
/// before, and its header was removed.
pub(super) fn check_encoding(response: &Response, failure: &Failure<'_>) -> Result<(), Error> {
    match header(response, CONTENT_ENCODING) {
        Some(encoding) if !encoding.trim().is_empty() && encoding != "identity" => {
            Err(failure.encoded(&encoding))
        }
        _ => Ok(()),
    }
}

/// Reads the body of an answer with a success status.
async fn success_body(
    response: Response,
    turn: &mut Turn,
    failure: &Failure<'_>,
) -> Result<Vec<u8>, Error> {
    check_encoding(&response, failure)?;
    match read_body(response, MAX_BODY, turn).await {
        Ok(Some(body)) => Ok(body),
        Ok(None) => Err(failure.too_long(MAX_BODY)),
        Err(error) if error.is_timeout() => Err(failure.timed_out()),
        Err(error) => Err(failure.transport("broke its answer off", error)),
    }
}

/// Returns the pause that a server asks for in the headers of an answer.
fn asked_pause(response: &Response) -> Option<Duration> {
    // OpenAI and Azure send the milliseconds, too.
    let exact = header(response, "retry-after-ms").and_then(|text| milliseconds(&text));
    exact.or_else(|| {
        let text = header(response, RETRY_AFTER)?;
        retry_after(&text, SystemTime::now())
    })
}

/// Returns the limits that the headers of an answer report.
fn reported_limits(response: &Response) -> LimitReport {
    let header = |name: &str| response.headers().get(name)?.to_str().ok();
    LimitReport::from_headers(header, SystemTime::now())
}

/// Reads the error that an answer without a success status reports, and whether it says that the account has
/// no credit left.
async fn status_error(response: Response, failure: &Failure<'_>) -> (Error, bool) {
    let status = response.status().as_u16();
    if response.status().is_redirection()
        && let Some(location) = header(&response, LOCATION)
    {
        return (failure.redirect(status, &location), false);
    }
    let request_id = request_id(&response);
    // A body that cannot be read counts as empty.
    let body = timeout(
        ERROR_BODY_TIMEOUT,
        read_body(response, MAX_ERROR_BODY, &mut Turn::free()),
    )
    .await;
    let body = body.ok().and_then(Result::ok).flatten();
    let body = body.unwrap_or_default();
    tracing::trace!(target: WIRE, status, body = %failure.redacted(&body), "response");
    let report = Report::parse(&body);
    let error = failure.status(status, request_id.as_deref(), &report);
    (error, report.is_out_of_credit())
}

/// Reads a body. Returns `None` for a body that is longer than allowed, without reading the rest.
async fn read_body(
    mut response: Response,
    max_length: usize,
    turn: &mut Turn,
) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > max_length {
            return Ok(None);
        }
        extend(&mut body, &chunk, max_length);
        turn.wait(body.len()).await;
    }
    Ok(Some(body))
}
