//! Cutting a stream of bytes into the pieces that a provider means.

/// How a provider divides a streamed answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events, as the HTML standard defines them.
    Events,
    /// A JSON text a line.
    Lines,
}

/// One piece of a streamed answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The event's name; empty when it has none.
    pub(crate) event: String,
    pub(crate) data: String,
}

/// Takes bytes as they come and gives whole frames.
#[derive(Debug)]
pub(super) struct Framer {
    lines: Lines,
    events: Events,
    framing: Framing,
}

/// Bytes that are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotText;

impl Framer {
    pub(super) fn new(framing: Framing) -> Self {
        Self {
            lines: Lines::default(),
            events: Events::default(),
            framing,
        }
    }

    /// Takes bytes, and hands on the frames that they complete.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(Frame),
    ) -> Result<(), NotText> {
        let (framing, events) = (self.framing, &mut self.events);
        self.lines
            .push(bytes, |line| frame(framing, events, line, &mut take))
    }

    /// Takes the end of the stream: a last line may lack its line end, as the last line of a file
    /// may. Of server-sent events what is not ended by an empty line is incomplete, and left out.
    pub(super) fn finish(&mut self, mut take: impl FnMut(Frame)) -> Result<(), NotText> {
        let (framing, events) = (self.framing, &mut self.events);
        self.lines
            .finish(|line| frame(framing, events, line, &mut take))
    }
}

fn frame(framing: Framing, events: &mut Events, line: &str, take: &mut impl FnMut(Frame)) {
    match framing {
        Framing::Events => {
            if let Some(frame) = events.line(line) {
                take(frame);
            }
        }
        Framing::Lines if line.trim().is_empty() => {}
        Framing::Lines => take(Frame {
            event: String::new(),
            data: line.to_owned(),
        }),
    }
}

/// Bytes until their line is complete. A line ends with LF, CR or both, as server-sent events have
/// it; JSON texts hold none of these.
#[derive(Debug, Default)]
pub(super) struct Lines {
    rest: Vec<u8>,
    /// Whether the last line ended with CR, so that an LF belongs to it.
    after_return: bool,
    begun: bool,
}

/// U+FEFF, which may stand at the very beginning and means nothing.
const BYTE_ORDER_MARK: &str = "\u{feff}";

impl Lines {
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(&str),
    ) -> Result<(), NotText> {
        if bytes.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.after_return) && bytes[0] == b'\n' {
            bytes = &bytes[1..];
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_return = bytes[end] == b'\r';
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            self.line(line, &mut take)?;
            bytes = rest;
            if is_return {
                match bytes.first() {
                    Some(b'\n') => bytes = &bytes[1..],
                    Some(_) => {}
                    None => self.after_return = true,
                }
            }
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }

    pub(super) fn finish(&mut self, mut take: impl FnMut(&str)) -> Result<(), NotText> {
        if self.rest.is_empty() {
            return Ok(());
        }
        self.line(&[], &mut take)
    }

    /// The line whose last bytes these are.
    fn line(&mut self, bytes: &[u8], take: &mut impl FnMut(&str)) -> Result<(), NotText> {
        let held;
        let bytes = if self.rest.is_empty() {
            bytes
        } else {
            self.rest.extend_from_slice(bytes);
            held = std::mem::take(&mut self.rest);
            &held
        };
        let mut line = std::str::from_utf8(bytes).map_err(|_| NotText)?;
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        take(line);
        Ok(())
    }
}

/// The fields of an event until the empty line that ends it. `id` and `retry` say how to go on
/// after a connection is lost, which no provider supports; they are left out with what is unknown.
#[derive(Debug, Default)]
pub(super) struct Events {
    frame: Frame,
    has_data: bool,
}

impl Events {
    /// Takes a line; gives the event that it ends. An event without data is none.
    pub(super) fn line(&mut self, line: &str) -> Option<Frame> {
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return std::mem::take(&mut self.has_data).then_some(frame);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.frame.event),
            // A line that begins with a colon is a comment, which keeps the connection alive.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(framing: Framing, pieces: &[&[u8]]) -> Result<Vec<(String, String)>, NotText> {
        let mut framer = Framer::new(framing);
        let mut frames = Vec::new();
        let mut take = |frame: Frame| frames.push((frame.event, frame.data));
        for piece in pieces {
            framer.push(piece, &mut take)?;
        }
        framer.finish(&mut take)?;
        Ok(frames)
    }

    fn pair(event: &str, data: &str) -> (String, String) {
        (event.to_owned(), data.to_owned())
    }

    /// However the bytes are cut, the frames are the same: between any two bytes, also those of one
    /// character or of one line end.
    #[test]
    fn cuts_do_not_matter() {
        let text = "\u{feff}: keep-alive\r\n\r\ndata: {\"a\":1}\r\n\r\nevent: ping\ndata:grüße 👋\ndata: more\n\n\
                    id: 7\rretry: 10\rdata\r\rdata: last\n\n";
        let expected = vec![
            pair("", "{\"a\":1}"),
            pair("ping", "grüße 👋\nmore"),
            pair("", ""),
            pair("", "last"),
        ];
        assert_eq!(
            frames(Framing::Events, &[text.as_bytes()]),
            Ok(expected.clone())
        );
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(frames(Framing::Events, &bytes), Ok(expected.clone()));
        for cut in 0..text.len() {
            let (left, right) = text.as_bytes().split_at(cut);
            assert_eq!(
                frames(Framing::Events, &[left, right]),
                Ok(expected.clone()),
                "{cut}"
            );
        }
    }

    #[test]
    fn a_line_is_a_frame() {
        let text = "{\"a\":1}\n\n{\"b\":\"ä\"}\r\n{\"c\":3}";
        let expected = vec![
            pair("", "{\"a\":1}"),
            pair("", "{\"b\":\"ä\"}"),
            pair("", "{\"c\":3}"),
        ];
        for cut in 0..text.len() {
            let (left, right) = text.as_bytes().split_at(cut);
            assert_eq!(
                frames(Framing::Lines, &[left, right]),
                Ok(expected.clone()),
                "{cut}"
            );
        }
    }

    #[test]
    fn an_event_that_is_not_ended_is_left_out() {
        let frames = frames(Framing::Events, &[b"data: 1\n\ndata: 2\n"]);
        assert_eq!(frames, Ok(vec![pair("", "1")]));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert_eq!(frames(Framing::Events, &[b"data: \xff\n\n"]), Err(NotText));
        assert_eq!(
            frames(Framing::Lines, &[b"{\"a\":\"\xc3\"}\n"]),
            Err(NotText)
        );
    }
}
