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
use std::time::Duration;
use tokio::time::timeout;

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
            let body = body::whole(response, &failure).await?;
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
        let mut length = 0;
        loop {
            let chunk = match timeout(idle, response.chunk()).await {
                Err(_) => return Err(failure.silent(idle)),
                Ok(Err(error)) => return Err(failure.transport("broke its answer off", error)),
                Ok(Ok(chunk)) => chunk,
            };
            let mut frames = Vec::new();
            let cut = match &chunk {
                Some(bytes) => {
                    length += bytes.len();
                    if length > MAX_BODY {
                        return Err(failure.too_long(MAX_BODY));
                    }
                    framer.push(bytes, |frame| frames.push(frame))
                }
                None => framer.finish(|frame| frames.push(frame)),
            };
            let mut outcome = Ok(());
            for frame in frames {
                let data = frame.data.as_bytes();
                tracing::trace!(target: WIRE, body = %failure.masked(data), "response");
                outcome = reader.frame(frame, failure);
                if outcome.is_err() || reader.is_complete() {
                    break;
                }
            }
            // What came before a mistake was said.
            put(reader, sink).await;
            outcome?;
            cut.map_err(|_| failure.not_text())?;
            if reader.is_complete() {
                return Ok(());
            }
            if chunk.is_none() {
                return if reader.may_end() {
                    Ok(())
                } else {
                    Err(failure.broken_off())
                };
            }
        }
    }
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
