//! A value of a type: small, and the same at every run.

use super::{Extra, Place, array, choice, number, object, takes, text};
use agent_spec::{Kind, Type};
use serde_json::{Map, Value};

/// How large a value may be so that somebody reads it.
pub(crate) struct Budget;

impl Budget {
    /// The most values in a value.
    pub(crate) const MOST: usize = 5_000;

    /// How many values there are in a value, itself included; a long text counts as several.
    pub(crate) fn nodes(value: &Value) -> usize {
        1 + match value {
            Value::String(text) => text.len() / 16,
            Value::Array(items) => items.iter().map(Self::nodes).sum(),
            Value::Object(members) => members.values().map(Self::nodes).sum(),
            _ => 0,
        }
    }
}

/// A value of a type, not `null` where another will do. Nothing when none is found, which need not mean
/// that there is none.
pub(crate) fn sample(ty: &Type) -> Option<Value> {
    if !ty.constraints().enumeration().is_empty() {
        return choice::values(ty).next();
    }
    let value = match ty.kind() {
        Kind::Any => Value::from("text"),
        Kind::Null => Value::Null,
        Kind::Text => Value::from(text::sample(ty)?),
        Kind::Bool => Value::from(true),
        Kind::Int | Kind::Double => {
            let place = Place { ty, null: false };
            let mut candidates = number::candidates(ty).into_iter();
            candidates.find(|value| takes(place, value, Extra::Refused))?
        }
        Kind::Array(of) => array::of_length(of, ty.constraints().min_items.unwrap_or(0), None)?,
        Kind::Object(shape) => match object::fields(shape) {
            Some(fields) => Value::Object(object::required(fields)?),
            None => Value::Object(Map::new()),
        },
        _ => return None,
    };
    (Budget::nodes(&value) <= Budget::MOST).then_some(value)
}
