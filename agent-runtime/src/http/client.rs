//! Sending a request, again if need be, and reading the answer within bounds.

use super::backoff::{Retry, is_passing, retry_after};
use super::endpoint::{Endpoint, shown};
use super::failure::Failure;
use super::secret::Secret;
use crate::env::Environment;
use crate::error::Error;
use crate::trace::WIRE;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Client, NoProxy, Proxy, Response, redirect};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The longest answer that is read, in bytes.
const MAX_BODY: usize = 32 * 1_048_576;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How requests are sent.
#[derive(Clone, Debug)]
pub(crate) struct HttpSettings {
    pub(crate) retry: Retry,
    /// How long a request may take, further tries included.
    pub(crate) timeout: Duration,
}

/// A client that is made when it is first needed: making one reads the system's certificates.
#[derive(Clone)]
pub(crate) struct HttpClient {
    client: Arc<Mutex<Option<Client>>>,
    environment: Environment,
    settings: HttpSettings,
}

/// An answer with a status of success.
pub(crate) struct Answer {
    pub(crate) body: Vec<u8>,
    pub(crate) request_id: Option<String>,
}

/// How a key is sent.
#[derive(Clone, Copy)]
pub(crate) enum KeyHeader {
    /// `Authorization: Bearer …`
    Bearer,
}

impl HttpClient {
    pub(crate) fn new(environment: Environment, settings: HttpSettings) -> Self {
        Self {
            client: Arc::default(),
            environment,
            settings,
        }
    }

    fn client(&self) -> Result<Client, Error> {
        let mut held = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*held {
            return Ok(client.clone());
        }
        let client = build(&self.environment)?;
        *held = Some(client.clone());
        Ok(client)
    }

    /// Sends a JSON text and reads the answer. Dropping the future gives the request up.
    pub(crate) async fn post(
        &self,
        provider: &str,
        endpoint: &Endpoint,
        path: &[&str],
        key_header: KeyHeader,
        body: String,
    ) -> Result<Answer, Error> {
        let url = endpoint.join(path);
        let failure = Failure {
            provider,
            url: &url,
            key: endpoint.key.as_ref(),
        };
        let headers =
            headers(endpoint.key.as_ref(), key_header).ok_or_else(|| failure.bad_key())?;
        let client = self.client()?;
        tracing::trace!(
            target: WIRE,
            url = shown(&url),
            // A model may be told the key by a tool or a user, and say it again.
            body = failure.masked(body.as_bytes()),
            "request"
        );
        // A clock that cannot be set that far means no limit.
        let deadline = Instant::now().checked_add(self.settings.timeout);
        let left = || match deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        };
        let mut tried = 0;
        loop {
            tried += 1;
            let sent = client
                .post(url.clone())
                .headers(headers.clone())
                .body(body.clone())
                .timeout(left())
                .send()
                .await;
            let (error, wait) = match sent {
                Ok(response) if response.status().is_success() => {
                    return read_answer(response, &failure).await;
                }
                Ok(response) => {
                    let passing = is_passing(response.status().as_u16());
                    let wait = header(&response, RETRY_AFTER.as_str())
                        .and_then(|text| retry_after(&text, SystemTime::now()));
                    let error = read_error(response, &failure).await;
                    if !passing {
                        return Err(error);
                    }
                    (error, wait)
                }
                Err(error) if error.is_connect() => {
                    (failure.transport("cannot be reached", error), None)
                }
                Err(error) if error.is_timeout() => {
                    return Err(failure.transport("did not answer in time", error));
                }
                Err(error) => return Err(failure.transport("gave no answer", error)),
            };
            let wait = wait.unwrap_or_else(|| self.settings.retry.pause(tried));
            if tried >= self.settings.retry.tries || wait >= left() {
                return Err(error);
            }
            // Without the error's text, which may quote what was said.
            tracing::debug!(provider, tried, ?wait, "a request is sent again");
            tokio::time::sleep(wait).await;
        }
    }
}

/// Proxies come from the runtime's environment, not from the process's, so that a test or a host
/// that gives an environment of its own is not disturbed.
fn build(environment: &Environment) -> Result<Client, Error> {
    let mut builder = Client::builder()
        .tls_backend_preconfigured(super::tls::config()?)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT)
        .user_agent(concat!("agent-runtime/", env!("CARGO_PKG_VERSION")));
    let setting = |names: &[&'static str]| {
        let mut names = names.iter();
        names.find_map(|name| Some((*name, environment.get(name)?)))
    };
    let direct = setting(&["no_proxy", "NO_PROXY"]);
    let direct = direct.and_then(|(_, list)| NoProxy::from_string(&list));
    let https = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    if let Some((name, address)) = setting(&https) {
        let proxy = Proxy::https(address).map_err(|_| bad_proxy(name))?;
        builder = builder.proxy(proxy.no_proxy(direct.clone()));
    }
    // `HTTP_PROXY` in capitals is what a CGI script gets from a request's `Proxy` header.
    if let Some((name, address)) = setting(&["http_proxy", "all_proxy", "ALL_PROXY"]) {
        let proxy = Proxy::http(address).map_err(|_| bad_proxy(name))?;
        builder = builder.proxy(proxy.no_proxy(direct));
    }
    builder
        .build()
        .map_err(|error| Error::configuration("cannot set up HTTP").with_source(error))
}

/// Names the variable, but neither its value nor the cause, which quotes it: a proxy's address may
/// hold a password.
fn bad_proxy(variable: &str) -> Error {
    Error::configuration(format!(
        "the variable `{variable}` does not hold the address of a proxy"
    ))
}

fn headers(key: Option<&Secret>, form: KeyHeader) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(key) = key {
        let (name, text) = match form {
            KeyHeader::Bearer => ("authorization", format!("Bearer {}", key.expose())),
        };
        let mut value = HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Some(headers)
}

fn header(response: &Response, name: &str) -> Option<String> {
    let value = response.headers().get(name)?;
    value.to_str().ok().map(str::to_owned)
}

fn request_id(response: &Response) -> Option<String> {
    header(response, "x-request-id").or_else(|| header(response, "request-id"))
}

async fn read_answer(response: Response, failure: &Failure<'_>) -> Result<Answer, Error> {
    let request_id = request_id(&response);
    let body = read_body(response, MAX_BODY)
        .await
        .map_err(|error| failure.transport("broke its answer off", error))?
        .ok_or_else(|| failure.too_long(MAX_BODY))?;
    tracing::trace!(target: WIRE, body = %failure.masked(&body), "response");
    Ok(Answer { body, request_id })
}

async fn read_error(response: Response, failure: &Failure<'_>) -> Error {
    let status = response.status();
    if status.is_redirection()
        && let Some(location) = header(&response, LOCATION.as_str())
    {
        return failure.redirect(status.as_u16(), &location);
    }
    let request_id = request_id(&response);
    // An error whose text cannot be read is told without it.
    let body = read_body(response, MAX_BODY).await.ok().flatten();
    failure.status(
        status.as_u16(),
        request_id.as_deref(),
        &body.unwrap_or_default(),
    )
}

/// The body, or nothing when it is longer than allowed; the rest is not read then.
async fn read_body(mut response: Response, most: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("HttpClient")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
