//! Values: numbers and texts as they were written, ranges, fences.

use super::gap::Gap;
use super::writer::Writer;
use crate::lexer;
use crate::span::Span;
use crate::syntax::tape::{Kind, Part};
use crate::syntax::{StringForm, range_ends};

const FENCE: &str = "```";

impl Writer<'_> {
    /// Writes a value that stands where the writer is, with room for `trailing` columns after it.
    pub(super) fn value(&mut self, value: Part<'_>, trailing: usize) {
        match value.kind() {
            Kind::Array | Kind::Record => self.list(value, trailing),
            Kind::Range => self.range(value),
            Kind::String if is_fence(value) => self.fence(value, None),
            Kind::Tagged => self.tagged(value),
            _ => self.token(value.span(), Gap::Nothing),
        }
    }

    /// Writes a range: of the two numbers, where they are, and the dots.
    fn range(&mut self, range: Part<'_>) {
        let mut numbers = range.parts();
        let (lower, upper) = range_ends(range.form());
        if let Some(lower) = lower.then(|| numbers.next()).flatten() {
            self.token(lower.span(), Gap::Nothing);
        }
        self.mark(if lower && upper { ".." } else { "..." }, Gap::Nothing);
        if let Some(upper) = numbers.next() {
            self.token(upper.span(), Gap::Nothing);
        }
    }

    fn tagged(&mut self, tagged: Part<'_>) {
        let mut parts = tagged.parts();
        let (Some(tag), Some(text)) = (parts.next(), parts.next()) else {
            return;
        };
        if is_fence(text) {
            self.fence(text, Some(tag.span()));
        } else {
            self.token(tag.span(), Gap::Nothing);
            self.token(text.span(), Gap::Nothing);
        }
    }

    /// Writes a fence. Its text stays as it is, and so do the comments on the line that opens it,
    /// which must stay on that line.
    fn fence(&mut self, fence: Part<'_>, tag: Option<Span>) {
        if self.on_line() {
            return self.fail();
        }
        let span = fence.span();
        self.push(FENCE);
        self.go_to(span.start + FENCE.len());
        if let Some(tag) = tag {
            if self.comment_before(tag.start) {
                self.comments_on_line();
                self.push(" ");
            }
            self.push(tag.text(self.source));
            self.go_to(tag.end);
        }
        let text_start = self.comments_on_line() + 1;
        self.push_lines("\n");
        let text_end = span.end - FENCE.len();
        let whole = self.source.get(text_start..text_end).unwrap_or("");
        let said = fence.said(FENCE.len());
        self.push_lines(said);
        if said.len() < whole.len() {
            // One CR before the last line end is part of it.
            self.push_lines(if said.ends_with('\r') { "\r\n" } else { "\n" });
        }
        self.push(FENCE);
        self.go_to(span.end);
    }

    /// Writes the comments that follow on the line that opens a fence, and gives the place of what
    /// comes after them.
    fn comments_on_line(&mut self) -> usize {
        loop {
            let bytes = self.source.as_bytes();
            let end = lexer::while_end(bytes, self.place(), |byte| {
                byte != b'\n' && byte.is_ascii_whitespace() || byte == 0x0b
            });
            let Some(comment) = self.take_comment(end + 1) else {
                return end;
            };
            self.push(" ");
            self.comment(comment);
        }
    }
}

fn is_fence(text: Part<'_>) -> bool {
    text.form() == StringForm::Fence as u8
}
