//! Answers that are read while they arrive.

use super::client::{Attempts, HttpClient, check_encoding, header};
use super::failure::Failure;
use super::frames::{Frame, Framer, Framing};
use super::large_answers::{MAX_BODY, Turn, extend};
use crate::model::reply_builder::{MAX_KEPT_VALUES, ReplyBuilder};
use agent_core::model::{ModelReply, ReplySink};
use agent_spec::json::{ends_with_half, join_halves, too_many_values};
use agent_tool::Error;
use agent_tool::trace::WIRE;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde_core::de::IgnoredAny;
use serde_json::value::RawValue;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The time limit for what may follow an answer without an end mark, such as its usage.
const TRAILER_TIMEOUT: Duration = Duration::from_secs(2);

/// The time limit for the end of the connection after a complete answer.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(50);

/// The maximum number of bytes that are read after a complete answer. A broken server can send further bytes without
/// end.
const MAX_REST: usize = 65_536;

/// The maximum number of bytes at the beginning of an answer that are kept for an error message, because a broken
/// server can send any number.
const MAX_QUOTE: usize = 2_048;

/// The maximum number of frames that wait for the other half of a surrogate pair. A server could send empty
/// pieces without end.
const MAX_HELD: usize = 64;

/// The last event of OpenAI's streams. Some servers send it in the formats of other vendors, too.
const DONE: &str = "[DONE]";

