//! Where the parts of a type stand, below its label: for messages that point at one of them.

use crate::write::step::{
    DEFAULT, DESCRIPTION, ELEMENT, FIELD, FIELDS, NAME, OPTIONAL, VALUE, starts_after_key, step_of,
};
use agent_gram::Span;
use agent_gram::print::writer::Trail;
use agent_gram::syntax::{Property, Record, Value, ValueKind};

/// The parts of a record that stands at a label: all but what is a part of the parameter itself.
pub(super) fn parts_of_record(record: Record<'_>) -> Vec<(Trail, Span)> {
    let mut parts = Vec::new();
    for property in record.properties() {
        let step = step_of(property.key().text());
        if !matches!(step, NAME | DEFAULT | OPTIONAL | DESCRIPTION) {
            of_property(&mut parts, property, Trail::EMPTY);
        }
    }
    parts
}

fn of_property(parts: &mut Vec<(Trail, Span)>, property: Property<'_>, trail: Trail) {
    let (key, value) = (property.key(), property.value());
    let step = step_of(key.text());
    let trail = trail.then(step);
    let whole = if starts_after_key(step) {
        value.span()
    } else {
        key.span().to(value.span())
    };
    parts.push((trail, whole));
    match step {
        ELEMENT | VALUE => of_type(parts, value, trail),
        FIELDS => of_fields(parts, value, trail),
        _ => {}
    }
}

/// What stands for a type: a map has parts, a text is one.
fn of_type(parts: &mut Vec<(Trail, Span)>, value: Value<'_>, trail: Trail) {
    if let ValueKind::Map(record) = value.kind() {
        for property in record.properties() {
            of_property(parts, property, trail);
        }
    }
}

/// A list of fields, or a map from name to type.
fn of_fields(parts: &mut Vec<(Trail, Span)>, value: Value<'_>, trail: Trail) {
    let mut index = FIELD;
    let mut field = |parts: &mut Vec<(Trail, Span)>, whole: Span, value: Value<'_>| {
        let trail = trail.then(index);
        parts.push((trail, whole));
        of_type(parts, value, trail);
        index = index.saturating_add(1);
    };
    match value.kind() {
        ValueKind::Array(items) => {
            for item in items.items() {
                field(parts, item.span(), item);
            }
        }
        ValueKind::Map(record) => {
            for property in record.properties() {
                let whole = property.key().span().to(property.value().span());
                field(parts, whole, property.value());
            }
        }
        _ => {}
    }
}
