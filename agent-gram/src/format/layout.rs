//! Formats the parts of the syntax tree: documents, brackets, paths, lists and values.

use super::formatter::{Formatter, Gap};
use crate::lexer;
use crate::print::writer::{COMMA, INDENT};
use crate::span::Span;
use crate::syntax::tape::{Kind, TapePart};
use crate::syntax::{Document, Separator, StringForm, is_bracketed, range_ends};

/// The columns after the record of a bracket with elements.
const BAR: usize = " |".len();

/// The layout of a record that need not be on one line with the part around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Records {
    /// The record is on one line if it fits with this many columns after it.
    Fitted { trailing: usize },
    /// The record has one property a line.
    Broken,
}

/// Whether a list has no members.
fn is_empty(list: TapePart<'_>) -> bool {
    list.parts().next().is_none()
}

const FENCE: &str = "```";

impl Formatter<'_> {
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

    fn item(&mut self, item: TapePart<'_>) {
        match item.parts().next() {
            Some(part) if part.kind() == Kind::Annotations => self.annotated(item),
            Some(part) => self.element(part, 0),
            None => {}
        }
    }

    /// Writes annotations and their pattern: all on one line, or each on its own.
    fn annotated(&mut self, item: TapePart<'_>) {
        let end = item.span().end;
        if !self.try_on_line(end, 0, |formatter| {
            formatter.annotated_with(item, Gap::Blank)
        }) {
            self.annotated_with(item, Gap::First(0));
        }
    }

    fn annotated_with(&mut self, item: TapePart<'_>, gap: Gap) {
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

    fn annotations(&mut self, annotations: TapePart<'_>, gap: Gap) {
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
    fn annotation(&mut self, annotation: TapePart<'_>) {
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

    /// Writes an element, with room for `trailing` columns after it.
    fn element(&mut self, element: TapePart<'_>, trailing: usize) {
        match element.kind() {
            Kind::Path => self.path(element, trailing),
            Kind::Bracket => self.bracket(element, trailing),
            _ => self.token(element.span(), Gap::Nothing),
        }
    }

    /// Writes a bracket. A bracket without elements has the layout of a node.
    fn bracket(&mut self, bracket: TapePart<'_>, trailing: usize) {
        let write = match Head::of(bracket) {
            Head::Alone => Self::bracket_alone,
            Head::BeforeElements { record: false } => Self::with_elements,
            // A record and elements are never on one line.
            Head::BeforeElements { record: true } if self.on_line() => return self.fail(),
            Head::BeforeElements { record: true } => return self.with_elements(bracket),
        };
        let end = bracket.span().end;
        if self.on_line() || !self.try_on_line(end, trailing, |formatter| write(formatter, bracket))
        {
            write(self, bracket);
        }
    }

    fn bracket_alone(&mut self, bracket: TapePart<'_>) {
        self.mark("[", Gap::Nothing);
        self.subject(bracket.parts(), Records::Broken);
        self.mark("]", Gap::Nothing);
    }

    /// Writes a bracket with elements, on one line or with one element a line.
    fn with_elements(&mut self, bracket: TapePart<'_>) {
        let indent = (!self.on_line()).then_some(self.line_indent);
        let outer = self.member_indent;
        self.mark("[", Gap::Nothing);
        self.subject(bracket.parts(), Records::Fitted { trailing: BAR });
        self.mark("|", Gap::Blank);
        let mut gap = indent.map_or(Gap::Blank, |indent| Gap::First(indent + INDENT));
        let mut elements = bracket.parts().filter(|part| is_element(part.kind()));
        let mut next = elements.next();
        while let Some(element) = next {
            next = elements.next();
            self.gap(element.span().start, gap);
            if indent.is_some() {
                self.member_indent = self.line_indent;
            } else if is_nested(element) {
                self.fail();
            }
            self.element(element, usize::from(next.is_some()));
            if self.failed() {
                return;
            }
            if next.is_some() {
                self.mark(",", Gap::Nothing);
            }
            gap = indent.map_or(Gap::Blank, |indent| Gap::Between(indent + INDENT));
        }
        self.mark("]", indent.map_or(Gap::Nothing, Gap::Last));
        self.member_indent = outer;
    }

    /// Writes a path: on one line, or with all its records broken.
    fn path(&mut self, path: TapePart<'_>, trailing: usize) {
        let end = path.span().end;
        if self.on_line() || !self.try_on_line(end, trailing, |formatter| formatter.steps(path)) {
            self.steps(path);
        }
    }

    fn steps(&mut self, path: TapePart<'_>) {
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
    fn arrow(&mut self, arrow: TapePart<'_>) {
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

    /// Writes the subject at the beginning of `parts`, if there is one.
    fn subject<'t>(&mut self, parts: impl Iterator<Item = TapePart<'t>>, records: Records) {
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
    fn label(&mut self, label: TapePart<'_>) {
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

    /// Writes a record, map or array: on one line if it fits with `trailing` columns after it,
    /// otherwise with one member a line.
    fn list(&mut self, list: TapePart<'_>, trailing: usize) {
        let end = list.span().end;
        if self.on_line() {
            self.members(list, None);
        } else if is_empty(list) && !self.comment_before(end) {
            // Breaking an empty list does not make it shorter.
            self.push(if list.kind() == Kind::Array {
                "[]"
            } else {
                "{}"
            });
            self.go_to(end);
        } else if !self.try_on_line(end, trailing, |formatter| formatter.members(list, None)) {
            self.broken(list);
        }
    }

    /// Writes a record, map or array with one member a line.
    fn broken(&mut self, list: TapePart<'_>) {
        self.members(list, Some(self.line_indent));
    }

    /// Writes a list on one line, or broken with this indentation.
    fn members(&mut self, list: TapePart<'_>, indent: Option<usize>) {
        let outer = self.member_indent;
        let (open, close) = match list.kind() {
            Kind::Array => ("[", "]"),
            _ => ("{", "}"),
        };
        self.mark(open, Gap::Nothing);
        let mut gap = indent.map_or(Gap::Nothing, |indent| Gap::First(indent + INDENT));
        let mut members = list.parts();
        let mut next = members.next();
        while let Some(member) = next {
            next = members.next();
            self.gap(member.span().start, gap);
            if indent.is_some() {
                self.member_indent = self.line_indent;
            }
            match member.kind() {
                Kind::Property => self.property(member),
                _ => self.value(member, COMMA),
            }
            if self.failed() {
                return;
            }
            if next.is_some() {
                self.mark(",", Gap::Nothing);
            }
            gap = indent.map_or(Gap::Blank, |indent| Gap::Between(indent + INDENT));
        }
        self.mark(close, indent.map_or(Gap::Nothing, Gap::Last));
        self.member_indent = outer;
    }

    /// Writes `key: value`.
    fn property(&mut self, property: TapePart<'_>) {
        let mut parts = property.parts();
        if let Some(key) = parts.next() {
            self.token(key.span(), Gap::Nothing);
        }
        let colons = Separator::from_form(property.form()).text();
        self.mark(colons, Gap::Nothing);
        if let Some(value) = parts.next() {
            self.gap(value.span().start, Gap::Blank);
            self.value(value, COMMA);
        }
    }

    /// Writes a value, with room for `trailing` columns after it.
    fn value(&mut self, value: TapePart<'_>, trailing: usize) {
        match value.kind() {
            Kind::Array | Kind::Record => self.list(value, trailing),
            Kind::Range => self.range(value),
            Kind::String if is_fence(value) => self.fence(value, None),
            Kind::Tagged => self.tagged(value),
            _ => self.token(value.span(), Gap::Nothing),
        }
    }

    /// Writes a range: its numbers and the dots.
    fn range(&mut self, range: TapePart<'_>) {
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

    fn tagged(&mut self, tagged: TapePart<'_>) {
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

    /// Writes a fence. Its text is copied, with line feeds as line ends. Comments on the line that opens it must stay on
    /// that line.
    fn fence(&mut self, fence: TapePart<'_>, tag: Option<Span>) {
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
        self.push_lines(fence.content(FENCE.len()));
        if whole.trim_end_matches([' ', '\t']).ends_with('\n') {
            self.push_lines("\n");
        }
        self.push(FENCE);
        self.go_to(span.end);
    }

    /// Writes the comments on the line that opens a fence. Returns the offset after the last of
    /// them and the blanks.
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

/// The part of a bracket before its elements.
enum Head {
    /// The bracket has no elements.
    Alone,
    /// The bracket has elements. `record` is whether its subject has properties.
    BeforeElements { record: bool },
}

impl Head {
    fn of(bracket: TapePart<'_>) -> Self {
        let mut record = false;
        for part in bracket.parts() {
            match part.kind() {
                Kind::Record => record = !is_empty(part),
                Kind::Bar => return Self::BeforeElements { record },
                _ => {}
            }
        }
        Self::Alone
    }
}

/// Whether the part is a bracket with elements, which is never on one line with the part around it.
fn is_nested(element: TapePart<'_>) -> bool {
    element.kind() == Kind::Bracket && !matches!(Head::of(element), Head::Alone)
}

fn is_element(kind: Kind) -> bool {
    matches!(kind, Kind::Bracket | Kind::Path | Kind::Reference)
}

fn is_fence(text: TapePart<'_>) -> bool {
    text.form() == StringForm::Fence as u8
}
