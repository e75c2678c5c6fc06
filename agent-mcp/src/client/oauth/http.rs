//! The requests to authorization servers, whose addresses and answers nobody has checked.

use agent_runtime::__private::{shortened, with_causes};
use agent_runtime::Permissions;
use http::{HeaderMap, Method, Response};
use reqwest::{Client, Url};
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest,
};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// The longest time for a request and its answer.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The maximum number of bytes of an answer. A hostile authorization server can send without end, which would fill the
/// memory.
const MAX_ANSWER: usize = 256 << 10;

/// The maximum number of requests in one attempt to get tokens. The search for an authorization server takes up to 12,
/// and a hostile MCP server can name any number of authorization servers.
const MAX_REQUESTS: usize = 40;

/// A client for the requests that rmcp makes to get tokens. It follows no redirects, contacts only addresses that an
/// authorization server of its MCP server may have, and bounds the answers.
pub(super) struct OAuthHttp {
    client: Client,
    server: Url,
    left: AtomicUsize,
    /// The address of the last document that was read.
    last_read: Mutex<Option<Url>>,
    /// The problem of the last request. rmcp's errors do not have it in all cases.
    problem: Mutex<Option<String>>,
}

impl OAuthHttp {
    /// Creates a client for the authorization servers of an MCP server. `client` sends no header of the MCP server.
    pub(super) fn new(client: Client, server: Url) -> Self {
        Self {
            client,
            server,
            left: AtomicUsize::new(MAX_REQUESTS),
            last_read: Mutex::default(),
            problem: Mutex::default(),
        }
    }

    /// Begins a new attempt to get tokens.
    pub(super) fn begin(&self) {
        self.left.store(MAX_REQUESTS, Ordering::Relaxed);
        *get(&self.problem) = None;
    }

    /// Adds the problem of the last request to an error of rmcp, if the error does not have it.
    pub(super) fn with_problem(&self, error: String) -> String {
        match &*get(&self.problem) {
            Some(problem) if !error.contains(problem) => format!("{error}: {problem}"),
            _ => error,
        }
    }

    /// Checks that an address may be contacted, or opened in a browser.
    ///
    /// # Errors
    /// The reason why the address is not allowed.
    pub(super) fn check(&self, address: &str) -> Result<Url, String> {
        check(&self.server, address)
    }

    /// Checks that an issuer is the host of the document that was read last. rmcp does not compare them if the document is
    /// at an address of another form than those that are derived from an issuer.
    pub(super) fn check_issuer(&self, issuer: &str) -> Result<(), String> {
        let is_own = |url: &Url| Url::parse(issuer).is_ok_and(|own| own.origin() == url.origin());
        match &*get(&self.last_read) {
            Some(url) if !is_own(url) => Err(format!(
                "`{}` says that it is the authorization server `{}`, which has another host",
                url.origin().ascii_serialization(),
                shortened(issuer, 200)
            )),
            _ => Ok(()),
        }
    }

    async fn send(&self, request: OAuthHttpRequest) -> Result<Response<Vec<u8>>, String> {
        let left = &self.left;
        let counted = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        if counted.is_err() {
            return Err(format!("it takes more than {MAX_REQUESTS} requests"));
        }
        let request = request.request;
        let url = self.check(&request.uri().to_string())?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let is_read = request.method() == Method::GET;
        let words = |error: reqwest::Error| {
            let causes = with_causes(&error.without_url());
            format!("`{host}` gives no answer: {causes}")
        };
        let request = reqwest::Request::try_from(request).map_err(words)?;
        let mut answer = self.client.execute(request).await.map_err(words)?;
        let mut body = Vec::new();
        while let Some(bytes) = answer.chunk().await.map_err(words)? {
            if body.len() + bytes.len() > MAX_ANSWER {
                let most = MAX_ANSWER >> 10;
                return Err(format!("`{host}` answers with more than {most} KiB"));
            }
            body.extend_from_slice(&bytes);
        }
        if is_read && answer.status().is_success() {
            *get(&self.last_read) = Some(url);
        }
        let mut response = Response::new(body);
        *response.status_mut() = answer.status();
        *response.headers_mut() = HeaderMap::clone(answer.headers());
        Ok(response)
    }
}

impl OAuthHttpClient for OAuthHttp {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let host = request.request.uri().host().unwrap_or_default().to_owned();
            let late = |_| format!("`{host}` does not answer within {TIMEOUT:?}");
            let sent = timeout(TIMEOUT, self.send(request)).await.map_err(late);
            let sent = sent.flatten();
            *get(&self.problem) = sent.as_ref().err().cloned();
            sent.map_err(OAuthHttpClientError::from)
        })
    }
}

/// Checks that an authorization server of an MCP server may have an address.
///
/// # Errors
/// The reason why the address is not allowed.
fn check(server: &Url, address: &str) -> Result<Url, String> {
    let shown = shortened(address, 200);
    let wrong = |problem: &str| format!("the address `{shown}` {problem}");
    let url = Url::parse(address).map_err(|error| wrong(&format!("is no URL: {error}")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("holds a user or a password"));
    }
    let is_local = is_loopback(server) && is_loopback(&url);
    match url.scheme() {
        "https" => {}
        "http" if is_local => {}
        _ => return Err(wrong("does not begin with `https://`")),
    }
    // A name cannot be pointed at a private network, because the server there would need a certificate for the name.
    if !is_local && !is_private(server) && is_private(&url) {
        return Err(wrong("is that of a private network"));
    }
    Ok(url)
}

fn get<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the IP address of a host that is written as an IP address.
fn address(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    host.trim_matches(['[', ']']).parse().ok()
}

fn is_localhost(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    host == "localhost" || host.ends_with(".localhost")
}

/// Whether a host is this machine, by its address or by name.
pub(super) fn is_loopback(url: &Url) -> bool {
    is_localhost(url) || address(url).is_some_and(|address| address.is_loopback())
}

/// Whether a host is this machine, or an address that is not public.
fn is_private(url: &Url) -> bool {
    let is_public = |address| Permissions::none().check_address("", address, 0).is_ok();
    is_localhost(url) || address(url).is_some_and(|address| !is_public(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn only_what_an_authorization_server_may_have_is_contacted() {
        let public = "https://mcp.example/mcp";
        let local = "http://127.0.0.1:8080/mcp";
        for (server, address) in [
            (public, "https://auth.example/token"),
            (public, "https://93.184.216.34/token"),
            (local, "http://localhost:9/token"),
            (local, "http://[::1]:9/token"),
            (local, "https://auth.example/token"),
            ("https://10.0.0.4/mcp", "https://10.0.0.9/token"),
        ] {
            assert!(check(&url(server), address).is_ok(), "{server} {address}");
        }
        for (server, address, words) in [
            (public, "http://auth.example/token", "does not begin with"),
            (public, "file:///etc/passwd", "does not begin with"),
            (public, "javascript:alert(1)", "does not begin with"),
            (public, "token", "is no URL"),
            (public, "https://a:b@auth.example/", "holds a user"),
            (public, "https://localhost/token", "of a private network"),
            (public, "https://127.0.0.1/token", "of a private network"),
            (public, "https://[::1]/token", "of a private network"),
            (public, "https://10.0.0.9/token", "of a private network"),
            (public, "https://169.254.169.254/", "of a private network"),
            (local, "http://10.0.0.9/token", "does not begin with"),
            ("https://10.0.0.4/mcp", "http://10.0.0.4/", "does not begin"),
        ] {
            let error = check(&url(server), address).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }
}