/// Parses a streamed answer in the format of one provider.
pub(crate) trait StreamReader: Send + 'static {
    /// Returns the reply as far as it has arrived.
    fn builder(&mut self) -> &mut ReplyBuilder;

    /// Parses the data of a frame.
    ///
    /// # Errors
    /// When the data reports an error, or cannot be parsed.
    fn data(&mut self, data: &str, failure: &Failure<'_>) -> Result<(), Error>;

    /// Parses an answer in one piece.
    ///
    /// # Errors
    /// When the answer reports an error, or cannot be parsed.
    fn whole(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error>;

    /// Whether the answer is complete if the stream ends here. Not every server sends an end mark.
    fn may_end(&self) -> bool;

    /// Whether the frames so far held any part of an answer.
    fn has_begun(&self) -> bool {
        true
    }

    /// Handles the end mark.
    fn end(&mut self) {}

    /// Adds what only the end of the stream decides: reason, usage, data of the provider.
    fn conclude(self, reply: &mut ModelReply)
    where
        Self: Sized;

    /// Parses a frame.
    ///
    /// # Errors
    /// When the frame reports an error, or cannot be parsed.
    fn frame(&mut self, frame: &Frame, failure: &Failure<'_>) -> Result<(), Error> {
        let data = frame.data.trim();
        match (frame.event.as_str(), data) {
            (_, DONE) => {
                self.end();
                self.builder().complete();
                Ok(())
            }
            ("error", _) => Err(failure.reported(data.as_bytes())),
            // Proxies send empty events to keep a connection open.
            (_, "") => Ok(()),
            _ => self.data(data, failure),
        }
    }

    /// Parses the body of an answer in one piece. Some servers do not stream although the request asked for it.
    ///
    /// # Errors
    /// When the body reports an error, or cannot be parsed.
    fn body(&mut self, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
        self.whole(body, failure)?;
        self.builder().complete();
        check_names(self.builder(), body, failure)
    }

    /// Returns the reply.
    ///
    /// # Errors
    /// When a call has no name or is not one of a function, or when too many values were kept.
    fn finish(mut self, failure: &Failure<'_>) -> Result<ModelReply, Error>
    where
        Self: Sized,
    {
        let builder = self.builder();
        check_values(builder, failure)?;
        if let Some(item) = &builder.not_run {
            return Err(failure.not_run(item));
        }
        check_names(builder, b"", failure)?;
        let mut reply = builder.build();
        self.conclude(&mut reply);
        Ok(reply)
    }
}

/// Parses the body of an answer in one piece. A body that ends in the middle of its JSON is one that broke off: a server
/// that sends no length may close the connection there without an error.
///
/// # Errors
/// When the body reports an error, or cannot be parsed.
pub(crate) fn read_body(
    reader: &mut dyn StreamReader,
    body: &[u8],
    failure: &Failure<'_>,
) -> Result<(), Error> {
    let is_cut = || {
        let read: Result<IgnoredAny, _> = serde_json::from_slice(body);
        !body.trim_ascii().is_empty() && read.is_err_and(|error| error.is_eof())
    };
    let read = reader.body(body, failure);
    read.map_err(|error| {
        if is_cut() {
            failure.broken_off()
        } else {
            error
        }
    })
}

/// Checks that each call has a name. `body` is the text that the error quotes.
fn check_names(builder: &ReplyBuilder, body: &[u8], failure: &Failure<'_>) -> Result<(), Error> {
    match builder.has_nameless_call() && builder.not_run.is_none() {
        true => Err(failure.unreadable("has a tool call without a name", body)),
        false => Ok(()),
    }
}

/// Checks that the values of an answer that stay in memory are few enough.
fn check_values(builder: &ReplyBuilder, failure: &Failure<'_>) -> Result<(), Error> {
    match builder.has_too_many_values() {
        true => {
            let problem = too_many_values(MAX_KEPT_VALUES);
            Err(failure.unreadable(&format!("has parts with {problem}"), b""))
        }
        false => Ok(()),
    }
}

impl HttpClient {
    /// Sends a request, parses its answer while it arrives, and sends the parts to the sink. Dropping the
    /// future cancels the request.
    pub(crate) async fn stream<R: StreamReader + Default>(
        &self,
        attempts: &mut Attempts<'_>,
        framing: Framing,
        reader: &mut R,
        sink: &mut ReplySink<'_>,
    ) -> Result<(), Error> {
        let response = attempts.send().await?;
        let failure = attempts.request.failure();
        check_encoding(&response, &failure)?;
        let answer = Answer {
            quote: quote(&response, framing),
            framer: Framer::new(framing),
            framing,
            form: None,
            beginning: Beginning::default(),
            whole: Vec::new(),
            length: 0,
            has_frames: false,
            held: Vec::new(),
            new_reader: || Box::new(R::default()),
            trailer_deadline: None,
            idle: self.settings.idle,
            turn: self.large_answers.turn(),
            failure: &failure,
        };
        answer.read(response, reader, sink).await
    }
}

/// An answer that is being read.
struct Answer<'f> {
    framing: Framing,
    framer: Framer,
    form: Option<Form>,
    beginning: Beginning,
    /// The bytes so far of an answer in one piece.
    whole: Vec<u8>,
    /// The beginning of an answer that may be something else, such as an HTML page that explains an error.
    quote: Option<Vec<u8>>,
    /// The number of bytes so far.
    length: usize,
    has_frames: bool,
    /// A frame that ends with the first half of a surrogate pair, and the empty pieces after it. The other
    /// half may be in the next frame.
    held: Vec<Frame>,
    /// Creates a reader of another answer in the same format.
    new_reader: fn() -> Box<dyn StreamReader>,
    /// The time limit for what may follow an answer without an end mark.
    trailer_deadline: Option<Instant>,
    idle: Duration,
    turn: Turn,
    failure: &'f Failure<'f>,
}

impl Answer<'_> {
    async fn read(
        mut self,
        mut response: Response,
        reader: &mut dyn StreamReader,
        sink: &mut ReplySink<'_>,
    ) -> Result<(), Error> {
        loop {
            let may_end = reader.may_end();
            let chunk = match timeout(self.time_limit(may_end), response.chunk()).await {
                Ok(Ok(chunk)) => chunk,
                // The answer is complete, although the server did not send its end.
                Ok(Err(_)) | Err(_) if may_end => return Ok(()),
                Ok(Err(error)) => {
                    return Err(self.failure.transport("broke its answer off", error));
                }
                Err(_) => return Err(self.failure.silent(self.idle)),
            };
            let outcome = match &chunk {
                Some(bytes) => self.chunk(bytes, reader),
                None => self.end(reader),
            };
            // The parts are sent before an error is returned, so that they are not lost.
            for part in reader.builder().take_parts() {
                sink.send(part).await;
            }
            outcome?;
            let kept = self.whole.len() + self.framer.pending() + reader.builder().bytes();
            let turn = timeout(self.idle, self.turn.wait(kept)).await;
            turn.map_err(|_| self.failure.timed_out())?;
            if reader.builder().is_complete() {
                read_to_end(response).await;
                return Ok(());
            }
            if chunk.is_none() {
                return self.ended(reader);
            }
        }
    }

    /// Returns the time limit for the next bytes. Events that only keep the connection open do not extend
    /// the limit after an answer that may be complete.
    fn time_limit(&mut self, may_end: bool) -> Duration {
        if may_end && self.trailer_deadline.is_none() {
            self.trailer_deadline = Instant::now().checked_add(TRAILER_TIMEOUT);
        }
        match self.trailer_deadline {
            Some(deadline) => deadline
                .saturating_duration_since(Instant::now())
                .min(self.idle),
            None => self.idle,
        }
    }

    fn chunk(&mut self, bytes: &[u8], reader: &mut dyn StreamReader) -> Result<(), Error> {
        self.length += bytes.len();
        if self.length > MAX_BODY {
            return Err(self.failure.too_long(MAX_BODY));
        }
        if let Some(text) = &mut self.quote {
            let room = MAX_QUOTE.saturating_sub(text.len()).min(bytes.len());
            text.extend_from_slice(&bytes[..room]);
        }
        match self.form {
            Some(Form::Frames) => return self.frames(Some(bytes), reader),
            Some(Form::Whole) => extend(&mut self.whole, bytes, MAX_BODY),
            None => {
                self.form = self.beginning.push(self.framing, bytes);
                if self.form.is_some() {
                    self.whole = std::mem::take(&mut self.beginning.0);
                }
                if self.form == Some(Form::Frames) {
                    let bytes = std::mem::take(&mut self.whole);
                    return self.frames(Some(&bytes), reader);
                }
            }
        }
        Ok(())
    }

    /// Handles the end of the body.
    fn end(&mut self, reader: &mut dyn StreamReader) -> Result<(), Error> {
        if self.form == Some(Form::Whole) {
            let body = std::mem::take(&mut self.whole);
            tracing::trace!(target: WIRE, body = %self.failure.redacted(&body), "response");
            return match self.framing {
                Framing::Events => read_body(reader, &body, self.failure),
                // A truncated line is an error of the line.
                Framing::Lines => reader.body(&body, self.failure),
            };
        }
        let rest = std::mem::take(&mut self.beginning.0);
        self.frames(Some(&rest), reader)?;
        self.frames(None, reader)
    }

    /// Splits bytes, or the end of the body, into frames and parses them.
    fn frames(&mut self, bytes: Option<&[u8]>, reader: &mut dyn StreamReader) -> Result<(), Error> {
        let mut frames = Vec::new();
        let split = match bytes {
            Some(bytes) => self.framer.push(bytes, |frame| frames.push(frame)),
            None => self.framer.finish(|frame| frames.push(frame)),
        };
        for mut frame in frames {
            let data = frame.data.as_bytes();
            tracing::trace!(target: WIRE, body = %self.failure.redacted(data), "response piece");
            // The last line, without its line end, may be truncated.
            if bytes.is_none() && begins_json(&frame.data) && !is_json(&frame.data) {
                return Err(self.failure.broken_off());
            }
            self.has_frames = true;
            if let Some(first) = self.held.first_mut()
                && !join_halves(&mut first.data, &mut frame.data)
                && self.held.len() < MAX_HELD
                && self.is_empty_piece(&frame)
            {
                self.held.push(frame);
                continue;
            }
            self.release(reader)?;
            if ends_with_half(&frame.data) {
                self.held.push(frame);
            } else {
                self.frame(&frame, reader)?;
            }
            if reader.builder().is_complete() {
                return Ok(());
            }
        }
        if bytes.is_none() {
            self.release(reader)?;
        }
        split.map_err(|_| self.failure.not_text())
    }

    /// Whether a frame adds nothing to an answer, and does not end it.
    fn is_empty_piece(&self, frame: &Frame) -> bool {
        let mut reader = (self.new_reader)();
        let read = reader.frame(frame, self.failure);
        let builder = reader.builder();
        let is_empty =
            builder.is_untouched() && builder.not_run.is_none() && !builder.is_complete();
        read.is_ok() && is_empty && !reader.may_end()
    }

    /// Parses the frames that wait for the other half of a surrogate pair.
    fn release(&mut self, reader: &mut dyn StreamReader) -> Result<(), Error> {
        for frame in std::mem::take(&mut self.held) {
            self.frame(&frame, reader)?;
        }
        Ok(())
    }

    fn frame(&self, frame: &Frame, reader: &mut dyn StreamReader) -> Result<(), Error> {
        reader.frame(frame, self.failure)?;
        check_values(reader.builder(), self.failure)
    }

    /// Checks an answer that ended without an end mark.
    fn ended(self, reader: &dyn StreamReader) -> Result<(), Error> {
        match self.quote {
            _ if reader.may_end() => Ok(()),
            _ if self.length == 0 => Err(self.failure.empty()),
            Some(mut text) if !(text.is_empty() || (self.has_frames && reader.has_begun())) => {
                if text.len() == MAX_QUOTE {
                    self.failure.without_cut_secret(&mut text);
                }
                let problem = match self.framing {
                    Framing::Events => "is no stream of events",
                    Framing::Lines => "has no message",
                };
                Err(self.failure.unreadable(problem, &text))
            }
            _ => Err(self.failure.broken_off()),
        }
    }
}

