//! What the tools that ask an API for JSON share.

use super::client::Answer;
use agent_runtime::Error;
use agent_runtime::ToolError;
use reqwest::Url;
use serde_json::Value;

/// The most bytes of an answer, as sent and as decoded.
pub(super) const LARGEST: usize = 1 << 20;

pub(super) const ACCEPT: &str = "application/json";

/// Takes whatever comes: an API says in JSON what is wrong.
pub(super) fn any(_: u16, _: Option<&str>) -> Result<(), ToolError> {
    Ok(())
}

/// The JSON of an answer, if it is any.
pub(super) fn json(answer: &Answer) -> Option<Value> {
    serde_json::from_slice(&answer.body).ok()
}

/// A text at a path of a JSON value.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value
        .pointer(pointer)?
        .as_str()
        .filter(|text| !text.is_empty())
}

/// What is wrong with an answer by its status alone.
pub(super) fn what_status_means(status: u16) -> &'static str {
    match status {
        400 | 422 => "it does not understand the request",
        401 | 403 => "it refuses the request",
        404 | 410 => "it has no such service",
        408 | 504 => "it took too long",
        429 => "it was asked too often; wait before the next try",
        500..=599 => "it has a fault of its own; try again later",
        _ => "it does not answer the request",
    }
}

/// A base URL that a host of agents gave.
///
/// # Errors
/// Configuration when it is none of the web.
pub(super) fn check_base_url(what: &str, text: &str) -> Result<(), Error> {
    let wrong = |reason: &str| {
        Err(Error::configuration(format!(
            "the base URL of {what} {reason}; one is `https://example.org/api`"
        )))
    };
    match Url::parse(text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() => {
            wrong("is not of the web")
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            wrong("holds a user name or a password")
        }
        Ok(url) if url.query().is_some() || url.fragment().is_some() => {
            wrong("has something after its path")
        }
        Ok(_) => Ok(()),
        Err(error) => wrong(&format!("is no URL: {error}")),
    }
}
