//! What the fields inside of a type say besides their types: descriptions and defaults.

use super::gram_text::value;
use agent_gram::Value;
use agent_spec::binding::same_value;
use agent_spec::types::fields_of;
use agent_spec::{Field, Kind, Nest, Shape, Type};
use std::borrow::Cow;
use std::collections::HashMap;

/// The type as documents can say it, whose fields have no descriptions: to compare it with another.
pub(super) fn undescribed(ty: &Type) -> Type {
    let nested = |of: &Nest<Type>| Nest::new(undescribed(of.get()));
    let kind = match ty.kind() {
        Kind::Array(of) => Kind::Array(nested(of)),
        Kind::Object(Shape::Map(of)) => Kind::Object(Shape::Map(nested(of))),
        Kind::Object(Shape::Fields(fields)) => {
            let fields = fields_of(fields).iter().map(without_description);
            Kind::Object(Shape::Fields(Cow::Owned(fields.collect())))
        }
        other => other.clone(),
    };
    Type::new(kind)
        .with_constraints(ty.constraints().clone())
        .with_optional(ty.is_optional())
}

fn without_description(field: &Field) -> Field {
    let bare = Field::new(field.name().to_owned(), undescribed(field.ty()));
    match field.default() {
        Some(default) => bare.with_default(default.clone()),
        None => bare,
    }
}

/// What is meant now when a parameter or a field is left out, and was not before.
pub(super) fn default_note(
    path: &str,
    before: Option<&Value>,
    now: Option<&Value>,
) -> Option<String> {
    let begin = format!("calls that leave `{path}` out");
    match (before, now) {
        (None, None) => None,
        (Some(before), Some(now)) if same_value(before, now) => None,
        (Some(before), Some(now)) => {
            let (before, now) = (value(before), value(now));
            Some(if before == now {
                format!(
                    "{begin} now mean another value than before; what looks like a key is covered"
                )
            } else {
                format!("{begin} now mean {now}, not {before}")
            })
        }
        (None, Some(now)) => Some(format!("{begin} now mean {}", value(now))),
        (Some(before), None) => Some(format!("{begin} no longer mean {}", value(before))),
    }
}

/// The same of the fields of a type that may be left out before and now, with their paths.
pub(super) fn default_notes(path: &str, old: &Type, new: &Type) -> Vec<String> {
    let mut found = Vec::new();
    collect(path, old, new, &mut found);
    found
}

fn collect(path: &str, old: &Type, new: &Type, found: &mut Vec<String>) {
    match (old.kind(), new.kind()) {
        (Kind::Array(old), Kind::Array(new)) => {
            collect(&format!("{path}[]"), old.get(), new.get(), found);
        }
        (Kind::Object(Shape::Map(old)), Kind::Object(Shape::Map(new))) => {
            collect(&format!("{path}.*"), old.get(), new.get(), found);
        }
        (Kind::Object(Shape::Fields(old)), Kind::Object(Shape::Fields(new))) => {
            let news: HashMap<&str, &Field> = fields_of(new)
                .iter()
                .map(|field| (field.name(), field))
                .collect();
            for field in fields_of(old) {
                let Some(other) = news.get(field.name()) else {
                    continue;
                };
                let path = format!("{path}.{}", field.name());
                if field.is_optional() && other.is_optional() {
                    found.extend(default_note(&path, field.default(), other.default()));
                }
                collect(&path, field.ty(), other.ty(), found);
            }
        }
        _ => {}
    }
}
