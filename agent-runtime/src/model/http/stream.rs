//! Answers that are read while they come.

use super::client::{HttpClient, MAX_BODY, Outgoing, check_encoding, header};
use super::failure::Failure;
use super::frames::{Frame, Framer, Framing};
use crate::error::Error;
use crate::model::{ModelReply, ReplyPart, ReplySink};
use crate::trace::WIRE;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
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

    /// Whether the pieces held anything of an answer. What ends without was none, rather than a part
    /// of one.
    fn has_begun(&self) -> bool {
        true
    }

    /// The answer that the pieces make.
    ///
    /// # Errors
    /// When they make none.
    fn finish(self, failure: &Failure<'_>) -> Result<ModelReply, Error>
    where
        Self: Sized;
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
        let (response, _) = self.exchange(outgoing).await?;
        check_encoding(&response, &failure)?;
        let answer = Answer {
            page: Page::of(&response, framing),
            framer: Framer::new(framing),
            framing,
            form: None,
            beginning: Beginning::default(),
            whole: Vec::new(),
            length: 0,
            has_frames: false,
            over: None,
            idle: self.settings.idle,
            failure: &failure,
        };
        answer.read(response, reader, sink).await
    }
}

/// How long something may follow an answer that may be at its end, such as what the request cost.
const AFTER_THE_END: Duration = Duration::from_secs(2);

/// How long a connection may take to end an answer that is complete.
const LAST_BYTES: Duration = Duration::from_millis(50);

/// An answer on its way.
struct Answer<'f> {
    framing: Framing,
    framer: Framer,
    form: Option<Form>,
    beginning: Beginning,
    /// What came of an answer in one piece.
    whole: Vec<u8>,
    page: Page,
    /// How much came, in bytes.
    length: usize,
    has_frames: bool,
    /// Until when something may follow an answer that may be at its end.
    over: Option<Instant>,
    idle: Duration,
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
            let chunk = match timeout(self.patience(may_end), response.chunk()).await {
                Ok(Ok(chunk)) => chunk,
                // Everything was said, though the server does not say so.
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
            // What came before a mistake was said.
            for part in reader.take_parts() {
                sink.send(part).await;
            }
            outcome?;
            if reader.is_complete() {
                keep(response).await;
                return Ok(());
            }
            if chunk.is_none() {
                return self.ended(reader);
            }
        }
    }

    /// How long the next bytes are waited for. Signs of life do not put off the end of an answer that
    /// may be over.
    fn patience(&mut self, may_end: bool) -> Duration {
        if may_end && self.over.is_none() {
            self.over = Instant::now().checked_add(AFTER_THE_END);
        }
        match self.over {
            Some(over) => over
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
        self.page.push(bytes);
        match self.form {
            Some(Form::Pieces) => return self.pieces(Some(bytes), reader),
            Some(Form::Whole) => self.whole.extend_from_slice(bytes),
            None => {
                self.form = self.beginning.push(self.framing, bytes);
                if self.form.is_some() {
                    self.whole = std::mem::take(&mut self.beginning).into_bytes();
                }
                if self.form == Some(Form::Pieces) {
                    let bytes = std::mem::take(&mut self.whole);
                    return self.pieces(Some(&bytes), reader);
                }
            }
        }
        Ok(())
    }

    /// Takes the end of the answer.
    fn end(&mut self, reader: &mut dyn StreamReader) -> Result<(), Error> {
        if self.form == Some(Form::Whole) {
            let body = std::mem::take(&mut self.whole);
            tracing::trace!(target: WIRE, body = %self.failure.redacted(&body), "response");
            return reader.whole(&body, self.failure);
        }
        let rest = std::mem::take(&mut self.beginning).into_bytes();
        self.pieces(Some(&rest), reader)?;
        self.pieces(None, reader)
    }

    /// Cuts bytes, or the end, into frames and has them read.
    fn pieces(&mut self, bytes: Option<&[u8]>, reader: &mut dyn StreamReader) -> Result<(), Error> {
        let mut frames = Vec::new();
        let cut = match bytes {
            Some(bytes) => self.framer.push(bytes, |frame| frames.push(frame)),
            None => self.framer.finish(|frame| frames.push(frame)),
        };
        for frame in frames {
            let data = frame.data.as_bytes();
            tracing::trace!(target: WIRE, body = %self.failure.redacted(data), "response piece");
            // A last line without a line end is a whole text, or the beginning of one.
            if bytes.is_none() && begins_json(&frame.data) && !is_json_text(&frame.data) {
                return Err(self.failure.broken_off());
            }
            self.has_frames = true;
            reader.frame(frame, self.failure)?;
            if reader.is_complete() {
                return Ok(());
            }
        }
        cut.map_err(|_| self.failure.not_text())
    }

    /// What an answer comes to that has ended without saying so.
    fn ended(self, reader: &dyn StreamReader) -> Result<(), Error> {
        match self.page {
            _ if reader.may_end() => Ok(()),
            _ if self.length == 0 => Err(self.failure.empty()),
            Page::Beginning(mut text)
                if !(text.is_empty() || (self.has_frames && reader.has_begun())) =>
            {
                if text.len() == KEPT {
                    self.failure.without_cut_secret(&mut text);
                }
                let why = match self.framing {
                    Framing::Events => "is no stream of events",
                    Framing::Lines => "has no message",
                };
                Err(self.failure.unreadable(why, &text))
            }
            _ => Err(self.failure.broken_off()),
        }
    }
}

