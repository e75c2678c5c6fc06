//! A text that is edited, and places in it as the client counts them.

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

/// How far a column may be counted from the beginning of its line, byte by byte. Beyond, the whole
/// text is counted once: a text of one line may have a thousand findings.
const NEAR: usize = 2048;

/// A text that is edited.
#[derive(Clone, Debug)]
pub(super) struct Text {
    text: String,
    lines: Lines,
    encoding: Encoding,
    /// Made for the first place far from the beginning of its line, until the next edit.
    columns: OnceCell<Columns>,
}

impl Text {
    /// A text whose places are counted so.
    pub(super) fn new(text: String, encoding: Encoding) -> Self {
        Self {
            lines: Lines::new(&text),
            text,
            encoding,
            columns: OnceCell::new(),
        }
    }

    /// In what its columns are counted.
    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The whole text.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The offset of a place. One beyond the end of its line is that end, one beyond the last line the
    /// end of the text, one within a character that character.
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
                let (start, rest) = if line.len() <= NEAR {
                    (line.start, column)
                } else {
                    self.columns().near(&self.text, line, column)
                };
                encoding.advance(self.text.as_bytes(), Span::new(start, line.end), rest)
            }
        }
    }

    /// The place of an offset. One within a line end is where the line ends, one within a character
    /// that character, and one beyond the end the end.
    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let (number, line) = self.lines.at(&self.text, offset);
        let offset = offset.min(line.end);
        let column = match self.encoding {
            Encoding::Utf8 => offset - line.start,
            encoding if offset - line.start <= NEAR => {
                encoding.count(&self.text.as_bytes()[line.start..offset])
            }
            _ => {
                let columns = self.columns();
                columns.before(&self.text, offset) - columns.before(&self.text, line.start)
            }
        };
        Position::new(saturated(number), saturated(column))
    }

    /// The bytes of a range. One that ends before it starts is read from its end to its start, as
    /// editors do.
    pub(super) fn span(&self, range: Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span::new(start.min(end), start.max(end))
    }

    /// The range of some bytes.
    pub(super) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// Puts another text in place of a range.
    pub(super) fn replace(&mut self, range: Range, new: &str) {
        let span = self.span(range);
        self.text.replace_range(span.start..span.end, new);
        self.lines.replace(&self.text, span, new.len());
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
