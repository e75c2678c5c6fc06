//! Lines and columns are equal to those found by counting.

use agent_gram::{LineIndex, Position, Span};
use proptest::prelude::*;

/// Counts the characters up to each offset; the last position is past the end.
fn counted(text: &str) -> Vec<Position> {
    let mut positions = Vec::new();
    let mut at = Position { line: 1, column: 1 };
    for c in text.chars() {
        // All bytes of a character have the same position.
        positions.extend(std::iter::repeat_n(at, c.len_utf8()));
        if c == '\n' {
            at.line += 1;
            at.column = 1;
        } else {
            at.column += 1;
        }
    }
    positions.extend([at, at]);
    positions
}

#[track_caller]
fn agree(text: &str) {
    let index = LineIndex::new(text);
    for (offset, expected) in counted(text).into_iter().enumerate() {
        assert_eq!(index.position(offset), expected, "{offset} of {text:?}");
    }
}

#[test]
fn positions_in_texts_that_end_with_a_block() {
    for length in [0, 1, 63, 64, 65, 127, 128, 129] {
        agree(&"x".repeat(length));
        agree(&"\n".repeat(length));
        agree(&"é".repeat(length));
        agree(&format!("x{}", "→".repeat(length)));
    }
}

#[test]
fn positions_in_a_long_line() {
    agree(&"a é → 🛠\t".repeat(60_000));
}

#[test]
fn line_span_excludes_the_line_end() {
    let source = "ab\r\n\ncd\r\r\né";
    let index = LineIndex::new(source);
    for (line, span, text) in [
        (0, Span::at(12), ""),
        (1, Span::new(0, 2), "ab"),
        (2, Span::at(4), ""),
        (3, Span::new(5, 7), "cd"),
        (4, Span::new(10, 12), "é"),
        (5, Span::at(12), ""),
        (usize::MAX, Span::at(12), ""),
    ] {
        assert_eq!(index.line_span(line), span, "line {line}");
        assert_eq!(index.line_text(line), text, "line {line}");
    }
}

proptest! {
    #[test]
    fn positions_in_any_text(pieces in proptest::collection::vec(
        prop_oneof![
            Just("a"), Just("é"), Just("→"), Just("🛠\u{fe0f}"), Just("\n"), Just("\r\n"), Just("\t"),
            Just("a longer piece, so that blocks end in all places"),
        ],
        0..80,
    )) {
        agree(&pieces.concat());
    }
}
