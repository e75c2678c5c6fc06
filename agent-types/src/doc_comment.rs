//! Doc comments as descriptions, in a `const` as well as in a macro: `#[doc = include_str!("…")]` is
//! text only once rustc evaluates it.
//!
//! A description is the comment up to its first Markdown heading; single line breaks become blanks,
//! paragraphs stay apart.

use agent_gram::print::writer::{Writer, to_string};

/// Returns the description in a doc comment. A piece is the text of one `#[doc = "…"]`, one line or
/// several.
///
/// ```
/// let lines = [" Greets a", " person.", "", " Twice.", "", " # Errors", " Never."];
/// assert_eq!(agent_types::doc_comment::description(&lines), "Greets a person.\n\nTwice.");
/// ```
#[must_use]
pub fn description(pieces: &[&str]) -> String {
    to_string(|writer| write_description(writer, pieces))
}

/// The number of bytes of the description, for a `const`.
#[doc(hidden)]
#[must_use]
pub const fn description_len(pieces: &[&str]) -> usize {
    let mut writer = Writer::new(&mut []);
    write_description(&mut writer, pieces);
    writer.len()
}

/// The bytes of the description, for a `const`; `N` is [`description_len`].
#[doc(hidden)]
#[must_use]
pub const fn description_bytes<const N: usize>(pieces: &[&str]) -> [u8; N] {
    let mut bytes = [0; N];
    write_description(&mut Writer::new(&mut bytes), pieces);
    bytes
}

/// Checks that a doc comment that only rustc can read has a description.
///
/// # Panics
/// When the description is empty.
#[doc(hidden)]
#[track_caller]
pub const fn check_described(pieces: &[&str]) {
    assert!(
        description_len(pieces) > 0,
        "a tool needs a description: it is how a model knows when to call it; this doc comment has \
         no text before its first heading"
    );
}

/// Whether a line is a Markdown heading.
#[must_use]
pub const fn is_heading(line: &str) -> bool {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] == b'#' {
        at += 1;
    }
    at > 0 && at < bytes.len() && bytes[at] == b' '
}

/// Whether a line begins or ends a block of code.
#[must_use]
pub const fn is_fence(line: &str) -> bool {
    matches!(line.as_bytes(), [b'`', b'`', b'`', ..])
}

const fn write_description(writer: &mut Writer<'_>, pieces: &[&str]) {
    let mut in_code = false;
    // Whether the line continues the last paragraph.
    let mut open = false;
    let mut piece = 0;
    while piece < pieces.len() {
        let mut rest = pieces[piece];
        loop {
            let (line, after) = first_line(rest);
            let line = line.trim_ascii();
            if is_fence(line) {
                in_code = !in_code;
            }
            if !in_code && is_heading(line) {
                return;
            }
            if line.is_empty() {
                open = false;
            } else {
                if open {
                    writer.byte(b' ');
                } else if !writer.is_empty() {
                    writer.text("\n\n");
                }
                writer.text(line);
                open = true;
            }
            match after {
                Some(after) => rest = after,
                None => break,
            }
        }
        piece += 1;
    }
}

/// Splits a text after its first line.
const fn first_line(text: &str) -> (&str, Option<&str>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'\n' {
            let (line, rest) = text.split_at(at);
            return (line, Some(rest.split_at(1).1));
        }
        at += 1;
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_end_at_the_first_heading() {
        for (pieces, expected) in [
            (&[" Costs #1 and", " #2"][..], "Costs #1 and #2"),
            (&["\n\n"], ""),
            (&[" # Title", " text"], ""),
            (
                &[" Shows", "", " ```", " # code", " ```", " # End"],
                "Shows\n\n``` # code ```",
            ),
            (
                &["One\r\ntwo\r\n\r\nthree\r\n## End\r\n"],
                "One two\n\nthree",
            ),
            (&["Übung\nmacht", "Meister"], "Übung macht Meister"),
        ] {
            assert_eq!(description(pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn const_and_run_time_give_the_same_description() {
        const PIECES: &[&str] = &[" Greets\n a", " person.\n", " # End"];
        const BYTES: [u8; description_len(PIECES)] = description_bytes(PIECES);
        assert_eq!(BYTES.as_slice(), description(PIECES).as_bytes());
        check_described(PIECES);
    }
}
