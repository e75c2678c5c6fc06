//! Documents, items, annotations.

use super::gap::Gap;
use super::writer::Writer;
use crate::span::Span;
use crate::syntax::Document;
use crate::syntax::tape::{Kind, Part};

impl Writer<'_> {
    /// Writes a document.
    pub(super) fn document(&mut self, document: &Document<'_>) {
        let mut gap = Gap::First(0);
        for part in document.parts() {
            self.gap(part.span().start, gap);
            match part.kind() {
                Kind::Record => self.list(part, 0),
                _ => self.item(part),
            }
            gap = Gap::Between(0);
        }
        self.end();
    }

    fn item(&mut self, item: Part<'_>) {
        match item.parts().next() {
            Some(part) if part.kind() == Kind::Annotations => self.annotated(item),
            Some(part) => self.element(part, 0),
            None => {}
        }
    }

    /// Writes annotations and their pattern: all on one line, or each on its own.
    fn annotated(&mut self, item: Part<'_>) {
        let end = item.span().end;
        if !self.try_on_line(end, 0, |writer| writer.annotated_with(item, Gap::Blank)) {
            self.annotated_with(item, Gap::First(0));
        }
    }

    fn annotated_with(&mut self, item: Part<'_>, gap: Gap) {
        for part in item.parts() {
            if part.kind() == Kind::Annotations {
                self.annotations(part, gap);
            } else {
                self.gap(part.span().start, gap);
                self.element(part, 0);
            }
            if self.failed() {
                return;
            }
        }
    }

    fn annotations(&mut self, annotations: Part<'_>, gap: Gap) {
        let start = annotations.span().start;
        let mut identified = false;
        for part in annotations.parts() {
            match part.kind() {
                Kind::Property => {
                    if part.span().start > start {
                        self.gap(part.span().start, gap);
                    }
                    self.annotation(part);
                }
                kind => {
                    if !identified {
                        self.mark("@@", Gap::Nothing);
                        identified = true;
                    }
                    if kind == Kind::Label {
                        self.label(part);
                    } else {
                        self.token(part.span(), Gap::Nothing);
                    }
                }
            }
            if self.failed() {
                return;
            }
        }
    }

    /// Writes `@key(value)`.
    fn annotation(&mut self, annotation: Part<'_>) {
        let start = annotation.span().start;
        self.token(Span::new(start, start + 1), Gap::Nothing);
        let mut parts = annotation.parts();
        if let Some(key) = parts.next() {
            self.token(key.span(), Gap::Nothing);
        }
        self.mark("(", Gap::Nothing);
        if let Some(value) = parts.next() {
            self.gap(value.span().start, Gap::Nothing);
            self.value(value, ")".len());
        }
        self.mark(")", Gap::Nothing);
    }
}
