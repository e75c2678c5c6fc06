//! The OAuth metadata of the server: the authorization servers whose tokens it accepts (RFC 9728).

use super::ENDPOINT;
use serde_json::json;

/// The path of the document.
const PATH: &str = "/.well-known/oauth-protected-resource";

/// The document, and its address.
pub(super) struct Metadata {
    document: String,
    url: String,
}

impl Metadata {
    /// Creates the document of the endpoint with this address. `None` without an authorization server.
    pub(super) fn new(endpoint: &str, servers: &[String]) -> Option<Self> {
        if servers.is_empty() {
            return None;
        }
        let document = json!({
            "resource": endpoint,
            "authorization_servers": servers,
            "bearer_methods_supported": ["header"],
        });
        let (scheme, rest) = endpoint.split_once("://").unwrap_or(("https", endpoint));
        let (host, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        Some(Self {
            document: document.to_string(),
            url: format!("{scheme}://{host}{PATH}{path}"),
        })
    }

    /// Whether the document is at this path: for the endpoint, or for the whole host.
    pub(super) fn is_at(&self, path: &str) -> bool {
        path.strip_prefix(PATH)
            .is_some_and(|rest| rest.is_empty() || rest == ENDPOINT)
    }

    pub(super) fn document(&self) -> &str {
        &self.document
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}
