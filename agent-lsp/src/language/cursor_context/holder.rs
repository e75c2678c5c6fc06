//! What has a record: what it is, and what of it is known besides the record's keys.

use agent_gram::syntax::{Record, Subject, Value, ValueKind};
use agent_spec::check::Place;
use agent_spec::{Kind, Type};

/// What has a record.
#[derive(Clone, Debug)]
pub(in crate::language) struct Holder<'t> {
    /// What it is.
    pub(in crate::language) place: Place,
    /// Its type, when its label or its key `type` says one.
    pub(in crate::language) ty: Option<Type>,
    /// Whether it has a name before the record.
    pub(in crate::language) is_named: bool,
    /// The values that its key `enum` lists.
    pub(in crate::language) allowed: Vec<Value<'t>>,
}

impl<'t> Holder<'t> {
    /// An agent, a tool or what else has no type.
    pub(super) fn of(place: Place) -> Self {
        Self {
            place,
            ty: None,
            is_named: false,
            allowed: Vec::new(),
        }
    }

    /// A node of a signature.
    pub(super) fn of_node(place: Place, subject: &Subject<'t>) -> Self {
        let mut labels = subject.labels().map(|label| label.name().text());
        Self {
            ty: labels.find_map(Kind::from_label).map(Type::new),
            is_named: subject.identity().is_some(),
            allowed: subject.record().map(allowed).unwrap_or_default(),
            ..Self::of(place)
        }
    }

    /// A field or a type that is a record.
    pub(super) fn of_record(place: Place, record: Record<'t>) -> Self {
        let said = value_of(record, "type").and_then(|value| match value.kind() {
            ValueKind::String { text, .. } | ValueKind::Symbol(text) => {
                Type::from_expression(text).ok()
            }
            _ => None,
        });
        Self {
            ty: said,
            allowed: allowed(record),
            ..Self::of(place)
        }
    }
}

fn allowed(record: Record<'_>) -> Vec<Value<'_>> {
    match value_of(record, "enum").map(|value| value.kind()) {
        Some(ValueKind::Array(array)) => array.items().collect(),
        _ => Vec::new(),
    }
}

fn value_of<'t>(record: Record<'t>, key: &str) -> Option<Value<'t>> {
    let mut properties = record.properties();
    let property = properties.find(|property| property.key().text() == key)?;
    Some(property.value())
}
