//! Writes patterns as paths and brackets.

use super::writer::{INDENT, Writer, fits};
use crate::pattern::{Pattern, Subject};
use crate::value::Record;

/// Writes a pattern at the beginning of a line.
pub(super) fn write(writer: &mut Writer<'_>, pattern: &Pattern) {
    element(writer, pattern, 0, 0);
}

/// Writes a pattern with elements in brackets at the beginning of a line, and elements that are only an
/// identity without parentheses.
pub(super) fn write_with_references(writer: &mut Writer<'_>, pattern: &Pattern) {
    write_bracket(writer, pattern, 0, 0, References::Bare);
}

/// Writes a pattern on a line that is indented by `indent`, with room for `trailing` columns after it.
fn element(writer: &mut Writer<'_>, pattern: &Pattern, indent: usize, trailing: usize) {
    match path(pattern) {
        Some(path) => write_path(writer, path, indent, trailing),
        None => {
            let references = match is_list(pattern) {
                true => References::Bare,
                false => References::Nodes,
            };
            write_bracket(writer, pattern, indent, trailing, references);
        }
    }
}

/// The label of agents.
const AGENT: &str = "Agent";

/// Whether the elements of a pattern are a list, even if there are two. An agent with two names of tools would look like a
/// relationship between them.
fn is_list(pattern: &Pattern) -> bool {
    pattern.subject().has_label(AGENT)
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
        [from, to]
            if from.elements().is_empty() && to.elements().is_empty() && !is_list(pattern) =>
        {
            Some((from, to))
        }
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

    fn write_on_line(self, line: &mut Writer<'_>) {
        self.write(line, Writer::record);
    }

    /// Writes the path, with its records as `record` writes them.
    fn write<'b>(self, writer: &mut Writer<'b>, record: impl Fn(&mut Writer<'b>, &Record)) {
        for part in self.parts() {
            let (PathPart::Node(subject) | PathPart::Arrow(subject)) = part;
            writer.text(match part {
                PathPart::Node(_) => "(",
                PathPart::Arrow(subject) if subject.is_empty() => "",
                PathPart::Arrow(_) => "=[",
            });
            head(writer, part);
            if !subject.properties.is_empty() {
                writer.text(before_record(subject));
                record(writer, &subject.properties);
            }
            writer.text(match part {
                PathPart::Node(_) => ")",
                PathPart::Arrow(subject) if subject.is_empty() => "==>",
                PathPart::Arrow(_) => "]=>",
            });
        }
    }
}

fn write_path(writer: &mut Writer<'_>, path: Path<'_>, indent: usize, trailing: usize) {
    if fits(indent, trailing, |line| path.write_on_line(line)) {
        path.write_on_line(writer);
    } else {
        path.write(writer, |writer, record| {
            writer.broken_record(record, indent)
        });
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
    writer: &mut Writer<'_>,
    pattern: &Pattern,
    indent: usize,
    trailing: usize,
    references: References,
) {
    let (subject, elements) = (pattern.subject(), pattern.elements());
    // A record and elements are never on one line, nor are brackets inside brackets.
    let may_be_on_line =
        subject.properties.is_empty() && elements.iter().all(|one| path(one).is_some());
    if may_be_on_line
        && fits(indent, trailing, |line| {
            bracket_on_line(line, pattern, references);
        })
    {
        return bracket_on_line(writer, pattern, references);
    }
    let start = writer.columns();
    writer.text("[");
    write_head(writer, subject, ":");
    if !subject.properties.is_empty() {
        writer.text(before_record(subject));
        let column = indent + (writer.columns() - start);
        writer.record_in_lines(&subject.properties, indent, column, " |".len());
    }
    writer.text(" |");
    for (at, one) in elements.iter().enumerate() {
        let is_last = at + 1 == elements.len();
        writer.line(indent + INDENT);
        match references.opt_bare(one) {
            Some(name) => writer.identity(name),
            None => element(writer, one, indent + INDENT, usize::from(!is_last)),
        }
        writer.text(if is_last { "" } else { "," });
    }
    writer.line(indent);
    writer.text("]");
}

/// Writes a bracket whose elements are paths on one line.
fn bracket_on_line(line: &mut Writer<'_>, pattern: &Pattern, references: References) {
    line.text("[");
    write_head(line, pattern.subject(), ":");
    line.text(" | ");
    for (at, one) in pattern.elements().iter().enumerate() {
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
}
