//! Errors as problem details (RFC 9457), as in agent-web.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;

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

/// A value as an answer.
pub(crate) fn json_answer(value: &impl Serialize) -> Result<Response, Problem> {
    let text = serde_json::to_string(value);
    let text =
        text.map_err(|error| Problem(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}
