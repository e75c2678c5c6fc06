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
/// Creating the index reads the whole text once. Each lookup is a binary search for the line, and counts the
/// characters of the line up to the offset.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    source: &'a str,
    /// The offset of each line.
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Indexes the lines of `source`. A line ends with LF; CRs before it belong to the line end.
    #[must_use]
    pub fn new(source: &'a str) -> Self {
        let ends = source.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self { source, starts }
    }

    /// Returns the line and column of a byte offset. An offset past the end counts as the end, and
    /// an offset inside a character counts as its beginning.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.source.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let before = &self.source[self.starts[line - 1]..offset];
        Position {
            line,
            column: before.chars().count() + 1,
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
