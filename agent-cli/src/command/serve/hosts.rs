//! The hosts whose requests are served. A web page of a stranger can resolve a name of its own to this machine, and
//! would reach the server under that name.

use agent_http::is_this_machine;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use reqwest::Url;
use serde_json::json;
use std::sync::Arc;

/// This machine, and the hosts of `--allow-host`.
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    pub(crate) fn new(allowed: &[String]) -> Self {
        let allowed = allowed.iter();
        Self(
            allowed
                .map(|host| host.trim().to_ascii_lowercase())
                .collect(),
        )
    }

    /// Whether a request with these headers is for an allowed host. An allowed host without a port allows all
    /// ports.
    fn allow(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        // A request with two `Host` headers is refused, because a proxy may have checked the other header.
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let host = host.to_str().unwrap_or_default().to_ascii_lowercase();
        let url = Url::parse(&format!("http://{host}/"));
        let Some(url) = url
            .ok()
            .filter(|_| !host.contains(['/', '\\', '@', '?', '#']))
        else {
            return false;
        };
        let name = url.host_str().unwrap_or_default();
        let mut allowed = self.0.iter();
        is_this_machine(&url) || allowed.any(|allowed| *allowed == host || *allowed == name)
    }
}

/// Refuses a request for another host.
pub(crate) async fn check_host(
    State(hosts): State<Arc<Hosts>>,
    request: Request,
    next: Next,
) -> Response {
    if hosts.allow(request.headers()) {
        return next.run(request).await;
    }
    let problem = json!({
        "type": "about:blank",
        "title": "Forbidden",
        "status": 403,
        "detail": "the header `Host` names another host; `--allow-host HOST` of `agent serve` allows one",
    });
    let media_type = (header::CONTENT_TYPE, "application/problem+json");
    (StatusCode::FORBIDDEN, [media_type], problem.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn allows_this_machine_and_the_named_hosts() {
        let hosts = Hosts::new(&["tools.example".to_owned(), "Chat.example:8443".to_owned()]);
        for (host, expected) in [
            ("localhost", true),
            ("LocalHost:8080", true),
            ("127.0.0.1:8080", true),
            ("[::1]:8080", true),
            ("tools.example", true),
            ("Tools.example:9000", true),
            ("chat.example:8443", true),
            ("chat.example", false),
            ("chat.example:9000", false),
            ("evil.example", false),
            ("localhost.evil.example", false),
            ("evil.example@localhost", false),
            ("localhost/evil.example", false),
            ("", false),
            (":8080", false),
        ] {
            let mut headers = HeaderMap::new();
            let host = HeaderValue::from_static(host);
            headers.append(header::HOST, host.clone());
            assert_eq!(hosts.allow(&headers), expected, "{host:?}");
            headers.append(header::HOST, HeaderValue::from_static("localhost"));
            assert!(!hosts.allow(&headers), "two hosts");
        }
        assert!(!hosts.allow(&HeaderMap::new()), "no host");
    }
}
