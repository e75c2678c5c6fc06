//! Many different values of a type, to be tried one after another.

use super::{array, choice, number, object, spelling, text};
use agent_spec::{Kind, Shape, Type};
use serde_json::{Map, Value};

/// How many values are tried where nothing better is known.
pub(super) const MOST_TRIED: usize = 24;

/// Values, most of which are of a type.
pub(super) struct Several {
    /// The values.
    pub(super) values: Vec<Value>,
    /// Whether the type has no others.
    pub(super) all: bool,
}

/// So many different values of a type, or a few more or less. Whoever uses one asks the validator.
pub(super) fn several(ty: &Type, count: usize) -> Several {
    if !ty.constraints().enumeration().is_empty() {
        let values = choice::values(ty).collect();
        return Several { values, all: true };
    }
    let (values, all) = match ty.kind() {
        Kind::Null => (vec![Value::Null], true),
        Kind::Bool => (vec![Value::from(true), Value::from(false)], true),
        Kind::Int | Kind::Double => number::several(ty, count),
        Kind::Text => text::several(ty, count),
        Kind::Any => (of_any(count), false),
        Kind::Array(of) => (lists(ty, of, count), ty.constraints().max_items == Some(0)),
        Kind::Object(shape) => (objects(shape, count), false),
        _ => (Vec::new(), false),
    };
    Several { values, all }
}

fn of_any(count: usize) -> Vec<Value> {
    let kinds = [
        Value::from("text"),
        Value::from(true),
        Value::from(0.5),
        Value::Array(Vec::new()),
        Value::Object(Map::new()),
    ];
    let numbers = (1..=count).map(Value::from);
    kinds
        .into_iter()
        .chain(numbers)
        .chain([Value::Null])
        .collect()
}

fn lists(ty: &Type, of: &Type, count: usize) -> Vec<Value> {
    let least = ty.constraints().min_items.unwrap_or(0);
    let shortest = array::of_length(of, least, None);
    let items = several(of, count).values.into_iter();
    let lists = items.filter_map(|item| array::of_length(of, least.max(1), Some(item)));
    shortest.into_iter().chain(lists).take(count + 1).collect()
}

fn objects(shape: &Shape, count: usize) -> Vec<Value> {
    let Some(fields) = object::fields(shape) else {
        let members = match shape {
            Shape::Map(of) => several(of, count).values,
            _ => of_any(count),
        };
        let empty = Value::Object(Map::new());
        let key = spelling::unused(std::iter::empty());
        let one = |value| Value::Object(Map::from_iter([(key.clone(), value)]));
        return std::iter::once(empty)
            .chain(members.into_iter().map(one))
            .collect();
    };
    let Some(base) = object::required(fields) else {
        return Vec::new();
    };
    let mut found = vec![Value::Object(base.clone())];
    for field in fields {
        if found.len() >= count {
            break;
        }
        for value in several(field.ty(), count).values {
            let mut members = base.clone();
            members.insert(field.name().to_owned(), value);
            found.push(Value::Object(members));
        }
    }
    found
}
