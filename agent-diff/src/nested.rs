//! Descriptions, defaults and names at a server of fields inside a type.

use super::gram_text::value_text;
use agent_gram::Value;
use agent_spec::compare::same_value;
use agent_spec::types::fields_of;
use agent_spec::{Field, Kind, Nest, Shape, Type};
use std::borrow::Cow;
use std::collections::HashMap;

/// Returns a type whose fields have no descriptions and no names at a server, so that it can be compared with another.
pub(super) fn without_descriptions(ty: &Type) -> Type {
    let nested = |of: &Nest<Type>| Nest::new(without_descriptions(of.get()));
    let kind = match ty.kind() {
        Kind::Array(of) => Kind::Array(nested(of)),
        Kind::Object(Shape::Map(of)) => Kind::Object(Shape::Map(nested(of))),
        Kind::Object(Shape::Fields(fields)) => {
            let fields = fields_of(fields).iter().map(without_description);
            Kind::Object(Shape::Fields(Cow::Owned(fields.collect())))
        }
        Kind::Object(Shape::Extended(fields, values)) => {
            let fields = fields_of(fields).iter().map(without_description);
            Kind::Object(Shape::Extended(
                Cow::Owned(fields.collect()),
                nested(values),
            ))
        }
        Kind::Tuple(types) => Kind::Tuple(types.iter().map(without_descriptions).collect()),
        Kind::Union(types) => Kind::Union(types.iter().map(without_descriptions).collect()),
        other => other.clone(),
    };
    Type::new(kind)
        .with_constraints(ty.constraints().clone())
        .with_optional(ty.is_optional())
}

fn without_description(field: &Field) -> Field {
    let bare = Field::new(field.name().to_owned(), without_descriptions(field.ty()));
    match field.default() {
        Some(default) => bare.with_default(default.clone()),
        None => bare,
    }
}

/// Describes the new meaning of calls that leave a parameter or a field out, or returns `None` if their
/// meaning stays.
pub(super) fn default_note(path: &str, old: Option<&Value>, new: Option<&Value>) -> Option<String> {
    let begin = format!("calls that leave `{path}` out");
    match (old, new) {
        (None, None) => None,
        (Some(old), Some(new)) if same_value(old, new) => None,
        (Some(old), Some(new)) => {
            let (old, new) = (value_text(old), value_text(new));
            Some(if old == new {
                format!(
                    "{begin} now mean another value than before; what looks like a key is covered"
                )
            } else {
                format!("{begin} now mean {new}, not {old}")
            })
        }
        (None, Some(new)) => Some(format!("{begin} now mean {}", value_text(new))),
        (Some(old), None) => Some(format!("{begin} no longer mean {}", value_text(old))),
    }
}

/// Returns the [`default_note`]s of the fields inside a type, each with the path of the field.
pub(super) fn field_default_notes(path: &str, old: &Type, new: &Type) -> Vec<String> {
    let mut found = Vec::new();
    for_each_pair(path, old, new, &mut |path, old, new| {
        if old.is_optional() && new.is_optional() {
            found.extend(default_note(path, old.default(), new.default()));
        }
    });
    found
}

/// Describes how the names changed by which the server reads a parameter and the fields inside the parameter.
pub(super) fn remote_notes(old: &Field, new: &Field) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |path: &str, old: &Field, new: &Field| {
        if old.remote() != new.remote() {
            let name_of = |field: &Field| field.remote().unwrap_or(field.name()).to_owned();
            let (before, now) = (name_of(old), name_of(new));
            found.push(format!(
                "the server gets `{path}` as `{now}` now, not as `{before}`"
            ));
        }
    };
    compare(old.name(), old, new);
    for_each_pair(old.name(), old.ty(), new.ty(), &mut compare);
    found
}

/// Visits the fields inside two types that have one path, with the path.
fn for_each_pair(path: &str, old: &Type, new: &Type, visit: &mut dyn FnMut(&str, &Field, &Field)) {
    match (old.kind(), new.kind()) {
        (Kind::Array(old), Kind::Array(new)) => {
            for_each_pair(&format!("{path}[]"), old.get(), new.get(), visit);
        }
        (Kind::Tuple(old), Kind::Tuple(new)) => {
            for (at, (old, new)) in old.iter().zip(new.iter()).enumerate() {
                for_each_pair(&format!("{path}[{at}]"), old, new, visit);
            }
        }
        // The types of two unions are paired by their positions, which needs unions of the same length.
        (Kind::Union(old), Kind::Union(new)) if old.len() == new.len() => {
            for (old, new) in old.iter().zip(new.iter()) {
                for_each_pair(path, old, new, visit);
            }
        }
        (Kind::Object(old), Kind::Object(new)) => {
            if let (Some(old), Some(new)) = (old.values(), new.values()) {
                for_each_pair(&format!("{path}.*"), old, new, visit);
            }
            let news: HashMap<&str, &Field> = new
                .fields()
                .iter()
                .map(|field| (field.name(), field))
                .collect();
            for field in old.fields() {
                let Some(other) = news.get(field.name()) else {
                    continue;
                };
                let path = format!("{path}.{}", field.name());
                visit(&path, field, other);
                for_each_pair(&path, field.ty(), other.ty(), visit);
            }
        }
        _ => {}
    }
}
