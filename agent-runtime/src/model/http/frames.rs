//! Splitting a stream of bytes into frames: server-sent events, or lines of JSON.

/// The division of a streamed answer into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events, as the HTML standard defines them.
    Events,
    /// One JSON text per line.
    Lines,
}

/// One event or line of a streamed answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The name of the event; empty for an event without a name and for a line.
    pub(crate) event: String,
    pub(crate) data: String,
}

/// Splits bytes into frames.
#[derive(Debug)]
pub(super) struct Framer {
    lines: Lines,
    events: Events,
    framing: Framing,
}

/// The error of bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotUtf8;

impl Framer {
    pub(super) fn new(framing: Framing) -> Self {
        Self {
            lines: Lines::default(),
            events: Events::default(),
            framing,
        }
    }

    /// Adds bytes, and calls `take` with each frame that they complete.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(Frame),
    ) -> Result<(), NotUtf8> {
        let (framing, events) = (self.framing, &mut self.events);
        self.lines
            .push(bytes, |line| frame(framing, events, line, &mut take))
    }

    /// The number of bytes of the frame that is not complete.
    pub(super) fn pending(&self) -> usize {
        self.lines.rest.len() + self.events.frame.data.len()
    }

    /// Ends the stream. The last line may lack its line end, like the last line of a file. A server-sent
    /// event without the empty line after it is incomplete, and is dropped.
    pub(super) fn finish(&mut self, mut take: impl FnMut(Frame)) -> Result<(), NotUtf8> {
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

/// Splits bytes into lines. A line ends with LF, CR or CRLF, as in server-sent events; JSON texts contain
/// neither character.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The beginning of an incomplete line.
    rest: Vec<u8>,
    /// Whether the last line ended with CR, so that an LF after it is part of the same line end.
    after_return: bool,
    has_begun: bool,
}

/// U+FEFF, which is ignored at the beginning of a stream.
const BYTE_ORDER_MARK: &str = "\u{feff}";

impl Lines {
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(&str),
    ) -> Result<(), NotUtf8> {
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

    pub(super) fn finish(&mut self, mut take: impl FnMut(&str)) -> Result<(), NotUtf8> {
        if self.rest.is_empty() {
            return Ok(());
        }
        self.line(&[], &mut take)
    }

    /// Completes a line with its last bytes.
    fn line(&mut self, bytes: &[u8], take: &mut impl FnMut(&str)) -> Result<(), NotUtf8> {
        let held;
        let bytes = if self.rest.is_empty() {
            bytes
        } else {
            self.rest.extend_from_slice(bytes);
            held = std::mem::take(&mut self.rest);
            &held
        };
        let mut line = std::str::from_utf8(bytes).map_err(|_| NotUtf8)?;
        if !std::mem::replace(&mut self.has_begun, true) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        take(line);
        Ok(())
    }
}

/// Parses the lines of server-sent events, after the HTML standard (section 9.2.6, "Interpreting an event
/// stream"). `id` and `retry` are for reconnecting, which no provider supports, and are ignored like unknown
/// fields.
#[derive(Debug, Default)]
pub(super) struct Events {
    frame: Frame,
    has_data: bool,
}

impl Events {
    /// Adds a line, and returns the event that it ends. An event without data is dropped.
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
            // A line that begins with a colon is a comment; servers send comments to keep the connection
            // open.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(framing: Framing, pieces: &[&[u8]]) -> Result<Vec<(String, String)>, NotUtf8> {
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

    /// Splits between any two bytes, also within a character or a line end.
    #[test]
    fn frames_do_not_depend_on_how_bytes_are_split() {
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
    fn each_line_is_a_frame() {
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
    fn drops_an_event_without_its_empty_line() {
        let frames = frames(Framing::Events, &[b"data: 1\n\ndata: 2\n"]);
        assert_eq!(frames, Ok(vec![pair("", "1")]));
    }

    #[test]
    fn rejects_bytes_that_are_not_utf_8() {
        assert_eq!(frames(Framing::Events, &[b"data: \xff\n\n"]), Err(NotUtf8));
        assert_eq!(
            frames(Framing::Lines, &[b"{\"a\":\"\xc3\"}\n"]),
            Err(NotUtf8)
        );
    }
}
