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

/// The form of an answer that begins so, as far as that is known yet.
pub(super) fn form(framing: Framing, beginning: &[u8]) -> Option<Form> {
    let bytes = beginning
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(beginning)
        .trim_ascii_start();
    let first = bytes.first()?;
    let is_json = matches!(first, b'{' | b'[');
    match framing {
        // No line of an event begins so.
        Framing::Events if is_json => Some(Form::Whole),
        Framing::Events => Some(Form::Pieces),
        // A text on several lines has no line that is one.
        Framing::Lines if is_json => {
            let end = bytes.iter().position(|byte| *byte == b'\n')?;
            match std::str::from_utf8(&bytes[..end]) {
                Ok(line) if !is_json_text(line) => Some(Form::Whole),
                _ => Some(Form::Pieces),
            }
        }
        Framing::Lines => Some(Form::Pieces),
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
        for (framing, beginning, expected) in cases {
            let found = form(framing, beginning.as_bytes());
            assert_eq!(found, expected, "{framing:?} {beginning:?}");
        }
    }
}
