//! A text that is edited, and the conversion between offsets and positions of the protocol.

mod columns;
mod encoding;
mod lines;
#[cfg(test)]
mod tests;

pub(super) use encoding::Encoding;

use agent_gram::Span;
use columns::Columns;
use gen_lsp_types::{Position, Range};
use lines::Lines;
use std::cell::OnceCell;

/// The distance from the start of a line, in bytes, up to which a column is counted byte by byte.
///
/// For longer lines the whole text is counted once, because a text of one line may have a thousand diagnostics.
const SHORT_LINE: usize = 2048;

/// A text that is edited, with an index of its lines.
#[derive(Clone, Debug)]
pub(super) struct Text {
    text: String,
    lines: Lines,
    encoding: Encoding,
    /// The columns of long lines, which are counted when they are needed and dropped by an edit.
    columns: OnceCell<Columns>,
}

impl Text {
    /// Creates a text.
    pub(super) fn new(text: String, encoding: Encoding) -> Self {
        Self {
            lines: Lines::new(&text),
            text,
            encoding,
            columns: OnceCell::new(),
        }
    }

    /// Returns the unit of columns.
    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the text.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the offset of a position.
    ///
    /// A position beyond the end of its line is rounded to the end of the line, a position beyond the last
    /// line to the end of the text, and a position within a character to its start.
    pub(super) fn offset(&self, position: Position) -> usize {
        let Some(line) = self.lines.span(&self.text, position.line as usize) else {
            return self.text.len();
        };
        let column = position.character as usize;
        match self.encoding {
            Encoding::Utf8 => {
                let offset = line.start.saturating_add(column).min(line.end);
                self.text.floor_char_boundary(offset)
            }
            encoding => {
                let (start, rest) = if line.len() <= SHORT_LINE {
                    (line.start, column)
                } else {
                    self.columns().near(&self.text, line, column)
                };
                encoding.advance(self.text.as_bytes(), Span::new(start, line.end), rest)
            }
        }
    }

    /// Returns the position of an offset.
    ///
    /// An offset within a line end is rounded to the end of the line, an offset within a character to its
    /// start, and an offset beyond the text to the end of the text.
    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let (number, line) = self.lines.at(&self.text, offset);
        let offset = offset.min(line.end);
        let column = match self.encoding {
            Encoding::Utf8 => offset - line.start,
            encoding if offset - line.start <= SHORT_LINE => {
                encoding.count(&self.text.as_bytes()[line.start..offset])
            }
            _ => {
                let columns = self.columns();
                columns.before(&self.text, offset) - columns.before(&self.text, line.start)
            }
        };
        Position::new(saturated(number), saturated(column))
    }

    /// Returns the span of a range. If the end of the range is before its start, they are swapped.
    pub(super) fn span(&self, range: Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span::new(start.min(end), start.max(end))
    }

    /// Returns the range of a span.
    pub(super) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// Replaces a range by another text.
    pub(super) fn replace(&mut self, range: Range, new: &str) {
        let span = self.span(range);
        self.text.replace_range(span.start..span.end, new);
        self.lines = Lines::new(&self.text);
        self.columns = OnceCell::new();
    }

    fn columns(&self) -> &Columns {
        self.columns
            .get_or_init(|| Columns::new(&self.text, self.encoding))
    }
}

fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
