//! The client that all requests of a runtime share.

use super::endpoint::{Endpoint, Path, shown};
use super::failure::Failure;
use super::retry::{self, Retry, is_passing, retry_after};
use super::tls::{self, distrusted};
use crate::env::Environment;
use crate::error::Error;
use crate::trace::{self, WIRE};
use hyper::body::Bytes;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Client, ClientBuilder, Method, NoProxy, Proxy, Request, Response, Url, redirect};
use std::error::Error as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use std::{fmt, io};
use tokio::time::timeout;

/// How requests are sent.
#[derive(Clone, Debug)]
pub(crate) struct HttpSettings {
    pub(crate) retry: Retry,
    /// How long a request may take, further tries included; of a streamed answer, until it begins.
    pub(crate) timeout: Duration,
    /// How long a streamed answer may send nothing at all.
    pub(crate) idle: Duration,
}

/// A client that is made when it is first needed: making one reads the system's certificates.
#[derive(Clone)]
pub(crate) struct HttpClient {
    client: Arc<Mutex<Option<Client>>>,
    environment: Environment,
    pub(super) settings: HttpSettings,
}

impl HttpClient {
    pub(crate) fn new(environment: Environment, settings: HttpSettings) -> Self {
        Self {
            client: Arc::default(),
            environment,
            settings,
        }
    }

    pub(super) fn client(&self) -> Result<Client, Error> {
        let mut held = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*held {
            return Ok(client.clone());
        }
        let client = build_client(&self.environment)?;
        *held = Some(client.clone());
        Ok(client)
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("HttpClient")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Proxies come from the runtime's environment, not from the process's, so that a test or a host
/// that gives an environment of its own is not disturbed.
fn build_client(environment: &Environment) -> Result<Client, Error> {
    let mut builder = Client::builder()
        .tls_backend_preconfigured(tls::config(environment)?)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT)
        // A part of a streamed answer must not wait for the next one to fill a packet.
        .tcp_nodelay(true)
        .user_agent(concat!("agent-runtime/", env!("CARGO_PKG_VERSION")));
    let setting = |names: &[&'static str]| {
        let mut names = names.iter();
        let found = names.find_map(|name| match environment.read(name) {
            Ok(value) => Some(Ok((*name, value?))),
            Err(error) => Some(Err(error)),
        });
        found.transpose()
    };
    let direct = setting(&["no_proxy", "NO_PROXY"])?.map(|(_, list)| list);
    let direct = direct.unwrap_or_default();
    // For reqwest a star stands for names, and not for addresses.
    if direct.split(',').any(|host| host.trim() == "*") {
        return build(builder);
    }
    let direct = NoProxy::from_string(&direct);
    let https = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    if let Some((name, address)) = setting(&https)? {
        let proxy = Proxy::https(proxy_url(name, &address)?).map_err(|_| bad_proxy(name))?;
        builder = builder.proxy(proxy.no_proxy(direct.clone()));
    }
    // `HTTP_PROXY` in capitals is what a CGI script gets from a request's `Proxy` header.
    if let Some((name, address)) = setting(&["http_proxy", "all_proxy", "ALL_PROXY"])? {
        let proxy = Proxy::http(proxy_url(name, &address)?).map_err(|_| bad_proxy(name))?;
        builder = builder.proxy(proxy.no_proxy(direct));
    }
    build(builder)
}

fn build(builder: ClientBuilder) -> Result<Client, Error> {
    builder
        .build()
        .map_err(|error| Error::configuration("cannot set up HTTP").with_source(error))
}

/// The address of a proxy. For reqwest one with a scheme that it does not know is none, so that
/// requests would go past the proxy without a word.
fn proxy_url(variable: &str, address: &str) -> Result<Url, Error> {
    let url = match address.contains("://") {
        true => Url::parse(address),
        false => Url::parse(&format!("http://{address}")),
    };
    let url = url.map_err(|_| bad_proxy(variable))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        _ => Err(bad_proxy(variable)),
    }
}

