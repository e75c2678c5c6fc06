//! Keys that stand twice in a record.

use agent_gram::syntax::{Document, Element, Name, Property, Subject, Value, ValueKind};
use std::collections::HashSet;

/// The first key of a document that its record has had before. Patterns keep the last value alone, and
/// people see both.
pub(super) fn key_given_twice<'t>(document: &'t Document<'_>) -> Option<Name<'t>> {
    document.items().find_map(|item| {
        let annotations = item.annotations();
        annotations
            .and_then(|annotations| in_properties(annotations.properties()))
            .or_else(|| in_element(item.body()))
    })
}

fn in_element(element: Element<'_>) -> Option<Name<'_>> {
    match element {
        Element::Bracket(bracket) => {
            in_subject(bracket.subject()).or_else(|| bracket.elements().find_map(in_element))
        }
        Element::Path(path) => {
            let nodes = path.nodes().find_map(|node| in_subject(node.subject()));
            nodes.or_else(|| path.arrows().find_map(|arrow| in_subject(arrow.subject())))
        }
        Element::Reference(_) => None,
    }
}

fn in_subject(subject: Option<Subject<'_>>) -> Option<Name<'_>> {
    in_properties(subject?.record()?.properties())
}

fn in_properties<'t>(mut properties: impl Iterator<Item = Property<'t>>) -> Option<Name<'t>> {
    let mut seen = HashSet::new();
    properties.find_map(|property| {
        let key = property.key();
        if seen.insert(key.text()) {
            in_value(property.value())
        } else {
            Some(key)
        }
    })
}

fn in_value(value: Value<'_>) -> Option<Name<'_>> {
    match value.kind() {
        ValueKind::Map(record) => in_properties(record.properties()),
        ValueKind::Array(items) => items.items().find_map(in_value),
        _ => None,
    }
}
