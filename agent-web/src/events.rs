//! Streams of server-sent events.

use crate::owner::Owner;
use crate::state::Inner;
use agent_runtime::Event;
use agent_runtime::event::{EventId, FollowedEvent};
use agent_runtime::runtime::RunFollower;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The time after which a comment is sent when nothing happens, so that nothing on the way ends the
/// connection. At the same time, the owner of the request is checked again.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Writes the events of a run as a client gets them.
pub(crate) trait EventWriter: Send + Sync + 'static {
    /// Writes the text before the first event.
    fn begin(&mut self) -> String {
        String::new()
    }

    /// Writes an event. The text may be empty.
    fn write(&mut self, event: FollowedEvent) -> String;
}

/// Writes our own events, each with its id.
pub(crate) struct OwnEvents;

impl EventWriter for OwnEvents {
    fn write(&mut self, followed: FollowedEvent) -> String {
        // The keys of an event are texts, so that this cannot fail.
        let json = serde_json::to_string(&followed.event).unwrap_or_default();
        format!("id: {}\ndata: {json}\n\n", followed.id)
    }
}

/// A stream that is being sent.
struct Sending<O, W> {
    web: Arc<Inner<O>>,
    /// The request, and the id of its owner.
    request: (Parts, String),
    follower: RunFollower,
    writer: W,
    is_begun: bool,
}

/// Follows a run as the answer to a request, with these headers besides the usual ones.
pub(crate) fn follow<O: Owner>(
    web: &Arc<Inner<O>>,
    request: (Parts, String),
    (run, after): (&str, Option<EventId>),
    writer: impl EventWriter,
    headers: &[(HeaderName, HeaderValue)],
) -> Response {
    let sending = Sending {
        web: Arc::clone(web),
        request,
        follower: web.runtime.follow(run, after),
        writer,
        is_begun: false,
    };
    let chunks = stream::unfold(Some(sending), |sending| async {
        let mut sending = sending?;
        match sending.next().await? {
            Ok(chunk) => Some((Ok(chunk), Some(sending))),
            // The error breaks the connection, because a client opens a broken connection again, but not one
            // that ended well.
            Err(error) => Some((Err(error), None)),
        }
    });
    let mut response = (StatusCode::OK, Body::from_stream(chunks)).into_response();
    let all = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        all.insert(name, HeaderValue::from_static(value));
    }
    all.extend(headers.iter().cloned());
    response
}

/// Replaces the message of a run that failed, and logs it, unless the client can act on it: an invalid input, or a limit. Other
/// messages may name the hosts, files and keys of the server.
fn hide_error(run: &str, event: &mut Event) {
    if let Event::Failed { kind, message, .. } = event
        && !matches!(kind.as_str(), "limit" | "validation")
    {
        tracing::error!(run, kind, error = message, "a run failed");
        "the run failed; the log of the server says why".clone_into(message);
    }
}

impl<O: Owner, W: EventWriter> Sending<O, W> {
    async fn next(&mut self) -> Option<io::Result<String>> {
        if !std::mem::replace(&mut self.is_begun, true) {
            let first = self.writer.begin();
            if !first.is_empty() {
                return Some(Ok(first));
            }
        }
        loop {
            let next = tokio::time::timeout(KEEP_ALIVE, self.follower.next()).await;
            let event = match next {
                Ok(event) => event?,
                Err(_) => {
                    return Some(match self.has_owner().await {
                        true => Ok(": \n\n".to_owned()),
                        false => Err(io::Error::other("the request no longer has its owner")),
                    });
                }
            };
            match event {
                Ok(mut event) => {
                    if !self.web.shows_reasons {
                        hide_error(self.follower.run(), &mut event.event);
                    }
                    let chunk = self.writer.write(event);
                    if !chunk.is_empty() {
                        return Some(Ok(chunk));
                    }
                }
                Err(error) => {
                    let run = self.follower.run();
                    tracing::error!(run, %error, "a run cannot be followed");
                    return Some(Err(io::Error::other("the run cannot be followed now")));
                }
            }
        }
    }

    async fn has_owner(&self) -> bool {
        let (parts, owner) = &self.request;
        let found = (self.web.find)(parts.clone()).await;
        found.is_ok_and(|found| found.id() == *owner)
    }
}
