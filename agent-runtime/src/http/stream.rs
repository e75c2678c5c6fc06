//! Answers that are read while they come.

use super::body::{self, MAX_BODY};
use super::client::HttpClient;
use super::exchange::Unanswered;
use super::failure::Failure;
use super::frames::{Frame, Framer, Framing};
use super::outgoing::Outgoing;
use crate::error::Error;
use crate::model::{ReplyPart, ReplySink};
use crate::trace::WIRE;
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response};
use serde_json::value::RawValue;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// What a provider makes of the pieces of a streamed answer.
pub(crate) trait StreamReader: Send {
    /// Takes a piece.
    ///
    /// # Errors
    /// When it tells of an error, or cannot be understood.
    fn frame(&mut self, frame: Frame, failure: &Failure<'_>) -> Result<(), Error>;

    /// Takes a whole answer, from a server that does not stream although it was asked to.
    ///
    /// # Errors
    /// When it cannot be understood.
    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error>;

    /// The parts that the pieces made, since the last time.
    fn take_parts(&mut self) -> Vec<ReplyPart>;

    /// Whether the answer is complete, so that nothing further is waited for.
    fn is_complete(&self) -> bool;

    /// Whether the answer may end here: servers differ in how they mark the end.
    fn may_end(&self) -> bool;
}

impl HttpClient {
    /// Sends a JSON text and reads the answer as it comes, putting its parts into the sink. A
    /// request is only sent again before its answer begins. Dropping the future gives it up.
    pub(crate) async fn stream(
        &self,
        outgoing: &Outgoing<'_>,
        framing: Framing,
        reader: &mut dyn StreamReader,
        sink: &mut ReplySink<'_>,
    ) -> Result<(), Error> {
        let failure = outgoing.failure();
        let send = |request: RequestBuilder, left: Duration| async move {
            // A limit of the client's own would be one on the whole answer.
            match timeout(left, request.send()).await {
                Ok(sent) => sent.map_err(Unanswered::Failed),
                Err(_) => Err(Unanswered::Late),
            }
        };
        let response = self.exchange(outgoing, send).await?;
        body::check_encoding(&response, &failure)?;
        if is_whole(&response, framing) {
            let idle = self.settings.idle;
            let body = timeout(idle, body::whole(response, &failure)).await;
            let body = body.unwrap_or_else(|_| Err(failure.silent(idle)))?;
            tracing::trace!(target: WIRE, body = %failure.masked(&body), "response");
            reader.whole(&body, &failure)?;
            put(reader, sink).await;
            return Ok(());
        }
        self.read(response, framing, reader, sink, &failure).await
    }

    async fn read(
        &self,
        mut response: Response,
        framing: Framing,
        reader: &mut dyn StreamReader,
        sink: &mut ReplySink<'_>,
        failure: &Failure<'_>,
    ) -> Result<(), Error> {
        let idle = self.settings.idle;
        let mut framer = Framer::new(framing);
        let mut page = Page::of(&response, framing);
        let mut has_frames = false;
        let mut length = 0;
        let mut over = None;
        loop {
            let may_end = reader.may_end();
            if may_end && over.is_none() {
                over = Instant::now().checked_add(AFTER_THE_END);
            }
            // Signs of life do not put off the end of an answer that may be over.
            let left = over.map(|over: Instant| over.saturating_duration_since(Instant::now()));
            let patience = left.map_or(idle, |left| left.min(idle));
            let chunk = match timeout(patience, response.chunk()).await {
                Ok(Ok(chunk)) => chunk,
                // Everything was said, though the server does not say so.
                Ok(Err(_)) | Err(_) if may_end => return Ok(()),
                Ok(Err(error)) => return Err(failure.transport("broke its answer off", error)),
                Err(_) => return Err(failure.silent(idle)),
            };
            let mut frames = Vec::new();
            let cut = match &chunk {
                Some(bytes) => {
                    length += bytes.len();
                    if length > MAX_BODY {
                        return Err(failure.too_long(MAX_BODY));
                    }
                    page.push(bytes);
                    framer.push(bytes, |frame| frames.push(frame))
                }
                None => framer.finish(|frame| frames.push(frame)),
            };
            let mut outcome = Ok(());
            for frame in frames {
                let data = frame.data.as_bytes();
                tracing::trace!(target: WIRE, body = %failure.masked(data), "response");
                // A last line without a line end is a whole text, or the beginning of one.
                let is_cut = chunk.is_none() && has_frames && !is_json(&frame.data);
                has_frames = true;
                outcome = match is_cut {
                    true => Err(failure.broken_off()),
                    false => reader.frame(frame, failure),
                };
                if outcome.is_err() || reader.is_complete() {
                    break;
                }
            }
            // What came before a mistake was said.
            put(reader, sink).await;
            outcome?;
            cut.map_err(|_| failure.not_text())?;
            if reader.is_complete() {
                keep(response).await;
                return Ok(());
            }
            if chunk.is_none() {
                return match page {
                    _ if reader.may_end() => Ok(()),
                    Page::Beginning(text) if !has_frames && !text.is_empty() => {
                        Err(failure.unreadable("is no stream of events", &text))
                    }
                    _ => Err(failure.broken_off()),
                };
            }
        }
    }
}

/// How long something may follow an answer that may be at its end, such as what the request cost.
const AFTER_THE_END: Duration = Duration::from_secs(2);

/// How long a connection may take to end an answer that is complete.
const LAST_BYTES: Duration = Duration::from_millis(50);

/// Reads an answer to its end, which follows what says that it is complete: a connection that is
/// left before that cannot be used again.
async fn keep(mut response: Response) {
    let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
    let _ = timeout(LAST_BYTES, rest).await;
}

/// What may be a page for people, which says in its beginning why there is no stream.
enum Page {
    None,
    Beginning(Vec<u8>),
}

/// How much of a page is kept, in bytes.
const KEPT: usize = 2_048;

impl Page {
    /// Servers that stream may call it by a wrong name, so the name alone decides nothing.
    fn of(response: &Response, framing: Framing) -> Self {
        let kind = body::header(response, CONTENT_TYPE.as_str()).unwrap_or_default();
        match framing {
            Framing::Events if !kind.trim_start().starts_with("text/event-stream") => {
                Self::Beginning(Vec::new())
            }
            _ => Self::None,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        if let Self::Beginning(text) = self {
            let room = KEPT.saturating_sub(text.len()).min(bytes.len());
            text.extend_from_slice(&bytes[..room]);
        }
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

async fn put(reader: &mut dyn StreamReader, sink: &mut ReplySink<'_>) {
    for part in reader.take_parts() {
        sink.send(part).await;
    }
}

/// Whether a server that was asked for events answers with one JSON text.
fn is_whole(response: &Response, framing: Framing) -> bool {
    let kind = body::header(response, CONTENT_TYPE.as_str()).unwrap_or_default();
    framing == Framing::Events && kind.trim_start().starts_with("application/json")
}
