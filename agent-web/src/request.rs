//! Checks of a request before it is handled: its origin, and its body.

use crate::problem::Problem;
use agent_spec::json::has_more_values_than;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The time in which a body must arrive.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The maximum number of values of a body, because a body of 16 MiB can have millions of values, which take gigabytes. A key
/// counts as a value, a list as two and an object as eight.
const MAX_VALUES: usize = 300_000;

/// Checks that a request that changes something was not made by a page of another site. A browser sends the
/// origin of a request, and a program that sends none has no cookies of a user.
pub(crate) fn check_origin(parts: &Parts) -> Result<(), Problem> {
    if matches!(parts.method, Method::GET | Method::HEAD) {
        return Ok(());
    }
    let text = |name: &str| {
        parts
            .headers
            .get(name)
            .map(|value| value.to_str().unwrap_or("?"))
    };
    let is_same = match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => is_origin_of(origin, &parts.headers, parts),
        (None, None) => true,
    };
    match is_same {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "the request comes from a page of another site",
        )),
    }
}

/// Whether an origin has the host to which the request was sent.
fn is_origin_of(origin: &str, headers: &HeaderMap, parts: &Parts) -> bool {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let host = host.or_else(|| parts.uri.authority().map(|authority| authority.as_str()));
    let origin = origin.split_once("://").map(|(_, host)| host);
    matches!((origin, host), (Some(origin), Some(host)) if origin.eq_ignore_ascii_case(host))
}

/// Reads the body of a request as JSON.
pub(crate) async fn json<T: DeserializeOwned>(
    parts: &Parts,
    body: Body,
    most: usize,
) -> Result<T, Problem> {
    let media_type = parts.headers.get(header::CONTENT_TYPE);
    let media_type = media_type
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/json") {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body must be `application/json`",
        ));
    }
    let read = tokio::time::timeout(BODY_TIME, Limited::new(body, most).collect());
    let bytes = match read.await {
        Err(_) => {
            let text = format!("the body did not arrive within {BODY_TIME:?}");
            return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, text));
        }
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            let text = format!("the body has more than {most} bytes");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        Ok(Err(_)) => return Err(Problem::bad_request("the body is cut off")),
        Ok(Ok(body)) => body.to_bytes(),
    };
    if has_more_values_than(&bytes, MAX_VALUES) {
        let text = format!("the body has more than {MAX_VALUES} values");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text));
    }
    serde_json::from_slice(&bytes).map_err(|error| {
        let value = serde_json::from_slice::<serde_json::Value>(&bytes);
        match value.is_ok_and(|value| !value.is_object()) {
            true => Problem::bad_request("the body must be a JSON object"),
            false => Problem::bad_request(format!("the body is not what is expected: {error}")),
        }
    })
}
