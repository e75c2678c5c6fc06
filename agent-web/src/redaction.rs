//! Replaces keys in everything that clients get.

use crate::state::Inner;
use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::Response;
use futures_util::{StreamExt, stream};
use std::sync::Arc;

/// Replaces the keys in the body of an answer while it is sent. Events have the texts of models and tools unchanged, and a document
/// may contain a key.
pub(crate) async fn redact<O>(State(web): State<Arc<Inner<O>>>, answer: Response) -> Response {
    let (mut parts, body) = answer.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    let begun = (
        body.into_data_stream(),
        Some(web.runtime.redactor().stream()),
    );
    let pieces = stream::unfold(begun, |(mut body, redactor)| async move {
        let mut redactor = redactor?;
        match body.next().await {
            // A piece ends with a whole character.
            Some(Ok(piece)) => {
                let piece = redactor.push(&String::from_utf8_lossy(&piece));
                Some((Ok(piece), (body, Some(redactor))))
            }
            Some(Err(error)) => Some((Err(error), (body, None))),
            None => Some((Ok(redactor.finish()), (body, None))),
        }
    });
    Response::from_parts(parts, Body::from_stream(pieces))
}