fn begins_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Reads an answer to its end, which follows what says that it is complete: a connection that is
/// left before that cannot be used again.
async fn keep(mut response: Response) {
    let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
    let _ = timeout(LAST_BYTES, rest).await;
}

/// What may be no answer, such as a page for people: its beginning says why there is no stream.
enum Page {
    None,
    Beginning(Vec<u8>),
}

/// How much of a page is kept, in bytes.
const KEPT: usize = 2_048;

impl Page {
    /// Servers that stream may call it by a wrong name, so the name alone decides nothing.
    fn of(response: &Response, framing: Framing) -> Self {
        let kind = header(response, CONTENT_TYPE.as_str()).unwrap_or_default();
        match framing {
            Framing::Events if kind.trim_start().starts_with("text/event-stream") => Self::None,
            _ => Self::Beginning(Vec::new()),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        if let Self::Beginning(text) = self {
            let room = KEPT.saturating_sub(text.len()).min(bytes.len());
            text.extend_from_slice(&bytes[..room]);
        }
    }
}

/// In which form an answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Piece by piece, as it was asked for.
    Pieces,
    /// One JSON text.
    Whole,
}

/// Finds out the form of an answer. It looks at no byte twice, since a beginning may be long.
#[derive(Debug, Default)]
pub(super) struct Beginning {
    bytes: Vec<u8>,
    /// Up to here there is nothing but blanks, or no line end after the first that is none.
    scanned: usize,
    /// Where the first byte stands that is no blank.
    start: Option<usize>,
}

impl Beginning {
    /// Takes further bytes; gives the form as soon as it is known.
    pub(super) fn push(&mut self, framing: Framing, bytes: &[u8]) -> Option<Form> {
        self.bytes.extend_from_slice(bytes);
        let start = self.start()?;
        if !matches!(self.bytes[start], b'{' | b'[') {
            return Some(Form::Pieces);
        }
        match framing {
            // No line of an event begins so.
            Framing::Events => Some(Form::Whole),
            Framing::Lines => {
                let rest = &self.bytes[self.scanned..];
                let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
                    self.scanned = self.bytes.len();
                    return None;
                };
                // A text on several lines has no line that is one.
                match std::str::from_utf8(&self.bytes[start..self.scanned + end]) {
                    Ok(line) if !is_json_text(line) => Some(Form::Whole),
                    _ => Some(Form::Pieces),
                }
            }
        }
    }

    /// What came so far.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn start(&mut self) -> Option<usize> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        if self.start.is_none() {
            if self.bytes.starts_with(MARK) {
                self.scanned = self.scanned.max(MARK.len());
            } else if MARK.starts_with(&self.bytes) {
                return None;
            }
            let rest = &self.bytes[self.scanned..];
            match rest.iter().position(|byte| !byte.is_ascii_whitespace()) {
                Some(at) => {
                    self.scanned += at;
                    self.start = Some(self.scanned);
                }
                None => self.scanned = self.bytes.len(),
            }
        }
        self.start
    }
}

/// Whether a text is one of JSON.
pub(super) fn is_json_text(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_decides() {
        use Form::{Pieces, Whole};
        use Framing::{Events, Lines};
        let cases: [(Framing, &str, Option<Form>); 11] = [
            (Events, "", None),
            (Events, "\u{feff}\r\n ", None),
            (Events, "d", Some(Pieces)),
            (Events, ": keep-alive", Some(Pieces)),
            (Events, "\n{", Some(Whole)),
            (Events, "\u{feff}[{", Some(Whole)),
            (Events, "<html>", Some(Pieces)),
            (Lines, "{\"done\"", None),
            (Lines, "{\"done\": false}\n", Some(Pieces)),
            (Lines, "{\n  \"done\"", Some(Whole)),
            (Lines, "<html>", Some(Pieces)),
        ];
        for (framing, text, expected) in cases {
            let mut beginning = Beginning::default();
            let found = beginning.push(framing, text.as_bytes());
            assert_eq!(found, expected, "{framing:?} {text:?}");
            // However it is cut, the same is found.
            let mut beginning = Beginning::default();
            let mut pieces = text.as_bytes().chunks(1);
            let found = pieces.find_map(|piece| beginning.push(framing, piece));
            assert_eq!(found, expected, "{framing:?} {text:?} byte by byte");
        }
    }
}
