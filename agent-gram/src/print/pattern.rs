//! Writes patterns as paths and brackets.

use super::layout::{self, INDENT, MAX_COLUMNS, blanks, budget, on_line, record_may_fit};
use super::writer::Writer;
use crate::pattern::{Pattern, Subject};

/// Writes a pattern at the beginning of a line.
pub(super) fn write(out: &mut String, pattern: &Pattern) {
    element(out, pattern, 0, 0);
}

/// Writes a pattern with elements in brackets at the beginning of a line, and elements that are only an
/// identity without parentheses.
pub(super) fn write_with_references(out: &mut String, pattern: &Pattern) {
    write_bracket(out, pattern, 0, 0, References::Bare);
}

fn element(out: &mut String, pattern: &Pattern, indent: usize, trailing: usize) {
    match path(pattern) {
        Some(path) => write_path(out, path, indent, trailing),
        None => write_bracket(out, pattern, indent, trailing, References::Nodes),
    }
}

/// The form of elements that are only an identity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum References {
    /// `(a)`.
    Nodes,
    /// `a`.
    Bare,
}

impl References {
    /// Returns the identity of an element that is written bare.
    fn opt_bare(self, element: &Pattern) -> Option<&str> {
        let subject = element.subject();
        let is_reference = self == Self::Bare
            && !subject.identity.is_empty()
            && subject.labels.is_empty()
            && subject.properties.is_empty()
            && element.elements().is_empty();
        is_reference.then_some(&subject.identity)
    }
}

/// A pattern that is written without brackets of its own.
#[derive(Clone, Copy)]
enum Path<'p> {
    /// A single node.
    Node(&'p Subject),
    /// One or more relationships of two nodes each. Each but the first begins with the last node of
    /// the previous one.
    Relationships(&'p [Pattern]),
}

/// Returns the pattern as a path, if it is one.
fn path(pattern: &Pattern) -> Option<Path<'_>> {
    let elements = pattern.elements();
    if elements.is_empty() {
        return Some(Path::Node(pattern.subject()));
    }
    if ends(pattern).is_some() {
        return Some(Path::Relationships(std::slice::from_ref(pattern)));
    }
    let (first, rest) = elements.split_first()?;
    if rest.is_empty() || !pattern.subject().is_empty() {
        return None;
    }
    let (_, mut to) = ends(first)?;
    for relationship in rest {
        let (from, next) = ends(relationship)?;
        if from != to {
            return None;
        }
        to = next;
    }
    Some(Path::Relationships(elements))
}

/// Returns the two nodes of a relationship.
fn ends(pattern: &Pattern) -> Option<(&Pattern, &Pattern)> {
    match pattern.elements() {
        [from, to] if from.elements().is_empty() && to.elements().is_empty() => Some((from, to)),
        _ => None,
    }
}

/// A part of a path.
#[derive(Clone, Copy)]
enum PathPart<'p> {
    Node(&'p Subject),
    Arrow(&'p Subject),
}

impl<'p> Path<'p> {
    /// Returns the nodes and arrows from left to right.
    fn parts(self) -> impl Iterator<Item = PathPart<'p>> {
        let (node, relationships): (_, &'p [Pattern]) = match self {
            Path::Node(node) => (Some(node), &[]),
            Path::Relationships(relationships) => {
                let first = relationships.first().and_then(ends);
                (first.map(|(from, _)| from.subject()), relationships)
            }
        };
        let arrows = relationships.iter().flat_map(|relationship| {
            let to = ends(relationship).map(|(_, to)| PathPart::Node(to.subject()));
            std::iter::once(PathPart::Arrow(relationship.subject())).chain(to)
        });
        node.map(PathPart::Node).into_iter().chain(arrows)
    }

    /// Whether the path has no fence and may fit into so many columns.
    fn may_fit(self, columns: usize) -> bool {
        let mut left = budget(columns);
        self.parts()
            .all(|(PathPart::Node(subject) | PathPart::Arrow(subject))| {
                let record = &subject.properties;
                record.is_empty() || record_may_fit(record, &mut left)
            })
    }

    fn write_on_line(self, line: &mut Writer<'_>) {
        for part in self.parts() {
            open(part, &mut |text| line.text(text));
            head(line, part);
            let (PathPart::Node(subject) | PathPart::Arrow(subject)) = part;
            if !subject.properties.is_empty() {
                line.text(before_record(subject));
                line.record(&subject.properties);
            }
            close(part, &mut |text| line.text(text));
        }
    }
}

