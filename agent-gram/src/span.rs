//! Places in a text: byte spans, and lines and columns computed from them on demand.

/// A half-open range of bytes in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span from `start` up to, but not including, `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Creates an empty span at `offset`.
    #[must_use]
    pub const fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Returns the smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Returns the number of bytes covered, which is 0 if the span ends before it starts.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether no byte is covered.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the text covered, or `""` if the span does not fit the source.
    #[must_use]
    pub fn text(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or("")
    }
}

/// The number of bytes after which the index stores how many characters precede.
const BLOCK: usize = 64;

/// A place in a text as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

/// Converts byte offsets to lines and columns.
///
/// Creating the index reads the whole text once. Each lookup is a binary search for the line and a
/// scan of a few bytes, however long the line is, because a text of one line may have a hundred
/// thousand errors.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    source: &'a str,
    /// The offset of each line.
    starts: Vec<usize>,
    /// The number of characters before each block, and before the end if a block would begin there.
    counts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Indexes the lines of `source`. A line ends with LF; CRs before it belong to the line end.
    #[must_use]
    pub fn new(source: &'a str) -> Self {
        let mut starts = vec![0];
        let mut counts = Vec::with_capacity(source.len() / BLOCK + 1);
        let mut characters = 0;
        for (block, bytes) in source.as_bytes().chunks(BLOCK).enumerate() {
            counts.push(characters);
            characters += count(bytes);
            let line_ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            starts.extend(line_ends.map(|(at, _)| block * BLOCK + at + 1));
        }
        counts.push(characters);
        Self {
            source,
            starts,
            counts,
        }
    }

    /// Returns the line and column of a byte offset. An offset past the end counts as the end, and
    /// an offset inside a character counts as its beginning.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.source.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        Position {
            line,
            column: self.characters(offset) - self.characters(start) + 1,
        }
    }

    /// Returns the span of a line, counted from 1, without its line end. For a line that does not
    /// exist, the span is empty and at the end.
    #[must_use]
    pub fn line_span(&self, line: usize) -> Span {
        let Some(start) = line.checked_sub(1).and_then(|at| self.starts.get(at)) else {
            return Span::at(self.source.len());
        };
        let end = self
            .starts
            .get(line)
            .map_or(self.source.len(), |next| next - 1);
        let text = self.source[*start..end].trim_end_matches('\r');
        Span::new(*start, start + text.len())
    }

    /// Returns the text of a line, counted from 1, without its line end, or `""` if there is no
    /// such line.
    #[must_use]
    pub fn line_text(&self, line: usize) -> &'a str {
        self.line_span(line).text(self.source)
    }

    /// Returns the number of characters before an offset, which is at most the length of the text.
    fn characters(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.counts[block] + count(&self.source.as_bytes()[block * BLOCK..offset])
    }
}

/// Counts the characters that start in these bytes: every byte of UTF-8 except a continuation byte
/// starts one.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn span_that_ends_before_its_start_is_empty() {
        let span = Span::new(5, 3);
        assert_eq!((span.len(), span.is_empty()), (0, true));
        assert_eq!(span.text("some text"), "");
        assert!(!Span::new(3, 5).is_empty());
    }
}
