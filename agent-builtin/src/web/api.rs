//! Requests to JSON APIs.

use super::client::{MAX_REDIRECTS, WebRequest, WebResponse};
use agent_tool::{Error, Permissions, ToolError};
use reqwest::Url;
use serde_json::Value;

/// The maximum length of a response in bytes, both as sent and as decoded. A broken server can send without end, which
/// would fill the memory.
const MAX_LENGTH: usize = 1 << 20;

/// The maximum length of a server's error message in bytes, because a server can send any text and the model reads the
/// message.
pub(super) const MAX_ERROR: usize = 300;

/// Returns a request for JSON. It accepts every status, because APIs report errors as JSON.
pub(super) fn request(url: Url, user_agent: String, permissions: &Permissions) -> WebRequest {
    WebRequest {
        url,
        user_agent: user_agent.into(),
        headers: Vec::new(),
        accept: "application/json",
        max_length: MAX_LENGTH,
        max_redirects: MAX_REDIRECTS,
        check_head: |_, _| Ok(()),
        permissions: permissions.clone(),
    }
}

/// Parses the body of a response, if it is JSON.
pub(super) fn json(response: &WebResponse) -> Option<Value> {
    serde_json::from_slice(&response.body).ok()
}

/// Returns the non-empty text at a JSON pointer.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value
        .pointer(pointer)?
        .as_str()
        .filter(|text| !text.is_empty())
}

/// Describes the error that the status of a response means.
pub(super) fn describe_status(status: u16) -> &'static str {
    match status {
        400 | 422 => "it does not understand the request",
        401 | 403 => "it refuses the request",
        404 | 410 => "it has no such service",
        408 | 504 => "it took too long",
        429 => "too many requests; wait before the next try",
        500..=599 => "it has an internal error; try again later",
        _ => "it does not answer the request",
    }
}

/// Checks the query of a call, and returns it without surrounding blanks.
///
/// # Errors
/// Validation when the query is empty or has more than `max` characters.
pub(super) fn check_query(query: &str, max: usize) -> Result<&str, ToolError> {
    let query = query.trim();
    match query.chars().count() {
        0 => Err(ToolError::Validation(
            "`query` is empty; say what to look for".into(),
        )),
        length if length > max => Err(ToolError::Validation(format!(
            "`query` has more than {max} characters; a few words find more"
        ))),
        _ => Ok(query),
    }
}

/// Checks the base URL of a service.
///
/// # Errors
/// Configuration when the text is not an HTTP URL, or has more than a host, a port and a path.
pub(super) fn check_base_url(service: &str, text: &str) -> Result<(), Error> {
    let wrong = |reason: &str| {
        Err(Error::configuration(format!(
            "the base URL of {service} {reason}; one is `https://example.org/api`"
        )))
    };
    match Url::parse(text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() => {
            wrong("is not an `http` or `https` URL")
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            wrong("contains a user name or a password")
        }
        Ok(url) if url.query().is_some() || url.fragment().is_some() => {
            wrong("has a query or a fragment")
        }
        Ok(_) => Ok(()),
        Err(error) => wrong(&format!("is no URL: {error}")),
    }
}
