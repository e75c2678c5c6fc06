//! Where something stands in a text: byte spans, and lines and columns made from them on demand.

/// A half-open range of bytes in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// A span from `start` up to, not including, `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// An empty span at `offset`.
    #[must_use]
    pub const fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The number of bytes covered.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether no byte is covered.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The text covered, or `""` when the span does not fit the source.
    #[must_use]
    pub fn text(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or("")
    }
}

/// A place in a text as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

/// Turns byte offsets into lines and columns. Made once for a text, then each lookup is a binary search.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Indexes the lines of `source`. A line ends with LF; a CR before it belongs to the line end.
    #[must_use]
    pub fn new(source: &'a str) -> Self {
        let starts = std::iter::once(0)
            .chain(
                source
                    .bytes()
                    .enumerate()
                    .filter(|(_, b)| *b == b'\n')
                    .map(|(at, _)| at + 1),
            )
            .collect();
        Self { source, starts }
    }

    /// The line and column of a byte offset. An offset past the end is the end; one inside a
    /// character is that character.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.source.len());
        while !self.source.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = self.source[self.starts[line - 1]..offset].chars().count() + 1;
        Position { line, column }
    }

    /// The text of a line, counted from 1, without its line end; `""` when there is no such line.
    #[must_use]
    pub fn line_text(&self, line: usize) -> &'a str {
        let Some(start) = line.checked_sub(1).and_then(|at| self.starts.get(at)) else {
            return "";
        };
        let end = self
            .starts
            .get(line)
            .map_or(self.source.len(), |next| next - 1);
        self.source[*start..end].trim_end_matches('\r')
    }
}