/// Reads the end of the connection's data after a complete answer, because a connection with unread data is
/// not used again. Data beyond [`MAX_REST`] bytes stay unread, because compressed data could grow for as long
/// as the server likes.
async fn read_to_end(mut response: Response) {
    let rest = async {
        let mut length = 0;
        while let Ok(Some(bytes)) = response.chunk().await {
            length += bytes.len();
            if length > MAX_REST {
                return;
            }
        }
    };
    let _ = timeout(CLOSE_TIMEOUT, rest).await;
}

/// Returns an empty quote of an answer, or `None` if its content type is that of an event stream. Other
/// content types are no proof, because some servers stream with a wrong content type.
fn quote(response: &Response, framing: Framing) -> Option<Vec<u8>> {
    let kind = header(response, CONTENT_TYPE).unwrap_or_default();
    match framing {
        Framing::Events if kind.trim_start().starts_with("text/event-stream") => None,
        _ => Some(Vec::new()),
    }
}

/// The form of the answer to a request for a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Frames, as requested.
    Frames,
    /// One JSON text, from a server that does not stream.
    Whole,
}

/// The bytes at the beginning of an answer, which decide its form. The content type does not, because some
/// servers send a wrong one. Blanks in front are dropped, so that no byte is scanned twice: a beginning may be long.
#[derive(Debug, Default)]
struct Beginning(Vec<u8>);

