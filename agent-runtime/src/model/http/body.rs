//! Reading what a server sends, within bounds.

use super::failure::Failure;
use crate::error::Error;
use crate::trace::WIRE;
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, LOCATION};
use std::time::Duration;
use tokio::time::timeout;

/// The longest answer that is read, in bytes.
pub(super) const MAX_BODY: usize = 32 * 1_048_576;

/// How long the text of an error may take: the status is known, and says more than nothing.
const ERROR_BODY: Duration = Duration::from_secs(5);

/// The text of a header.
pub(super) fn header(response: &Response, name: &str) -> Option<String> {
    let value = response.headers().get(name)?;
    value.to_str().ok().map(str::to_owned)
}

/// What the server calls the request, for its support.
pub(super) fn request_id(response: &Response) -> Option<String> {
    ["x-request-id", "request-id", "x-goog-request-id"]
        .into_iter()
        .find_map(|name| header(response, name))
}

/// The body of an answer with a status of success.
pub(super) async fn whole(response: Response, failure: &Failure<'_>) -> Result<Vec<u8>, Error> {
    check_encoding(&response, failure)?;
    match read(response, MAX_BODY).await {
        Ok(Some(body)) => Ok(body),
        Ok(None) => Err(failure.too_long(MAX_BODY)),
        Err(error) if error.is_timeout() => Err(failure.late()),
        Err(error) => Err(failure.transport("broke its answer off", error)),
    }
}

/// Refuses what was compressed though nobody asked for that: it would be read as nonsense.
pub(super) fn check_encoding(response: &Response, failure: &Failure<'_>) -> Result<(), Error> {
    match header(response, CONTENT_ENCODING.as_str()) {
        Some(encoding) if !encoding.trim().is_empty() && encoding != "identity" => {
            Err(failure.encoded(&encoding))
        }
        _ => Ok(()),
    }
}

/// The error that an answer with another status tells of.
pub(super) async fn error(response: Response, failure: &Failure<'_>) -> Error {
    let status = response.status().as_u16();
    if response.status().is_redirection()
        && let Some(location) = header(&response, LOCATION.as_str())
    {
        return failure.redirect(status, &location);
    }
    let request_id = request_id(&response);
    // An error whose text cannot be read is told without it.
    let body = timeout(ERROR_BODY, read(response, MAX_BODY)).await;
    let body = body.ok().and_then(Result::ok).flatten();
    let body = body.unwrap_or_default();
    tracing::trace!(target: WIRE, status, body = %failure.redacted(&body), "response");
    failure.status(status, request_id.as_deref(), &body)
}

/// The body, or nothing when it is longer than allowed; the rest is not read then.
async fn read(mut response: Response, most: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}
