//! Errors as problem details (RFC 9457), as in agent-web.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// An answer that describes a problem of a request.
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) StatusCode, pub(crate) String);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(status, detail) = self;
        let problem = json!({
            "type": "about:blank",
            "title": status.canonical_reason().unwrap_or("Error"),
            "status": status.as_u16(),
            "detail": detail,
        });
        let media_type = [(header::CONTENT_TYPE, "application/problem+json")];
        (status, media_type, problem.to_string()).into_response()
    }
}

/// A JSON value as an answer.
pub(crate) fn json_answer(json: &Value) -> Response {
    let media_type = [(header::CONTENT_TYPE, "application/json")];
    (media_type, json.to_string()).into_response()
}
