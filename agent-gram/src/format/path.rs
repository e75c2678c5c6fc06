//! Paths, and the subjects in nodes, arrows and brackets.

use super::gap::Gap;
use super::list::is_empty;
use super::writer::Writer;
use crate::lexer;
use crate::span::Span;
use crate::syntax::tape::{Kind, Part};
use crate::syntax::{Separator, is_bracketed};

/// How records are written that need not stand on one line with what is around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Records {
    /// On one line when they fit, with this many columns after them.
    Fitted { trailing: usize },
    /// With a property a line.
    Broken,
}

impl Writer<'_> {
    /// Writes a path: on one line, or with all its records broken.
    pub(super) fn path(&mut self, path: Part<'_>, trailing: usize) {
        let end = path.span().end;
        if self.on_line() || !self.try_on_line(end, trailing, |writer| writer.steps(path)) {
            self.steps(path);
        }
    }

    fn steps(&mut self, path: Part<'_>) {
        for part in path.parts() {
            if part.kind() == Kind::Arrow {
                self.arrow(part);
            } else {
                self.mark("(", Gap::Nothing);
                self.subject(part.parts(), Records::Broken);
                self.mark(")", Gap::Nothing);
            }
            if self.failed() {
                return;
            }
        }
    }

    /// Writes an arrow: one run of characters, or two halves with or without brackets between them.
    fn arrow(&mut self, arrow: Part<'_>) {
        let span = arrow.span();
        let bytes = self.source.as_bytes();
        let left = Span::new(span.start, lexer::arrow_end(bytes, span.start));
        self.token(left, Gap::Nothing);
        if left.end >= span.end {
            return;
        }
        let has_head = self
            .source
            .get(..span.end)
            .is_some_and(|s| s.ends_with('>'));
        let length = if has_head { 2 } else { 1 };
        let right = Span::new(span.end.saturating_sub(length), span.end);
        if is_bracketed(arrow.form()) {
            self.mark("[", Gap::Nothing);
            self.subject(arrow.parts(), Records::Broken);
            self.mark("]", Gap::Nothing);
        }
        self.token(right, Gap::Nothing);
    }

    /// Writes the subject that these parts begin with, if they do.
    pub(super) fn subject<'t>(&mut self, parts: impl Iterator<Item = Part<'t>>, records: Records) {
        let mut gap = Gap::Nothing;
        for part in parts {
            match part.kind() {
                Kind::Name => self.token(part.span(), Gap::Nothing),
                Kind::Label => self.label(part),
                Kind::Record => {
                    self.gap(part.span().start, gap);
                    match records {
                        Records::Broken if !self.on_line() && !is_empty(part) => self.broken(part),
                        Records::Broken => self.list(part, 0),
                        Records::Fitted { trailing } => self.list(part, trailing),
                    }
                    return;
                }
                _ => return,
            }
            gap = Gap::Blank;
        }
    }

    /// Writes `:Name` or `::Name`.
    pub(super) fn label(&mut self, label: Part<'_>) {
        let span = label.span();
        let Some(name) = label.parts().next() else {
            return;
        };
        let colons = Separator::from_form(label.form()).text().len();
        if name.span().start == span.start + colons {
            return self.token(span, Gap::Nothing);
        }
        self.token(Span::new(span.start, span.start + colons), Gap::Nothing);
        self.token(name.span(), Gap::Nothing);
    }
}
