//! One request, before it is sent.

use super::endpoint::{Endpoint, Path};
use super::failure::Failure;
use hyper::body::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Request, Url};

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
