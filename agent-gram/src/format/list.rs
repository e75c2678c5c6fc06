//! Records, maps and arrays.

use super::gap::Gap;
use super::writer::Writer;
use crate::print::layout::{COMMA, INDENT};
use crate::syntax::Separator;
use crate::syntax::tape::{Kind, Part};

/// Whether a list has no members.
pub(super) fn is_empty(list: Part<'_>) -> bool {
    list.parts().next().is_none()
}

impl Writer<'_> {
    /// Writes a record, map or array: on one line when it fits there, with `trailing` columns after
    /// it, else with a member a line.
    pub(super) fn list(&mut self, list: Part<'_>, trailing: usize) {
        let end = list.span().end;
        if self.on_line() {
            self.members(list, None);
        } else if is_empty(list) && !self.comment_before(end) {
            // Nothing is won by breaking what is empty, even where it does not fit.
            self.push(if list.kind() == Kind::Array {
                "[]"
            } else {
                "{}"
            });
            self.go_to(end);
        } else if !self.try_on_line(end, trailing, |writer| writer.members(list, None)) {
            self.broken(list);
        }
    }

    /// Writes a record, map or array with a member a line.
    pub(super) fn broken(&mut self, list: Part<'_>) {
        self.members(list, Some(self.line_indent));
    }

    /// Writes a list on one line, or broken and indented so far.
    fn members(&mut self, list: Part<'_>, indent: Option<usize>) {
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
    fn property(&mut self, property: Part<'_>) {
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
}
