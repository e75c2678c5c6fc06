//! Errors as problem details (RFC 9457).

use agent_runtime::Error;
use agent_runtime::conversation::StoreError;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::error::Error as _;

/// An answer that describes a problem of a request: `application/problem+json`.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    detail: String,
    /// The id of a run that is in the way.
    run: Option<String>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
            run: None,
        }
    }

    pub(crate) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    pub(crate) fn conflict(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, detail)
    }

    /// The answer for a thing that does not exist, or that belongs to another owner.
    pub(crate) fn not_found(what: &str, name: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            format!("there is no {what} `{name}`"),
        )
    }

    /// The answer for a run that is in the way.
    pub(crate) fn busy(run: &str) -> Self {
        Self {
            run: Some(run.to_owned()),
            ..Self::conflict("the conversation has a run that has not ended")
        }
    }

    /// The answer for the error of a run that did not begin, or of its journal. Only problems that the client
    /// can fix are reported in full; the details of others are in the log.
    pub(crate) fn of(error: &Error) -> Self {
        let store = error
            .source()
            .and_then(|source| source.downcast_ref::<StoreError>());
        if let Some(run) = store.and_then(StoreError::busy_run) {
            return Self::busy(run);
        }
        if error.is_validation() {
            return Self::bad_request(error.to_string());
        }
        let error: &dyn std::error::Error = error;
        tracing::error!(error, "a request could not be served");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the run cannot go on now; the log of the server says why",
        )
    }

    /// The answer for the error of a store.
    pub(crate) fn of_store(error: &StoreError) -> Self {
        let error: &dyn std::error::Error = error;
        tracing::error!(error, "the store cannot be used");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the store cannot be used now; the log of the server says why",
        )
    }

    fn json(&self) -> Value {
        let mut json = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        if let Some(run) = &self.run {
            json["run"] = run.clone().into();
        }
        json
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, "application/problem+json"),
            (header::CACHE_CONTROL, "no-store"),
        ];
        (self.status, headers, Body::from(self.json().to_string())).into_response()
    }
}

/// Gives the errors of the router itself details, such as those of a method that a route does not have.
pub(crate) async fn with_details(response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || is_problem(&response) {
        return response;
    }
    let text = match status {
        StatusCode::METHOD_NOT_ALLOWED => "this route has other methods",
        _ => "the address of the request is not valid",
    };
    let mut problem = Problem::new(status, text).into_response();
    if let Some(allowed) = response.headers().get(header::ALLOW) {
        let allowed = allowed.clone();
        problem.headers_mut().insert(header::ALLOW, allowed);
    }
    problem
}

fn is_problem(response: &Response) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE);
    media_type.is_some_and(|value| value.as_bytes().ends_with(b"json"))
}

/// A JSON value as an answer.
pub(crate) fn json_answer(status: StatusCode, json: &Value) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, Body::from(json.to_string())).into_response()
}
