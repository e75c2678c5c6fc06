//! Reading a range of lines without the rest of the text in memory.

use std::io::{BufRead, BufReader, Read};

/// The size of the chunks that are read between two checks for cancellation.
const CHUNK: usize = 256 * 1024;

/// A range of lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineRange {
    /// The number of the first line, counted from 1.
    pub(super) first: u64,
    /// The maximum number of lines.
    pub(super) max_count: Option<u64>,
}

/// The reason why lines cannot be read.
#[derive(Debug)]
pub(super) enum LinesError {
    /// The text ends before the first line of the range. The value is the number of lines of the text.
    PastEnd(u64),
    /// The lines exceed the maximum size.
    TooLong,
    /// The first line alone exceeds the maximum size.
    FirstTooLong,
    /// The call was cancelled.
    Cancelled,
    Io(std::io::Error),
}

impl From<std::io::Error> for LinesError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads lines with their line ends, at most `max_size` bytes. Calls `begin` after the skipped lines and
/// before the first line of the range, because skipping lines may take long and needs no memory.
pub(super) fn read_lines(
    source: impl Read,
    range: LineRange,
    max_size: usize,
    is_cancelled: impl Fn() -> bool,
    begin: impl FnOnce() -> Result<(), LinesError>,
) -> Result<Vec<u8>, LinesError> {
    let mut source = BufReader::with_capacity(CHUNK, source);
    skip_lines(&mut source, range.first - 1, &is_cancelled)?;
    begin()?;
    let mut lines = Vec::new();
    let mut missing = range.max_count.unwrap_or(u64::MAX);
    while missing > 0 {
        if is_cancelled() {
            return Err(LinesError::Cancelled);
        }
        let chunk = source.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let (length, ends) = up_to_line_end(chunk, missing);
        if lines.len() + length > max_size {
            let fitting = &chunk[..max_size - lines.len()];
            let has_whole_line = lines.contains(&b'\n') || fitting.contains(&b'\n');
            return Err(if has_whole_line {
                LinesError::TooLong
            } else {
                LinesError::FirstTooLong
            });
        }
        lines.extend_from_slice(&chunk[..length]);
        source.consume(length);
        missing -= ends;
    }
    Ok(lines)
}

/// Skips lines, and checks that another line follows them.
fn skip_lines(
    source: &mut impl BufRead,
    lines: u64,
    is_cancelled: impl Fn() -> bool,
) -> Result<(), LinesError> {
    if lines == 0 {
        return Ok(());
    }
    let mut missing = lines;
    let mut is_within_line = false;
    loop {
        if is_cancelled() {
            return Err(LinesError::Cancelled);
        }
        let chunk = source.fill_buf()?;
        if chunk.is_empty() {
            let begun = u64::from(is_within_line);
            return Err(LinesError::PastEnd(lines - missing + begun));
        }
        if missing == 0 {
            return Ok(());
        }
        let (length, ends) = up_to_line_end(chunk, missing);
        is_within_line = chunk[length - 1] != b'\n';
        source.consume(length);
        missing -= ends;
    }
}

/// Returns the length of the first `lines` lines of a chunk, or of the whole chunk, and the number of line
/// ends in it.
fn up_to_line_end(chunk: &[u8], lines: u64) -> (usize, u64) {
    // Counting is far faster than stopping at each line end, and most chunks are read as a whole.
    let ends = chunk.iter().filter(|&&byte| byte == b'\n').count() as u64;
    if ends < lines {
        return (chunk.len(), ends);
    }
    let mut missing = lines;
    let end = chunk.iter().position(|&byte| {
        missing -= u64::from(byte == b'\n');
        missing == 0
    });
    (end.map_or(chunk.len(), |end| end + 1), lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_lines() -> LineRange {
        LineRange {
            first: 1,
            max_count: None,
        }
    }

    fn lines(text: &str, first: u64, max_count: Option<u64>) -> Result<String, LinesError> {
        let range = LineRange { first, max_count };
        let bytes = read_lines(text.as_bytes(), range, 1_000_000, || false, || Ok(()))?;
        Ok(String::from_utf8(bytes).expect("a text"))
    }

    #[test]
    fn keeps_line_ends() {
        let text = "one\ntwo\r\n\nfour";
        for (first, max_count, expected) in [
            (1, None, text),
            (1, Some(1), "one\n"),
            (2, Some(1), "two\r\n"),
            (2, Some(2), "two\r\n\n"),
            (3, Some(1), "\n"),
            (4, Some(1), "four"),
            (4, Some(100), "four"),
            (1, Some(u64::MAX), text),
        ] {
            assert_eq!(lines(text, first, max_count).expect("lines"), expected);
        }
        assert_eq!(lines("", 1, Some(1)).expect("none"), "");
    }

    #[test]
    fn reports_the_number_of_lines_past_the_end() {
        for (text, first, count) in [
            ("", 2, 0),
            ("a", 2, 1),
            ("a\n", 2, 1),
            ("a\nb", 3, 2),
            ("a\nb\n", 4, 2),
            ("\n\n", u64::MAX, 2),
        ] {
            let Err(LinesError::PastEnd(found)) = lines(text, first, None) else {
                panic!("{text:?} has a line {first}");
            };
            assert_eq!(found, count, "{text:?}");
        }
    }

    #[test]
    fn reads_long_texts_in_chunks_up_to_the_maximum_size() {
        let text = format!("{}\nsecond\nthird", "x".repeat(3 * CHUNK));
        assert_eq!(lines(&text, 2, Some(1)).expect("lines"), "second\n");
        let range = LineRange {
            first: 1,
            max_count: Some(1),
        };
        let error = read_lines(text.as_bytes(), range, CHUNK, || false, || Ok(()));
        assert!(matches!(error, Err(LinesError::FirstTooLong)), "{error:?}");
        let error = read_lines("one\ntwo".as_bytes(), all_lines(), 5, || false, || Ok(()));
        assert!(matches!(error, Err(LinesError::TooLong)), "{error:?}");
        let error = read_lines("one\ntwo".as_bytes(), all_lines(), 3, || false, || Ok(()));
        assert!(matches!(error, Err(LinesError::FirstTooLong)), "{error:?}");
        let error = read_lines(text.as_bytes(), range, CHUNK, || true, || Ok(()));
        assert!(matches!(error, Err(LinesError::Cancelled)), "{error:?}");
    }
}
