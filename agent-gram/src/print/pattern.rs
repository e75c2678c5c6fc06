//! Patterns as paths and brackets.

use super::layout::{self, INDENT, MAX_COLUMNS, blanks, budget, fitting, record_may_fit};
use super::writer::{Writer, to_string};
use crate::pattern::{Pattern, Subject};
use crate::value::Text;
use std::collections::BTreeSet;

/// Nodes and arrows: the way a pattern is written that needs no bracket of its own.
struct Path<'p> {
    nodes: Vec<&'p Subject>,
    arrows: Vec<&'p Subject>,
}

/// Writes a pattern at the beginning of a line.
pub(super) fn write(out: &mut String, pattern: &Pattern) {
    element(out, pattern, 0, 0);
}

fn element(out: &mut String, pattern: &Pattern, indent: usize, trailing: usize) {
    match path(pattern) {
        Some(path) => write_path(out, &path, indent, trailing),
        None => write_bracket(out, pattern, indent, trailing),
    }
}

/// The pattern as a path, if it is one: a node, a relationship of two nodes, or relationships each
/// of which begins with the node that the one before ends with.
fn path(pattern: &Pattern) -> Option<Path<'_>> {
    if pattern.elements().is_empty() {
        return Some(Path {
            nodes: vec![pattern.subject()],
            arrows: Vec::new(),
        });
    }
    if let Some((from, to)) = ends(pattern) {
        return Some(Path {
            nodes: vec![from.subject(), to.subject()],
            arrows: vec![pattern.subject()],
        });
    }
    walk(pattern)
}

fn walk(pattern: &Pattern) -> Option<Path<'_>> {
    let (first, rest) = pattern.elements().split_first()?;
    if rest.is_empty() || !pattern.subject().is_empty() {
        return None;
    }
    let (from, mut to) = ends(first)?;
    let mut path = Path {
        nodes: vec![from.subject(), to.subject()],
        arrows: vec![first.subject()],
    };
    for relationship in rest {
        let (from, next) = ends(relationship)?;
        if from != to {
            return None;
        }
        path.nodes.push(next.subject());
        path.arrows.push(relationship.subject());
        to = next;
    }
    Some(path)
}

/// The two nodes of a relationship.
fn ends(pattern: &Pattern) -> Option<(&Pattern, &Pattern)> {
    match pattern.elements() {
        [from, to] if from.elements().is_empty() && to.elements().is_empty() => Some((from, to)),
        _ => None,
    }
}

fn write_path(out: &mut String, path: &Path<'_>, indent: usize, trailing: usize) {
    match path_on_line(path, MAX_COLUMNS.saturating_sub(indent + trailing)) {
        Some(line) => out.push_str(&line),
        None => write_steps(out, path, &|out, subject| {
            layout::broken_record(out, &subject.properties, indent);
        }),
    }
}

/// The path on one line, if it takes at most so many columns and holds no fence.
fn path_on_line(path: &Path<'_>, columns: usize) -> Option<String> {
    let mut left = budget(columns);
    let records = path.nodes.iter().chain(&path.arrows);
    let mut records = records.map(|subject| &subject.properties);
    if !records.all(|record| record.is_empty() || record_may_fit(record, &mut left)) {
        return None;
    }
    let mut line = String::new();
    write_steps(&mut line, path, &|out, subject| {
        out.push_str(&to_string(|w| w.record(&subject.properties)));
    });
    fitting(line, columns)
}

/// Writes nodes and arrows in turn; `record` writes the records that are not empty.
fn write_steps(out: &mut String, path: &Path<'_>, record: &dyn Fn(&mut String, &Subject)) {
    for (at, node) in path.nodes.iter().enumerate() {
        if let Some(arrow) = at.checked_sub(1).and_then(|before| path.arrows.get(before)) {
            if arrow.is_empty() {
                out.push_str("==>");
            } else {
                out.push_str("=[");
                write_subject(out, arrow, ":", record);
                out.push_str("]=>");
            }
        }
        out.push('(');
        write_subject(out, node, "::", record);
        out.push(')');
    }
}

fn write_subject(
    out: &mut String,
    subject: &Subject,
    separator: &str,
    record: &dyn Fn(&mut String, &Subject),
) {
    let head = head(subject, separator);
    out.push_str(&head);
    if !subject.properties.is_empty() {
        if !head.is_empty() {
            out.push(' ');
        }
        record(out, subject);
    }
}

/// The identity and the labels, each label once.
fn head(subject: &Subject, separator: &str) -> String {
    let labels = unique(&subject.labels);
    to_string(|w: &mut Writer<'_>| {
        if !subject.identity.is_empty() {
            w.identity(&subject.identity);
        }
        for label in &labels {
            w.text(separator);
            w.name(label);
        }
    })
}

fn unique(labels: &[Text]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let labels = labels.iter().map(AsRef::as_ref);
    labels.filter(|label| seen.insert(*label)).collect()
}

fn write_bracket(out: &mut String, pattern: &Pattern, indent: usize, trailing: usize) {
    if let Some(line) = bracket_on_line(pattern, MAX_COLUMNS.saturating_sub(indent + trailing)) {
        out.push_str(&line);
        return;
    }
    let subject = pattern.subject();
    let head = head(subject, ":");
    out.push('[');
    out.push_str(&head);
    if !subject.properties.is_empty() {
        let mut column = indent + 1 + head.chars().count();
        if !head.is_empty() {
            out.push(' ');
            column += 1;
        }
        layout::record(out, &subject.properties, indent, column, " |".len());
    }
    out.push_str(" |\n");
    let elements = pattern.elements();
    for (at, one) in elements.iter().enumerate() {
        let is_last = at + 1 == elements.len();
        blanks(out, indent + INDENT);
        element(out, one, indent + INDENT, usize::from(!is_last));
        out.push_str(if is_last { "\n" } else { ",\n" });
    }
    blanks(out, indent);
    out.push(']');
}

/// The bracket on one line: when its subject has no record, its elements are all paths, and it
/// takes at most so many columns.
fn bracket_on_line(pattern: &Pattern, columns: usize) -> Option<String> {
    if !pattern.subject().properties.is_empty() {
        return None;
    }
    let mut line = String::from("[");
    line.push_str(&head(pattern.subject(), ":"));
    line.push_str(" | ");
    for (at, one) in pattern.elements().iter().enumerate() {
        if at > 0 {
            line.push_str(", ");
        }
        if line.len() > budget(columns) {
            return None;
        }
        line.push_str(&path_on_line(&path(one)?, columns)?);
    }
    line.push(']');
    fitting(line, columns)
}