/// Names the variable, but neither its value nor the cause, which quotes it: a proxy's address may
/// hold a password.
fn bad_proxy(variable: &str) -> Error {
    Error::configuration(format!(
        "the variable `{variable}` does not hold the address of a proxy that can be used; write one \
         that begins with `http://` or `https://`, such as `http://proxy.example:3128`"
    ))
}

/// A JSON text for a resource of an endpoint.
pub(crate) struct Outgoing<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) url: Url,
    /// Shared by the requests: it may be sent more than once.
    pub(super) body: Bytes,
}

impl<'a> Outgoing<'a> {
    pub(crate) fn new(endpoint: &'a Endpoint, path: Path, body: String) -> Self {
        Self {
            endpoint,
            url: endpoint.resource(path),
            body: body.into(),
        }
    }

    pub(crate) fn with_query(
        endpoint: &'a Endpoint,
        path: &[&str],
        query: &[(&str, &str)],
        body: String,
    ) -> Self {
        Self {
            endpoint,
            url: endpoint.join(path, query),
            body: body.into(),
        }
    }

    /// The request, to be sent once.
    pub(super) fn request(&self) -> Request {
        let mut request = Request::new(Method::POST, self.url.clone());
        let mut headers = self.endpoint.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.headers_mut() = headers;
        *request.body_mut() = Some(self.body.clone().into());
        request
    }

    /// The words about what goes wrong with it.
    pub(crate) fn failure(&self) -> Failure<'_> {
        Failure {
            endpoint: self.endpoint,
            url: &self.url,
        }
    }
}

/// When the time of a request is over. A clock that cannot be set that far means no limit.
#[derive(Clone, Copy)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    fn after(limit: Duration) -> Self {
        Self(Instant::now().checked_add(limit))
    }

    fn left(self) -> Duration {
        match self.0 {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        }
    }
}

impl HttpClient {
    /// Sends a JSON text and reads the answer. Dropping the future gives the request up.
    pub(crate) async fn post(&self, outgoing: &Outgoing<'_>) -> Result<Vec<u8>, Error> {
        let failure = outgoing.failure();
        let (response, deadline) = self.exchange(outgoing).await?;
        let status = response.status().as_u16();
        let body = timeout(deadline.left(), whole_body(response, &failure)).await;
        let body = body.unwrap_or_else(|_| Err(failure.late()))?;
        tracing::trace!(target: WIRE, status, body = %failure.redacted(&body), "response");
        Ok(body)
    }

    /// Sends a request until an answer with a status of success begins; says how long the rest of it
    /// may take.
    pub(super) async fn exchange(
        &self,
        outgoing: &Outgoing<'_>,
    ) -> Result<(Response, Deadline), Error> {
        let failure = outgoing.failure();
        let client = self.client()?;
        tracing::trace!(
            target: WIRE,
            url = failure.redacted(shown(&outgoing.url).as_bytes()),
            // A model may be told the key by a tool or a user, and say it again.
            body = %failure.redacted(&outgoing.body),
            "request"
        );
        trace::record_server(&outgoing.url);
        let deadline = Deadline::after(self.settings.timeout);
        let mut tried = 0;
        let mut resent = trace::Resent::never();
        loop {
            tried += 1;
            // Not the client's own limit, which would also be one on a streamed answer.
            let sent = timeout(deadline.left(), client.execute(outgoing.request())).await;
            let sent = sent.map_err(|_| failure.late())?;
            let (error, wait) = match sent {
                Ok(response) if response.status().is_success() => {
                    if let Some(id) = request_id(&response) {
                        tracing::debug!(request_id = failure.quote(&id), "answered");
                    }
                    return Ok((response, deadline));
                }
                Ok(response) => passing_status(response, &failure).await?,
                Err(error) => (passing_transport(error, &failure)?, None),
            };
            let left = deadline.left();
            let asked = wait.filter(|wait| *wait >= left);
            let wait = wait.unwrap_or_else(|| self.settings.retry.pause(tried));
            if tried >= self.settings.retry.tries || wait >= left {
                return Err(match asked {
                    Some(asked) => error.and(&retry::too_long(asked, left)),
                    None => error,
                });
            }
            // Without the error's text, which may quote what was said.
            let provider = &outgoing.endpoint.provider;
            tracing::debug!(provider, tried, ?wait, "a request is sent again");
            tokio::time::sleep(wait).await;
            resent.once_more();
        }
    }
}

