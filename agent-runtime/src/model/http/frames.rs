//! Cutting a stream of bytes into the pieces that a provider means.

mod lines;
mod sse;

use lines::Lines;
use sse::Events;

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
