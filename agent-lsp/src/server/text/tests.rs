//! Comparison of [`Text`] with a model that counts character by character.

use super::*;
use proptest::prelude::*;

const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

fn units(c: char, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 => c.len_utf8(),
        Encoding::Utf16 => c.len_utf16(),
        Encoding::Utf32 => 1,
    }
}

/// Returns the lines of a text without their ends, each with its offset.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let mut next = at + 1;
        if c == '\r' && chars.next_if(|(_, c)| *c == '\n').is_some() {
            next += 1;
        }
        if matches!(c, '\r' | '\n') {
            lines.push((start, &text[start..at]));
            start = next;
        }
    }
    lines.push((start, &text[start..]));
    lines
}

fn model_offset(text: &str, position: Position, encoding: Encoding) -> usize {
    let Some((start, line)) = lines(text).get(position.line as usize).copied() else {
        return text.len();
    };
    let mut column = 0;
    for (at, c) in line.char_indices() {
        column += units(c, encoding);
        if column > position.character as usize {
            return start + at;
        }
    }
    start + line.len()
}

fn model_position(text: &str, offset: usize, encoding: Encoding) -> Position {
    let lines = lines(text);
    let number = lines.iter().rposition(|(start, _)| *start <= offset);
    let number = number.expect("the first line starts at 0");
    let (start, line) = lines[number];
    let column = line
        .char_indices()
        .take_while(|(at, c)| start + at + c.len_utf8() <= offset)
        .map(|(_, c)| units(c, encoding))
        .sum::<usize>();
    Position::new(number as u32, column as u32)
}

/// Returns texts with characters of every length in every encoding, combining characters, joined emoji, and
/// all line ends.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "é",
        "e\u{301}",
        "漢",
        "😀",
        "👩\u{200d}👩\u{200d}👧",
        "\n",
        "\r",
        "\r\n",
        " ",
        "\u{2028}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn any_position() -> impl Strategy<Value = Position> {
    let near = (0_u32..12, 0_u32..24);
    prop_oneof![
        8 => near,
        1 => (0_u32..12, Just(u32::MAX)),
        1 => (Just(u32::MAX), 0_u32..24),
    ]
    .prop_map(|(line, character)| Position::new(line, character))
}

fn encoding() -> impl Strategy<Value = Encoding> {
    prop::sample::select(ENCODINGS.to_vec())
}

proptest! {
    #[test]
    fn offsets_and_positions_are_those_of_the_model(source in text(), position in any_position(), encoding in encoding()) {
        let text = Text::new(source.clone(), encoding);
        prop_assert_eq!(text.offset(position), model_offset(&source, position, encoding));
        for at in 0..source.len() + 2 {
            let floor = source.floor_char_boundary(at);
            let found = text.position(at);
            prop_assert_eq!(found, model_position(&source, floor, encoding), "{:?} at {}", source, at);
        }
    }

    #[test]
    fn the_line_index_follows_edits(
        source in text(),
        edits in prop::collection::vec((any_position(), any_position(), text()), 1..12),
        encoding in encoding(),
    ) {
        let mut text = Text::new(source, encoding);
        for (start, end, new) in edits {
            let mut expected = text.as_str().to_owned();
            let (a, b) = (model_offset(&expected, start, encoding), model_offset(&expected, end, encoding));
            expected.replace_range(a.min(b)..a.max(b), &new);
            text.replace(Range::new(start, end), &new);
            prop_assert_eq!(text.as_str(), &expected);
            prop_assert_eq!(&text.lines, &Lines::new(&expected));
        }
    }

    #[test]
    fn columns_of_long_lines_are_those_of_the_model(
        source in text(),
        times in 1_usize..400,
        column in 0_u32..20_000,
        at in 0_usize..20_000,
        encoding in encoding(),
    ) {
        let source = format!("x\n{}", source.replace(['\r', '\n'], "é").repeat(times));
        let text = Text::new(source.clone(), encoding);
        let position = Position::new(1, column);
        prop_assert_eq!(text.offset(position), model_offset(&source, position, encoding));
        let at = source.floor_char_boundary(at);
        prop_assert_eq!(text.position(at), model_position(&source, at, encoding));
    }
}

#[test]
fn a_position_within_a_character_is_rounded_down() {
    let source = "a😀b";
    for (encoding, columns) in [
        (Encoding::Utf8, vec![0, 1, 1, 1, 1, 5, 6, 6]),
        (Encoding::Utf16, vec![0, 1, 1, 5, 6, 6]),
        (Encoding::Utf32, vec![0, 1, 5, 6, 6]),
    ] {
        let text = Text::new(source.to_owned(), encoding);
        for (column, offset) in columns.into_iter().enumerate() {
            let position = Position::new(0, column as u32);
            assert_eq!(
                text.offset(position),
                offset,
                "{encoding:?}, column {column}"
            );
        }
    }
}

#[test]
fn negotiates_the_encoding() {
    for (offered, expected) in [
        (vec![], Encoding::Utf16),
        (vec!["utf-16"], Encoding::Utf16),
        (vec!["utf-32"], Encoding::Utf32),
        (vec!["utf-32", "utf-16", "utf-8"], Encoding::Utf8),
        (vec!["utf-32", "utf-16"], Encoding::Utf16),
        (vec!["latin-1"], Encoding::Utf16),
    ] {
        assert_eq!(
            Encoding::negotiate(offered.clone()),
            expected,
            "{offered:?}"
        );
    }
}
