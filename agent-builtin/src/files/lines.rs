//! Some lines of a text, read without the rest of it in memory.

use std::io::{BufRead, BufReader, Read};

/// How much is looked at between two looks at whether the call is still wanted.
const PIECE: usize = 256 * 1024;

/// Which lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    /// The first, from 1.
    pub(super) first: u64,
    /// How many at most.
    pub(super) most: Option<u64>,
}

/// Why there are none.
#[derive(Debug)]
pub(super) enum NoLines {
    /// The text has only so many.
    PastTheEnd(u64),
    /// They take more bytes than they may.
    TooLong,
    /// The first takes more bytes than they may, and fewer lines would be too long, too.
    FirstTooLong,
    /// Nobody wants them any longer.
    Stopped,
    /// They cannot be read.
    Io(std::io::Error),
}

impl From<std::io::Error> for NoLines {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads lines with their ends, in at most `bound` bytes.
pub(super) fn read_lines(
    source: impl Read,
    range: Range,
    bound: usize,
    is_stopped: impl Fn() -> bool,
) -> Result<Vec<u8>, NoLines> {
    let mut source = BufReader::with_capacity(PIECE, source);
    skip_lines(&mut source, range.first - 1, &is_stopped)?;
    let mut lines = Vec::new();
    let mut missing = range.most.unwrap_or(u64::MAX);
    while missing > 0 {
        if is_stopped() {
            return Err(NoLines::Stopped);
        }
        let piece = source.fill_buf()?;
        if piece.is_empty() {
            break;
        }
        let (length, ends) = up_to_line_end(piece, missing);
        if lines.len() + length > bound {
            let fitting = &piece[..bound - lines.len()];
            let has_whole_line = lines.contains(&b'\n') || fitting.contains(&b'\n');
            return Err(if has_whole_line {
                NoLines::TooLong
            } else {
                NoLines::FirstTooLong
            });
        }
        lines.extend_from_slice(&piece[..length]);
        source.consume(length);
        missing -= ends;
    }
    Ok(lines)
}

/// Skips lines. There is a line after them, or none was to be skipped.
fn skip_lines(
    source: &mut impl BufRead,
    lines: u64,
    is_stopped: impl Fn() -> bool,
) -> Result<(), NoLines> {
    if lines == 0 {
        return Ok(());
    }
    let mut missing = lines;
    let mut is_within_line = false;
    loop {
        if is_stopped() {
            return Err(NoLines::Stopped);
        }
        let piece = source.fill_buf()?;
        if piece.is_empty() {
            let begun = u64::from(is_within_line);
            return Err(NoLines::PastTheEnd(lines - missing + begun));
        }
        if missing == 0 {
            return Ok(());
        }
        let (length, ends) = up_to_line_end(piece, missing);
        is_within_line = piece[length - 1] != b'\n';
        source.consume(length);
        missing -= ends;
    }
}

/// How long the piece is up to the end of so many lines, or all of it, and how many end in that.
fn up_to_line_end(piece: &[u8], lines: u64) -> (usize, u64) {
    // Counting is far faster than stopping at each, and most pieces are taken whole.
    let ends = piece.iter().filter(|&&byte| byte == b'\n').count() as u64;
    if ends < lines {
        return (piece.len(), ends);
    }
    let mut missing = lines;
    let end = piece.iter().position(|&byte| {
        missing -= u64::from(byte == b'\n');
        missing == 0
    });
    (end.map_or(piece.len(), |end| end + 1), lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_of_all() -> Range {
        Range {
            first: 1,
            most: None,
        }
    }

    fn lines(text: &str, first: u64, most: Option<u64>) -> Result<String, NoLines> {
        let range = Range { first, most };
        let bytes = read_lines(text.as_bytes(), range, 1_000_000, || false)?;
        Ok(String::from_utf8(bytes).expect("a text"))
    }

    #[test]
    fn lines_keep_their_ends() {
        let text = "one\ntwo\r\n\nfour";
        for (first, most, expected) in [
            (1, None, text),
            (1, Some(1), "one\n"),
            (2, Some(1), "two\r\n"),
            (2, Some(2), "two\r\n\n"),
            (3, Some(1), "\n"),
            (4, Some(1), "four"),
            (4, Some(100), "four"),
            (1, Some(u64::MAX), text),
        ] {
            assert_eq!(lines(text, first, most).expect("lines"), expected);
        }
        assert_eq!(lines("", 1, Some(1)).expect("none"), "");
    }

    #[test]
    fn past_the_end_there_are_none() {
        for (text, first, count) in [
            ("", 2, 0),
            ("a", 2, 1),
            ("a\n", 2, 1),
            ("a\nb", 3, 2),
            ("a\nb\n", 4, 2),
            ("\n\n", u64::MAX, 2),
        ] {
            let Err(NoLines::PastTheEnd(found)) = lines(text, first, None) else {
                panic!("{text:?} has a line {first}");
            };
            assert_eq!(found, count, "{text:?}");
        }
    }

    #[test]
    fn long_texts_are_read_in_pieces() {
        let text = format!("{}\nsecond\nthird", "x".repeat(3 * PIECE));
        assert_eq!(lines(&text, 2, Some(1)).expect("lines"), "second\n");
        let range = Range {
            first: 1,
            most: Some(1),
        };
        let error = read_lines(text.as_bytes(), range, PIECE, || false);
        assert!(matches!(error, Err(NoLines::FirstTooLong)), "{error:?}");
        let error = read_lines("one\ntwo".as_bytes(), range_of_all(), 5, || false);
        assert!(matches!(error, Err(NoLines::TooLong)), "{error:?}");
        let error = read_lines("one\ntwo".as_bytes(), range_of_all(), 3, || false);
        assert!(matches!(error, Err(NoLines::FirstTooLong)), "{error:?}");
        let error = read_lines(text.as_bytes(), range, PIECE, || true);
        assert!(matches!(error, Err(NoLines::Stopped)), "{error:?}");
    }
}