fn write_path(out: &mut String, path: Path<'_>, indent: usize, trailing: usize) {
    let columns = MAX_COLUMNS.saturating_sub(indent + trailing);
    if path.may_fit(columns) && on_line(out, columns, |line| path.write_on_line(line)) {
        return;
    }
    for part in path.parts() {
        open(part, &mut |text| out.push_str(text));
        layout::on_this_line(out, |line| head(line, part));
        let (PathPart::Node(subject) | PathPart::Arrow(subject)) = part;
        if !subject.properties.is_empty() {
            out.push_str(before_record(subject));
            layout::broken_record(out, &subject.properties, indent);
        }
        close(part, &mut |text| out.push_str(text));
    }
}

fn open(part: PathPart<'_>, write: &mut dyn FnMut(&str)) {
    match part {
        PathPart::Node(_) => write("("),
        PathPart::Arrow(subject) if subject.is_empty() => {}
        PathPart::Arrow(_) => write("=["),
    }
}

fn close(part: PathPart<'_>, write: &mut dyn FnMut(&str)) {
    match part {
        PathPart::Node(_) => write(")"),
        PathPart::Arrow(subject) if subject.is_empty() => write("==>"),
        PathPart::Arrow(_) => write("]=>"),
    }
}

/// Writes the identity and the labels of a part.
fn head(line: &mut Writer<'_>, part: PathPart<'_>) {
    match part {
        PathPart::Node(subject) => write_head(line, subject, "::"),
        PathPart::Arrow(subject) => write_head(line, subject, ":"),
    }
}

fn write_head(line: &mut Writer<'_>, subject: &Subject, separator: &str) {
    if !subject.identity.is_empty() {
        line.identity(&subject.identity);
    }
    for label in &subject.labels {
        line.text(separator);
        line.name(label);
    }
}

/// Returns the text between the labels and the record.
fn before_record(subject: &Subject) -> &'static str {
    if subject.identity.is_empty() && subject.labels.is_empty() {
        ""
    } else {
        " "
    }
}

fn write_bracket(
    out: &mut String,
    pattern: &Pattern,
    indent: usize,
    trailing: usize,
    references: References,
) {
    let columns = MAX_COLUMNS.saturating_sub(indent + trailing);
    if bracket_on_line(out, pattern, columns, references) {
        return;
    }
    let subject = pattern.subject();
    out.push('[');
    let head = layout::on_this_line(out, |line| write_head(line, subject, ":"));
    if !subject.properties.is_empty() {
        let blank = before_record(subject);
        out.push_str(blank);
        let column = indent + 1 + head + blank.len();
        layout::record(out, &subject.properties, indent, column, " |".len());
    }
    out.push_str(" |\n");
    let elements = pattern.elements();
    for (at, one) in elements.iter().enumerate() {
        let is_last = at + 1 == elements.len();
        blanks(out, indent + INDENT);
        match references.opt_bare(one) {
            Some(name) => {
                layout::on_this_line(out, |line| line.identity(name));
            }
            None => element(out, one, indent + INDENT, usize::from(!is_last)),
        }
        out.push_str(if is_last { "\n" } else { ",\n" });
    }
    blanks(out, indent);
    out.push(']');
}

/// Writes the bracket on one line, if its subject has no record, all its elements are paths, and it
/// takes at most `columns` columns. Returns whether it was written.
fn bracket_on_line(
    out: &mut String,
    pattern: &Pattern,
    columns: usize,
    references: References,
) -> bool {
    let elements = pattern.elements();
    // Each element takes at least two columns.
    if !pattern.subject().properties.is_empty() || elements.len() > columns {
        return false;
    }
    let fits = |one| path(one).is_some_and(|path| path.may_fit(columns));
    elements.iter().all(fits)
        && on_line(out, columns, |line| {
            line.text("[");
            write_head(line, pattern.subject(), ":");
            line.text(" | ");
            for (at, one) in elements.iter().enumerate() {
                if at > 0 {
                    line.text(", ");
                }
                if let Some(name) = references.opt_bare(one) {
                    line.identity(name);
                } else if let Some(path) = path(one) {
                    path.write_on_line(line);
                }
            }
            line.text("]");
        })
}