impl Beginning {
    /// Adds bytes, and returns the form once it is known.
    fn push(&mut self, framing: Framing, bytes: &[u8]) -> Option<Form> {
        const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
        let bytes = match self.0.is_empty() {
            true => bytes.trim_ascii_start(),
            false => bytes,
        };
        self.0.extend_from_slice(bytes);
        if let Some(rest) = self.0.strip_prefix(BYTE_ORDER_MARK) {
            self.0 = rest.trim_ascii_start().to_vec();
        }
        if BYTE_ORDER_MARK.starts_with(&self.0) {
            return None;
        }
        if !matches!(self.0[0], b'{' | b'[') {
            return Some(Form::Frames);
        }
        match framing {
            // No line of a server-sent event begins with a bracket.
            Framing::Events => Some(Form::Whole),
            // Only the new bytes can have the first line end, because an earlier line end would have decided
            // the form.
            Framing::Lines if !bytes.contains(&b'\n') => None,
            Framing::Lines => {
                let end = self.0.iter().position(|byte| *byte == b'\n')?;
                // If the first line is not JSON itself, the answer is one JSON text on several lines.
                match str::from_utf8(&self.0[..end]) {
                    Ok(line) if !is_json(line) => Some(Form::Whole),
                    _ => Some(Form::Frames),
                }
            }
        }
    }
}

fn begins_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_decides_the_form_however_it_is_split() {
        use Form::{Frames, Whole};
        use Framing::{Events, Lines};
        let cases: [(Framing, &str, Option<Form>); 11] = [
            (Events, "", None),
            (Events, "\u{feff}\r\n ", None),
            (Events, "d", Some(Frames)),
            (Events, ": keep-alive", Some(Frames)),
            (Events, "\n{", Some(Whole)),
            (Events, "\u{feff}[{", Some(Whole)),
            (Events, "<html>", Some(Frames)),
            (Lines, "{\"done\"", None),
            (Lines, "{\"done\": false}\n", Some(Frames)),
            (Lines, "{\n  \"done\"", Some(Whole)),
            (Lines, "<html>", Some(Frames)),
        ];
        for (framing, text, expected) in cases {
            let mut beginning = Beginning::default();
            let found = beginning.push(framing, text.as_bytes());
            assert_eq!(found, expected, "{framing:?} {text:?}");
            let mut beginning = Beginning::default();
            let mut pieces = text.as_bytes().chunks(1);
            let found = pieces.find_map(|piece| beginning.push(framing, piece));
            assert_eq!(found, expected, "{framing:?} {text:?} byte by byte");
        }
    }
}
