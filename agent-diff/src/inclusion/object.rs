//! Objects: records with fields, maps, and any object.

use super::sample::sample;
use super::spelling::{slip, unused};
use super::{Answer, Extra, Place, escape as escape_value, first_escaping};
use agent_spec::names::nearly_spells;
use agent_spec::types::fields_of;
use agent_spec::{Field, Shape, Type};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// An object of the inner type that the outer one does not take. Each side comes with its shape.
pub(super) fn escape(inner: (&Type, &Shape), outer: (Place<'_>, &Shape), extra: Extra) -> Answer {
    let objects = Objects {
        inner: inner.0,
        outer: outer.0,
        extra,
    };
    let members = |of: &Shape| match of {
        Shape::Map(of) => of.get().clone(),
        _ => Type::ANY.clone(),
    };
    match (fields(inner.1), fields(outer.1)) {
        (_, None) if matches!(outer.1, Shape::Open) => Answer::Included,
        (None, None) => {
            let (of, to) = (members(inner.1), members(outer.1));
            let key = unused(std::iter::empty());
            objects.with_member(&key, escape_value(Place::of(&of), Place::of(&to), extra))
        }
        (None, Some(to)) => objects.any_to_fields(&members(inner.1), to),
        (Some(of), None) => objects.fields_to_any(of, &members(outer.1)),
        (Some(of), Some(to)) => objects.fields_to_fields(of, to),
    }
}

/// Two types of objects that are compared.
struct Objects<'a> {
    inner: &'a Type,
    outer: Place<'a>,
    extra: Extra,
}

impl Objects<'_> {
    /// The first of some objects that shows a difference.
    fn first(&self, found: impl IntoIterator<Item = Map<String, Value>>) -> Option<Answer> {
        let values = found.into_iter().map(Value::Object);
        first_escaping(self.inner, self.outer, self.extra, values)
    }

    /// What is known of the objects when this is known of one member, and they need no other.
    fn with_member(&self, key: &str, answer: Answer) -> Answer {
        match answer {
            Answer::Escapes(value) => self
                .first([Map::from_iter([(key.to_owned(), value)])])
                .unwrap_or(Answer::Open),
            other => other,
        }
    }

    /// From any keys to certain ones.
    fn any_to_fields(&self, of: &Type, to: &[Field]) -> Answer {
        if to.is_empty() && self.extra == Extra::Ignored {
            return Answer::Included;
        }
        let mut tried = vec![Map::new()];
        let mut keys = vec![unused(to.iter().map(Field::name))];
        keys.extend(to.iter().take(1).map(|field| slip(field.name())));
        if let Some(value) = sample(of) {
            tried.extend(
                keys.into_iter()
                    .map(|key| Map::from_iter([(key, value.clone())])),
            );
        }
        for field in to {
            let answer = escape_value(Place::of(of), place_of(field), self.extra);
            let escaped = answer.escaped();
            tried.extend(escaped.map(|value| Map::from_iter([(field.name().to_owned(), value)])));
        }
        self.first(tried).unwrap_or(Answer::Open)
    }

    /// From certain keys to any.
    fn fields_to_any(&self, of: &[Field], to: &Type) -> Answer {
        let Some(base) = required(of) else {
            return Answer::Open;
        };
        let mut open = false;
        for field in of {
            let answer = escape_value(place_of(field), Place::of(to), self.extra);
            match self.with_field(&base, field, answer) {
                Answer::Included => {}
                Answer::Open => open = true,
                found => return found,
            }
        }
        if open { Answer::Open } else { Answer::Included }
    }

    /// From certain keys to certain keys.
    fn fields_to_fields(&self, of: &[Field], to: &[Field]) -> Answer {
        let Some(base) = required(of) else {
            return Answer::Open;
        };
        match members(of, to, self.extra) {
            Members::Fit => Answer::Included,
            Members::Open => Answer::Open,
            Members::Differ(difference) => {
                let found = difference.applied_to(base);
                self.first([found]).unwrap_or(Answer::Open)
            }
        }
    }

    fn with_field(&self, base: &Map<String, Value>, field: &Field, answer: Answer) -> Answer {
        match answer {
            Answer::Escapes(value) => {
                let given = Difference::Given(field.name().to_owned(), value);
                let found = given.applied_to(base.clone());
                self.first([found]).unwrap_or(Answer::Open)
            }
            other => other,
        }
    }
}

/// What is known of the members of two records.
pub(crate) enum Members {
    /// Whatever the inner fields allow, the outer ones take.
    Fit,
    /// This is not taken.
    Differ(Difference),
    /// Neither is proven.
    Open,
}

/// What is done to an object of all required fields, so that it is not taken.
pub(crate) enum Difference {
    /// A member is left out or, when it is required, there to begin with.
    Nothing,
    /// A member is given.
    Given(String, Value),
}

impl Difference {
    /// The object that is not taken.
    pub(crate) fn applied_to(self, mut base: Map<String, Value>) -> Map<String, Value> {
        if let Difference::Given(name, value) = self {
            base.insert(name, value);
        }
        base
    }
}

/// Compares the fields of two records, or the parameters of two signatures.
pub(crate) fn members(of: &[Field], to: &[Field], extra: Extra) -> Members {
    let outer: HashMap<&str, &Field> = to.iter().map(|field| (field.name(), field)).collect();
    let inner: HashMap<&str, &Field> = of.iter().map(|field| (field.name(), field)).collect();
    let left_out = |field: &Field| match inner.get(field.name()) {
        Some(own) => own.is_optional(),
        None => true,
    };
    if to
        .iter()
        .any(|field| !field.is_optional() && left_out(field))
    {
        return Members::Differ(Difference::Nothing);
    }
    let mut open = false;
    for field in of {
        let Some(other) = outer.get(field.name()) else {
            let may_be_slip =
                || misspelled(field.name(), to.iter().filter(|field| left_out(field)));
            if extra == Extra::Ignored && !may_be_slip() {
                continue;
            }
            match sample(field.ty()) {
                Some(value) => return given(field, value),
                // What is given as `null` counts as given, too.
                None if field.is_optional() => return given(field, Value::Null),
                None => open = true,
            }
            continue;
        };
        // Whether it may be left out was compared above.
        let place = Place {
            ty: field.ty(),
            null: false,
        };
        match escape_value(place, place_of(other), extra) {
            Answer::Included => {}
            Answer::Escapes(value) => return given(field, value),
            Answer::Open => open = true,
        }
    }
    if open { Members::Open } else { Members::Fit }
}

fn given(field: &Field, value: Value) -> Members {
    Members::Differ(Difference::Given(field.name().to_owned(), value))
}

/// Whether the validator takes a name for a misspelling of one of these fields when that has no value.
pub(crate) fn misspelled<'a>(name: &str, mut missing: impl Iterator<Item = &'a Field>) -> bool {
    missing.any(|field| nearly_spells(name, field.name()))
}

/// A field as a place: what may be left out may be `null`.
fn place_of(field: &Field) -> Place<'_> {
    Place {
        ty: field.ty(),
        null: field.is_optional(),
    }
}

/// The fields of a shape, if it names them.
pub(super) fn fields(shape: &Shape) -> Option<&[Field]> {
    match shape {
        Shape::Fields(fields) => Some(fields_of(fields)),
        _ => None,
    }
}

/// An object of all required fields and no others.
pub(super) fn required(fields: &[Field]) -> Option<Map<String, Value>> {
    let required = fields.iter().filter(|field| !field.is_optional());
    required
        .map(|field| Some((field.name().to_owned(), sample(field.ty())?)))
        .collect()
}
