//! The HTTP client of the tools: it contacts only granted addresses, and limits what it reads.

mod body;
mod resolve;
#[cfg(test)]
mod tests;
mod thread;
mod url;

use agent_http::{CERTIFICATE_FILE, rejecting_tls_config, tls_config};
use agent_tool::{Environment, Permissions, ToolError};
use body::{ACCEPT_ENCODINGS, read_body, root_cause};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use resolve::{FixedAddresses, Resolver, resolve};
use rustls::ClientConfig;
use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use thread::run_on_thread;
use url::DisplayUrl;

/// The maximum number of redirects that are followed, because a server can redirect in a circle.
pub(super) const MAX_REDIRECTS: usize = 5;

/// The timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// An HTTP client. Cloning it is cheap. It uses no proxy, because a proxy resolves host names by itself, to
/// addresses that cannot be checked.
#[derive(Clone)]
pub(super) struct WebClient {
    environment: Environment,
    tls: Arc<OnceLock<Result<ClientConfig, String>>>,
    resolver: Resolver,
}

/// A GET request.
pub(super) struct WebRequest {
    pub(super) url: Url,
    pub(super) user_agent: Cow<'static, str>,
    /// Additional headers, which may contain keys. They are not sent to the targets of redirects.
    pub(super) headers: Vec<(&'static str, String)>,
    /// The value of the header `Accept`.
    pub(super) accept: &'static str,
    /// The maximum length of the body in bytes, both as sent and as decoded.
    pub(super) max_length: usize,
    /// The number of redirects to follow, at most [`MAX_REDIRECTS`].
    pub(super) max_redirects: usize,
    /// Checks the status and the content type before the body is read.
    pub(super) check_head: fn(u16, Option<&str>) -> Result<(), ToolError>,
    pub(super) permissions: Permissions,
}

/// A response.
#[derive(Debug)]
pub(super) struct WebResponse {
    /// The URL after redirects.
    pub(super) url: Url,
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
}

impl WebClient {
    pub(super) fn new(environment: &Environment) -> Self {
        Self {
            environment: environment.clone(),
            tls: Arc::default(),
            resolver: Resolver::default(),
        }
    }

    /// Sends a request and follows redirects.
    ///
    /// Cancel safety: dropping the future closes the connection.
    ///
    /// # Errors
    /// Validation for a URL that is not `http` or `https`; Authorization for a host that is not granted,
    /// also as the target of a redirect; Execution when the request fails. Messages never contain the query
    /// of a URL, which may contain a key.
    pub(super) async fn get(&self, request: WebRequest) -> Result<WebResponse, ToolError> {
        let client = self.clone();
        run_on_thread(move || async move { client.exchange(&request).await }).await
    }

    async fn exchange(&self, request: &WebRequest) -> Result<WebResponse, ToolError> {
        let mut url = request.url.clone();
        let mut headers = &*request.headers;
        for _ in 0..=request.max_redirects.min(MAX_REDIRECTS) {
            let addresses = resolve(&url, &request.permissions, &self.resolver).await?;
            let response = self.send(&url, addresses, headers, request).await?;
            if let Some(next) = redirect_target(&url, &response)? {
                url = next;
                headers = &[];
                continue;
            }
            let status = response.status().as_u16();
            let content_type = response.headers().get(CONTENT_TYPE);
            let content_type =
                content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            (request.check_head)(status, content_type.as_deref())?;
            return Ok(WebResponse {
                url,
                status,
                content_type,
                body: read_body(response, request.max_length).await?,
            });
        }
        Err(match request.max_redirects {
            0 => ToolError::Execution(format!(
                // The message omits the target, because the server may repeat a part of a key in it.
                "`{}` redirects elsewhere, which is not followed",
                DisplayUrl(&request.url)
            )),
            max => ToolError::Execution(format!(
                "`{}` redirects more than {max} times",
                DisplayUrl(&request.url)
            )),
        })
    }

    async fn send(
        &self,
        url: &Url,
        addresses: Vec<SocketAddr>,
        headers: &[(&'static str, String)],
        request: &WebRequest,
    ) -> Result<Response, ToolError> {
        let client = self.client(url, addresses, &request.user_agent)?;
        let mut builder = client
            .get(url.clone())
            .header(ACCEPT, request.accept)
            .header(ACCEPT_ENCODING, ACCEPT_ENCODINGS);
        for (name, value) in headers {
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                ToolError::Execution(format!("the header `{name}` has an invalid value"))
            })?;
            value.set_sensitive(true);
            builder = builder.header(*name, value);
        }
        builder.send().await.map_err(|error| {
            let cause = root_cause(&error);
            ToolError::Execution(format!("`{}` cannot be reached: {cause}", DisplayUrl(url)))
        })
    }

    fn load_tls(&self) -> Result<ClientConfig, String> {
        let file = self.environment.read(CERTIFICATE_FILE);
        let file = file.map_err(|error| error.to_string())?;
        tls_config(file.as_deref())
    }

    /// Builds a client that connects only to these addresses. Each request has its own client, so that no
    /// later request reuses a connection to an address that is not granted to it.
    fn client(
        &self,
        url: &Url,
        addresses: Vec<SocketAddr>,
        user_agent: &str,
    ) -> Result<Client, ToolError> {
        let failed = |error: &dyn std::fmt::Display| {
            ToolError::Execution(format!("cannot set up HTTP: {error}"))
        };
        let tls = match self.tls.get_or_init(|| self.load_tls()) {
            Ok(tls) => tls.clone(),
            // Without TLS no certificate is needed.
            Err(reason) if url.scheme() == "http" => {
                rejecting_tls_config(reason.clone()).map_err(|error| failed(&error))?
            }
            Err(reason) => return Err(failed(reason)),
        };
        Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(0)
            .user_agent(user_agent)
            // Bodies are decoded here up to a limit, also when another crate enables these features.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            // Not `resolve_to_addrs`, which would ask the system for every other name.
            .dns_resolver(FixedAddresses(addresses))
            .build()
            .map_err(|error| failed(&error))
    }
}

impl Default for WebClient {
    fn default() -> Self {
        Self::new(&Environment::process())
    }
}

/// Returns the target of a redirect.
fn redirect_target(url: &Url, response: &Response) -> Result<Option<Url>, ToolError> {
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
            "`{}` redirects to an invalid URL",
            DisplayUrl(url)
        ))),
    }
}
