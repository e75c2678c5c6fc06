//! Brackets and their elements.

use super::gap::Gap;
use super::list::is_empty;
use super::path::Records;
use super::writer::Writer;
use crate::print::layout::INDENT;
use crate::syntax::tape::{Kind, Part};

/// What stands after the record of a bracket that has elements.
const BAR: usize = " |".len();

impl Writer<'_> {
    /// Writes an element that stands where the writer is, with room for `trailing` columns after it.
    pub(super) fn element(&mut self, element: Part<'_>, trailing: usize) {
        match element.kind() {
            Kind::Path => self.path(element, trailing),
            Kind::Bracket => self.bracket(element, trailing),
            _ => self.token(element.span(), Gap::Nothing),
        }
    }

    /// Writes a bracket. One without elements is laid out like a node.
    fn bracket(&mut self, bracket: Part<'_>, trailing: usize) {
        let write = match Head::of(bracket) {
            Head::Alone => Self::bracket_alone,
            Head::BeforeElements { record: false } => Self::with_elements,
            // A record and elements never stand on one line.
            Head::BeforeElements { record: true } if self.on_line() => return self.fail(),
            Head::BeforeElements { record: true } => return self.with_elements(bracket),
        };
        let end = bracket.span().end;
        if self.on_line() || !self.try_on_line(end, trailing, |writer| write(writer, bracket)) {
            write(self, bracket);
        }
    }

    fn bracket_alone(&mut self, bracket: Part<'_>) {
        self.mark("[", Gap::Nothing);
        self.subject(bracket.parts(), Records::Broken);
        self.mark("]", Gap::Nothing);
    }

    /// Writes a bracket with elements, on one line or with an element a line.
    fn with_elements(&mut self, bracket: Part<'_>) {
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
}

/// What stands in a bracket before its elements.
enum Head {
    /// There are no elements.
    Alone,
    /// There are, and perhaps a record with properties.
    BeforeElements { record: bool },
}

impl Head {
    fn of(bracket: Part<'_>) -> Self {
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

/// Whether it is a bracket with elements, which never stands on one line with what it is in.
fn is_nested(element: Part<'_>) -> bool {
    element.kind() == Kind::Bracket && !matches!(Head::of(element), Head::Alone)
}

fn is_element(kind: Kind) -> bool {
    matches!(kind, Kind::Bracket | Kind::Path | Kind::Reference)
}
