//! Asking for a page: what is granted, at the address that was checked, up to a bound.

mod body;
mod resolve;
mod tls;

use super::apart::apart;
use super::shown::Shown;
use agent_runtime::Environment;
use agent_runtime::Permissions;
use agent_runtime::ToolError;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use resolve::{Checked, Resolver, Target, target};
use rustls::ClientConfig;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How many redirects are followed.
pub(crate) const MAX_REDIRECTS: usize = 5;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(5);

/// Asks for pages. Cloning is cheap. It goes through no proxy, since a proxy looks up the host itself
/// and the address that it finds cannot be checked.
#[derive(Clone)]
pub(crate) struct WebClient {
    environment: Environment,
    tls: Arc<OnceLock<Result<ClientConfig, String>>>,
    resolver: Resolver,
}

impl Default for WebClient {
    fn default() -> Self {
        Self::new(&Environment::process())
    }
}

/// What is asked for.
pub(crate) struct Get {
    pub(crate) url: Url,
    pub(crate) user_agent: Cow<'static, str>,
    /// Further headers, which may hold keys. They are sent to the URL, and not to where it redirects.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The kinds of content that are wanted.
    pub(crate) accept: &'static str,
    /// The most bytes of the body, as sent and as decoded.
    pub(crate) most: usize,
    /// How many redirects are followed, [`MAX_REDIRECTS`] at most.
    pub(crate) redirects: usize,
    /// Looks at the status and the type of what came, before any of it is read.
    pub(crate) check: fn(u16, Option<&str>) -> Result<(), ToolError>,
    pub(crate) granted: Permissions,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Where the last redirect led.
    pub(crate) url: Url,
    pub(crate) status: u16,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Vec<u8>,
}

impl WebClient {
    pub(crate) fn new(environment: &Environment) -> Self {
        Self {
            environment: environment.clone(),
            tls: Arc::default(),
            resolver: Resolver::default(),
        }
    }

    /// The same client, which finds the addresses of names elsewhere.
    #[cfg(test)]
    fn with_resolver(mut self, resolver: Resolver) -> Self {
        self.resolver = resolver;
        self
    }

    /// Asks for a page, and for what it redirects to.
    ///
    /// Cancel safety: dropping the future closes the connection.
    ///
    /// # Errors
    /// Validation for a URL that is not of the web, Authorization for a host that is not granted,
    /// wherever a redirect leads to one; Execution when the page cannot be had. No message holds the
    /// query of a URL, which may hold a key.
    pub(crate) async fn get(&self, request: Get) -> Result<Answer, ToolError> {
        let client = self.clone();
        apart(move || async move { client.exchange(&request).await }).await
    }

    async fn exchange(&self, request: &Get) -> Result<Answer, ToolError> {
        let mut url = request.url.clone();
        let mut headers = &*request.headers;
        for _ in 0..=request.redirects.min(MAX_REDIRECTS) {
            let target = target(&url, &request.granted, &self.resolver).await?;
            let response = self.send(&url, target, headers, request).await?;
            if let Some(next) = redirected(&url, &response)? {
                url = next;
                headers = &[];
                continue;
            }
            let status = response.status().as_u16();
            let content_type = response.headers().get(CONTENT_TYPE);
            let content_type =
                content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            (request.check)(status, content_type.as_deref())?;
            return Ok(Answer {
                url,
                status,
                content_type,
                body: body::read(response, request.most).await?,
            });
        }
        Err(match request.redirects {
            0 => ToolError::Execution(format!(
                // Not where to: there the server may repeat a key, and in part.
                "`{}` redirects elsewhere, which is not followed",
                Shown(&request.url)
            )),
            most => ToolError::Execution(format!(
                "`{}` redirects more than {most} times",
                Shown(&request.url)
            )),
        })
    }

    async fn send(
        &self,
        url: &Url,
        target: Target,
        headers: &[(&'static str, String)],
        request: &Get,
    ) -> Result<Response, ToolError> {
        let client = self.client(url, target, &request.user_agent)?;
        let mut sent = client
            .get(url.clone())
            .header(ACCEPT, request.accept)
            .header(ACCEPT_ENCODING, body::ACCEPTED);
        for (name, value) in headers {
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                ToolError::Execution(format!("the header `{name}` cannot hold what it is to say"))
            })?;
            value.set_sensitive(true);
            sent = sent.header(*name, value);
        }
        sent.send().await.map_err(|error| {
            let cause = innermost(&error);
            ToolError::Execution(format!("`{}` cannot be reached: {cause}", Shown(url)))
        })
    }

    /// A client that knows these addresses alone. It is made for one request, so that no later one
    /// finds a connection to an address that it was not granted.
    fn client(&self, url: &Url, target: Target, user_agent: &str) -> Result<Client, ToolError> {
        let failed = |error: &dyn std::fmt::Display| {
            ToolError::Execution(format!("cannot set up HTTP: {error}"))
        };
        let tls = match self.tls.get_or_init(|| tls::config(&self.environment)) {
            Ok(tls) => tls.clone(),
            // A server without TLS can be reached without any certificate.
            Err(_) if url.scheme() == "http" => {
                tls::trusting_nobody().map_err(|error| failed(&error))?
            }
            Err(reason) => return Err(failed(reason)),
        };
        Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT)
            .pool_max_idle_per_host(0)
            .user_agent(user_agent)
            // Whatever other crates of the program switched on: bodies are decoded here, up to a bound.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            // Not by overriding some names: for any other the system would be asked once more.
            .dns_resolver(Checked(target.addresses))
            .build()
            .map_err(|error| failed(&error))
    }
}

/// What the error comes down to. What is around it may quote the URL.
pub(super) fn innermost(error: &dyn StdError) -> &dyn StdError {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}

/// Where an answer redirects to.
fn redirected(url: &Url, response: &Response) -> Result<Option<Url>, ToolError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(LOCATION) else {
        return Ok(None);
    };
    let location = std::str::from_utf8(location.as_bytes()).ok();
    match location.map(|location| url.join(location)) {
        Some(Ok(next)) => Ok(Some(next)),
        _ => Err(ToolError::Execution(format!(
            "`{}` redirects to what is no URL",
            Shown(url)
        ))),
    }
}

#[cfg(test)]
mod tests;
