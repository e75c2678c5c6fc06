//! Texts against a model that counts everything anew, character by character.

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

/// The lines of a text, each with its offset and without its end.
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

fn offset(text: &str, position: Position, encoding: Encoding) -> usize {
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

fn position(text: &str, offset: usize, encoding: Encoding) -> Position {
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

/// Texts of characters of every length in every encoding: combining ones, emoji that are joined, and
/// line ends that belong together or do not.
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

fn place() -> impl Strategy<Value = Position> {
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
    fn places_are_those_of_the_model(source in text(), place in place(), encoding in encoding()) {
        let text = Text::new(source.clone(), encoding);
        prop_assert_eq!(text.offset(place), offset(&source, place, encoding));
        for at in 0..source.len() + 2 {
            let floor = source.floor_char_boundary(at);
            let found = text.position(at);
            prop_assert_eq!(found, position(&source, floor, encoding), "{:?} at {}", source, at);
        }
    }

    #[test]
    fn edits_keep_the_lines(
        source in text(),
        edits in prop::collection::vec((place(), place(), text()), 1..12),
        encoding in encoding(),
    ) {
        let mut text = Text::new(source, encoding);
        for (start, end, new) in edits {
            let mut expected = text.as_str().to_owned();
            let (a, b) = (offset(&expected, start, encoding), offset(&expected, end, encoding));
            expected.replace_range(a.min(b)..a.max(b), &new);
            text.replace(Range::new(start, end), &new);
            prop_assert_eq!(text.as_str(), &expected);
            prop_assert_eq!(&text.lines, &Lines::new(&expected));
        }
    }

    #[test]
    fn long_lines_are_counted_as_short_ones_are(
        source in text(),
        times in 1_usize..400,
        column in 0_u32..20_000,
        at in 0_usize..20_000,
        encoding in encoding(),
    ) {
        let source = format!("x\n{}", source.replace(['\r', '\n'], "é").repeat(times));
        let text = Text::new(source.clone(), encoding);
        let place = Position::new(1, column);
        prop_assert_eq!(text.offset(place), offset(&source, place, encoding));
        let at = source.floor_char_boundary(at);
        prop_assert_eq!(text.position(at), position(&source, at, encoding));
    }
}

#[test]
fn places_within_characters_are_those_characters() {
    let source = "a😀b";
    for (encoding, columns) in [
        (Encoding::Utf8, vec![0, 1, 1, 1, 1, 5, 6, 6]),
        (Encoding::Utf16, vec![0, 1, 1, 5, 6, 6]),
        (Encoding::Utf32, vec![0, 1, 5, 6, 6]),
    ] {
        let text = Text::new(source.to_owned(), encoding);
        for (column, offset) in columns.into_iter().enumerate() {
            let place = Position::new(0, column as u32);
            assert_eq!(text.offset(place), offset, "{encoding:?}, column {column}");
        }
    }
}

#[test]
fn the_client_is_offered_what_it_knows() {
    for (offered, expected) in [
        (vec![], Encoding::Utf16),
        (vec!["utf-16"], Encoding::Utf16),
        (vec!["utf-32"], Encoding::Utf32),
        (vec!["utf-32", "utf-16", "utf-8"], Encoding::Utf8),
        (vec!["utf-32", "utf-16"], Encoding::Utf16),
        (vec!["latin-1"], Encoding::Utf16),
    ] {
        assert_eq!(
            Encoding::chosen_of(offered.clone()),
            expected,
            "{offered:?}"
        );
    }
}
