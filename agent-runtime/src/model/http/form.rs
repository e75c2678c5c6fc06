//! In which form a server answers that was asked for a stream.
//!
//! Servers that stream may call it by a wrong name, and some do not stream although they were asked
//! to, so what an answer is called decides nothing: its beginning does.

use super::frames::Framing;
use serde_json::value::RawValue;

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