/// The error of a status that may pass, and how long the server wants to be left alone.
async fn passing_status(
    response: Response,
    failure: &Failure<'_>,
) -> Result<(Error, Option<Duration>), Error> {
    let passing = is_passing(response.status().as_u16());
    let wait = header(&response, RETRY_AFTER.as_str())
        .and_then(|text| retry_after(&text, SystemTime::now()));
    let error = status_error(response, failure).await;
    if passing {
        Ok((error, wait))
    } else {
        Err(error)
    }
}

/// The error of a request that got no answer at all, when sending it again may help: the server
/// cannot be reached, or closed a connection that was kept open for the next request.
fn passing_transport(error: reqwest::Error, failure: &Failure<'_>) -> Result<Error, Error> {
    if let Some(why) = distrusted(&error) {
        Err(failure.transport(&why, error))
    } else if error.is_connect() {
        Ok(failure.transport("cannot be reached", error))
    } else if error.is_timeout() {
        Err(failure.late())
    } else {
        let passing = was_closed(&error);
        let error = failure.transport("gave no answer", error);
        if passing { Ok(error) } else { Err(error) }
    }
}

/// Whether the connection ended before an answer began, which happens to one that was kept open when
/// the server gives it up at the moment the next request is sent.
fn was_closed(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<hyper::Error>()
            && (error.is_incomplete_message() || error.is_canceled())
        {
            return true;
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
            return matches!(
                error.kind(),
                BrokenPipe | ConnectionAborted | ConnectionReset
            );
        }
        cause = error.source();
    }
    false
}

/// The longest answer that is read, in bytes.
pub(super) const MAX_BODY: usize = 32 * 1_048_576;

/// How long the text of an error may take: the status is known, and says more than nothing.
const ERROR_BODY: Duration = Duration::from_secs(5);

/// The text of a header.
pub(super) fn header(response: &Response, name: &str) -> Option<String> {
    let value = response.headers().get(name)?;
    value.to_str().ok().map(str::to_owned)
}

/// What the server calls the request, for its support.
fn request_id(response: &Response) -> Option<String> {
    ["x-request-id", "request-id", "x-goog-request-id"]
        .into_iter()
        .find_map(|name| header(response, name))
}

/// The body of an answer with a status of success.
async fn whole_body(response: Response, failure: &Failure<'_>) -> Result<Vec<u8>, Error> {
    check_encoding(&response, failure)?;
    match read(response, MAX_BODY).await {
        Ok(Some(body)) => Ok(body),
        Ok(None) => Err(failure.too_long(MAX_BODY)),
        Err(error) if error.is_timeout() => Err(failure.late()),
        Err(error) => Err(failure.transport("broke its answer off", error)),
    }
}

/// Refuses what was compressed though nobody asked for that: it would be read as nonsense.
pub(super) fn check_encoding(response: &Response, failure: &Failure<'_>) -> Result<(), Error> {
    match header(response, CONTENT_ENCODING.as_str()) {
        Some(encoding) if !encoding.trim().is_empty() && encoding != "identity" => {
            Err(failure.encoded(&encoding))
        }
        _ => Ok(()),
    }
}

/// The error that an answer with another status tells of.
async fn status_error(response: Response, failure: &Failure<'_>) -> Error {
    let status = response.status().as_u16();
    if response.status().is_redirection()
        && let Some(location) = header(&response, LOCATION.as_str())
    {
        return failure.redirect(status, &location);
    }
    let request_id = request_id(&response);
    // An error whose text cannot be read is told without it.
    let body = timeout(ERROR_BODY, read(response, MAX_BODY)).await;
    let body = body.ok().and_then(Result::ok).flatten();
    let body = body.unwrap_or_default();
    tracing::trace!(target: WIRE, status, body = %failure.redacted(&body), "response");
    failure.status(status, request_id.as_deref(), &body)
}

/// The body, or nothing when it is longer than allowed; the rest is not read then.
async fn read(mut response: Response, most: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}
