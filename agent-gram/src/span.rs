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

    /// The number of bytes covered; none when the span ends before it starts.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether no byte is covered.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The text covered, or `""` when the span does not fit the source.
    #[must_use]
    pub fn text(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or("")
    }
}

/// After how many bytes the characters of the text are counted anew.
const BLOCK: usize = 64;

/// A place in a text as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

/// Turns byte offsets into lines and columns.
///
/// Made once for a text, which it reads once. Each lookup is then a binary search for the line and
/// a look at a few bytes, however long the line is: a text of one line may have a hundred thousand
/// findings.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    source: &'a str,
    /// Where each line starts.
    starts: Vec<usize>,
    /// How many characters start before each block, and before the end when that is where a block
    /// would start.
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

    /// The line and column of a byte offset. An offset past the end is the end; one inside a
    /// character is that character.
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

    /// The place of a line, counted from 1, without its line end. A line that does not exist is
    /// empty and stands at the end.
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

    /// The text of a line, counted from 1, without its line end; `""` when there is no such line.
    #[must_use]
    pub fn line_text(&self, line: usize) -> &'a str {
        self.line_span(line).text(self.source)
    }

    /// How many characters start before an offset, which is at most the length of the text.
    fn characters(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.counts[block] + count(&self.source.as_bytes()[block * BLOCK..offset])
    }
}

/// How many characters start in these bytes: every byte of UTF-8 but a continuation starts one.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_span_that_ends_before_it_starts_covers_nothing() {
        let span = Span::new(5, 3);
        assert_eq!((span.len(), span.is_empty()), (0, true));
        assert_eq!(span.text("some text"), "");
        assert!(!Span::new(3, 5).is_empty());
    }
}
