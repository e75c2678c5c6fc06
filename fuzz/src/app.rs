//! Requests to the routes of a server in this process, without a connection.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use http_body_util::BodyExt;
use tower::ServiceExt;

/// An answer with its whole body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    /// Returns a header of the answer.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Sends a request and reads the answer to its end; `None` if the parts are not those of a request of HTTP. A header
/// with an empty value is left out.
pub async fn send(
    router: &Router,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Body>,
) -> Option<Answer> {
    if !path.starts_with('/') {
        return None;
    }
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        if !value.is_empty() {
            request = request.header(*name, *value);
        }
    }
    let request = request.body(body.into()).ok()?;
    let Ok(response) = router.clone().oneshot(request).await;
    let (parts, mut body) = response.into_parts();
    let mut bytes = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        if let Ok(data) = frame.into_data() {
            bytes.extend(data);
        }
    }
    Some(Answer {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body: bytes,
    })
}
