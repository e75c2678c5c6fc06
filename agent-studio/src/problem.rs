//! Answers in JSON: errors as problem details (RFC 9457), as in agent-web, and the bodies of requests.

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, Limited};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::error::Error;
use std::fmt::Display;

/// The maximum number of bytes of a body. Every program of this machine can send requests, and a body without end would
/// fill the memory.
const MAX_BODY: usize = 16 << 20;

/// An answer that describes a problem of a request.
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) StatusCode, pub(crate) String);

impl Problem {
    /// The journal or another store cannot be used. The causes are shown, because the person at the page owns the program.
    pub(crate) fn unavailable(error: impl Into<Box<dyn Error>>) -> Self {
        let error = error.into();
        Self(StatusCode::SERVICE_UNAVAILABLE, with_causes(&*error))
    }

    pub(crate) fn bad_request(text: impl Display) -> Self {
        Self(StatusCode::BAD_REQUEST, text.to_string())
    }

    /// The state of the run does not allow what the request asks for.
    pub(crate) fn conflict_of(error: agent_runtime::Error) -> Self {
        match error.is_journal() {
            true => Self::unavailable(error),
            false => Self::conflict(with_causes(&error)),
        }
    }

    pub(crate) fn conflict(text: impl Display) -> Self {
        Self(StatusCode::CONFLICT, text.to_string())
    }
}

/// Joins the text of an error and of its causes.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

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

/// Reads the body of a request.
pub(crate) async fn json_body<T: DeserializeOwned>(body: Body) -> Result<T, Problem> {
    let body = Limited::new(body, MAX_BODY).collect().await;
    let body = body
        .map_err(|error| Problem::bad_request(format_args!("the body cannot be read: {error}")))?;
    serde_json::from_slice(&body.to_bytes()).map_err(|error| {
        Problem::bad_request(format_args!("the body is not what is expected: {error}"))
    })
}
