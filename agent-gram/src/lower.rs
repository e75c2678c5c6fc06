//! Syntax tree to pattern: what a text means, without how it was written.
//!
//! Lowering cannot fail. A tree that was parsed without errors loses nothing but its spelling. In a
//! tree with errors, [`Invalid`] becomes an empty text; callers lower documents without
//! errors only. Trees made by hand may say what gram cannot; parts that cannot be held become
//! texts, too.
//!
//! [`Invalid`]: crate::syntax::ValueKind::Invalid

mod value;

pub use value::{lower_record, lower_value};

use crate::error::SyntaxError;
use crate::parser::parse_items;
use crate::pattern::{Pattern, Subject};
use crate::syntax::{self, Node};
use crate::syntax::{Annotations, Direction, Document, Element, Item, Label, Name, Path};
use crate::value::{Record, Text};
use std::borrow::Cow;
use std::collections::HashSet;

/// Up to how many keys or labels, doubles among them are looked for one by one.
const FEW: usize = 16;

/// Reads a text to patterns.
///
/// # Errors
/// All that is wrong with the text.
pub fn parse_patterns(source: &str) -> Result<Vec<Pattern>, Vec<SyntaxError>> {
    let mut patterns = Vec::new();
    // Each item of the tree is dropped once it is lowered: the whole tree of a large document would
    // take much more memory, and time, than its patterns.
    let (header, errors) = parse_items(source, |item| patterns.push(lower_item(&item)));
    if !errors.is_empty() {
        return Err(errors);
    }
    if let Some(header) = &header {
        patterns.insert(0, header_pattern(header));
    }
    Ok(patterns)
}

/// The patterns of a document. A record at its beginning is an extra first pattern, anonymous and
/// without elements.
#[must_use]
pub fn lower(document: &Document<'_>) -> Vec<Pattern> {
    let mut patterns = Vec::with_capacity(document.items.len() + 1);
    patterns.extend(document.header.as_ref().map(header_pattern));
    patterns.extend(document.items.iter().map(lower_item));
    patterns
}

/// The patterns of a document, without the record at its beginning.
#[must_use]
pub fn lower_items(document: &Document<'_>) -> Vec<Pattern> {
    document.items.iter().map(lower_item).collect()
}

/// The record at the beginning of a document, if there is one.
#[must_use]
pub fn lower_header(document: &Document<'_>) -> Option<Record> {
    document.header.as_ref().map(lower_record)
}

fn header_pattern(header: &syntax::Record<'_>) -> Pattern {
    let subject = Subject {
        properties: lower_record(header),
        ..Subject::default()
    };
    Pattern::from_parts(subject, Vec::new())
}

/// The pattern of an item: that of its body, with one around it when it has annotations.
#[must_use]
pub fn lower_item(item: &Item<'_>) -> Pattern {
    let body = lower_element(&item.body);
    match &item.annotations {
        Some(annotations) => Pattern::from_parts(annotation_subject(annotations), vec![body]),
        None => body,
    }
}

/// The pattern of an element. A reference has an identity only: what it refers to is not looked up.
#[must_use]
pub fn lower_element(element: &Element<'_>) -> Pattern {
    match element {
        Element::Bracket(bracket) => Pattern::from_parts(
            opt_subject(bracket.subject.as_ref()),
            bracket.elements.iter().map(lower_element).collect(),
        ),
        Element::Path(path) => lower_path(path),
        Element::Reference(name) => {
            let subject = Subject {
                identity: text(&name.text),
                ..Subject::default()
            };
            Pattern::from_parts(subject, Vec::new())
        }
    }
}

/// A path without arrows is its node, one with an arrow a relationship, and a longer one an
/// anonymous pattern of relationships in which each node between two arrows stands twice.
fn lower_path(path: &Path<'_>) -> Pattern {
    let mut relationships = path
        .arrows
        .iter()
        .zip(path.nodes.windows(2))
        .map(|(arrow, nodes)| {
            let mut elements: Vec<Pattern> = nodes.iter().map(lower_node).collect();
            if arrow.direction == Direction::Left {
                elements.reverse();
            }
            Pattern::from_parts(opt_subject(arrow.subject.as_ref()), elements)
        });
    match path.arrows.len() {
        0 => path.nodes.first().map(lower_node).unwrap_or_default(),
        1 => relationships.next().unwrap_or_default(),
        _ => Pattern::from_parts(Subject::default(), relationships.collect()),
    }
}

fn lower_node(node: &Node<'_>) -> Pattern {
    Pattern::from_parts(opt_subject(node.subject.as_ref()), Vec::new())
}

fn opt_subject(subject: Option<&syntax::Subject<'_>>) -> Subject {
    let Some(subject) = subject else {
        return Subject::default();
    };
    Subject {
        identity: opt_name(subject.identity.as_ref()),
        labels: lower_labels(&subject.labels),
        properties: subject
            .record
            .as_ref()
            .map(lower_record)
            .unwrap_or_default(),
    }
}

/// `@@id:Label @key(value)` is the subject `id:Label {key: value}`.
fn annotation_subject(annotations: &Annotations<'_>) -> Subject {
    Subject {
        properties: value::lower_properties(&annotations.properties),
        ..opt_subject(annotations.subject.as_ref())
    }
}

/// The labels as a set that keeps source order.
fn lower_labels(labels: &[Label<'_>]) -> Vec<Text> {
    let mut lowered: Vec<Text> = Vec::with_capacity(labels.len());
    if labels.len() <= FEW {
        for label in labels {
            if !lowered.contains(&label.name.text) {
                lowered.push(text(&label.name.text));
            }
        }
    } else {
        let mut seen = HashSet::with_capacity(labels.len());
        for label in labels {
            if seen.insert(label.name.text.as_ref()) {
                lowered.push(text(&label.name.text));
            }
        }
    }
    lowered
}

fn opt_name(name: Option<&Name<'_>>) -> Text {
    name.map(|name| text(&name.text)).unwrap_or_default()
}

/// A text of its own, so that a pattern outlives the source.
fn text(text: &str) -> Text {
    Cow::Owned(text.to_owned())
}
