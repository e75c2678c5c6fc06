//! One request, before it is sent.

use super::endpoint::Endpoint;
use super::failure::Failure;
use reqwest::Url;

/// A JSON text for a resource of an endpoint.
pub(crate) struct Outgoing<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) url: Url,
    pub(super) body: String,
}

impl<'a> Outgoing<'a> {
    pub(crate) fn new(endpoint: &'a Endpoint, path: &[&str], body: String) -> Self {
        Self::with_query(endpoint, path, &[], body)
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
            body,
        }
    }

    /// The words about what goes wrong with it.
    pub(crate) fn failure(&self) -> Failure<'_> {
        Failure {
            endpoint: self.endpoint,
            url: &self.url,
        }
    }
}
