//! Where something stands in a text: byte spans, and lines and columns made from them on demand.

mod line_index;

pub use line_index::{LineIndex, Position};

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
