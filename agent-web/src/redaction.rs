//! Replaces keys in everything that clients get.

use crate::state::Inner;
use axum::body::{Body, HttpBody as _};
use axum::extract::State;
use axum::http::header;
use axum::response::Response;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt as _;
use std::sync::Arc;

/// Replaces the keys in the body of an answer. Events have the texts of models and tools unchanged, and a document may contain
/// a key.
pub(crate) async fn redact<O>(State(web): State<Arc<Inner<O>>>, answer: Response) -> Response {
    let redactor = web.runtime.redactor();
    let (mut parts, body) = answer.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    // A body of a known size is there as a whole. It keeps its size, which clients see.
    if body.size_hint().exact().is_some() {
        let body = match body.collect().await {
            Ok(whole) => Body::from(redactor.text(&String::from_utf8_lossy(&whole.to_bytes()))),
            Err(error) => Body::from_stream(stream::iter([Err::<String, _>(error)])),
        };
        return Response::from_parts(parts, body);
    }
    let begun = (body.into_data_stream(), Some(redactor.stream()));
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
