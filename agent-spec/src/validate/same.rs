//! Equality of JSON as JSON Schema has it: `1` and `1.0` are one number.

use super::number::{compare_double, compare_integer, compare_numbers};
use serde_json::Value;

/// Whether two JSON values are equal.
pub(crate) fn same_json(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right).is_eq(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| same_json(a, b))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| {
                    let other = right.get(key);
                    other.is_some_and(|other| same_json(value, other))
                })
        }
        _ => left == right,
    }
}

/// Whether a JSON value is what a gram value is as JSON.
pub(super) fn is_value(json: &Value, value: &agent_gram::Value) -> bool {
    use agent_gram::Value as Gram;
    match (json, value) {
        (Value::Number(json), Gram::Integer(value)) => compare_integer(json, *value).is_eq(),
        (Value::Number(json), Gram::Decimal(value)) => compare_double(json, value.value()).is_eq(),
        (Value::Bool(json), Gram::Boolean(value)) => json == value,
        (Value::String(json), Gram::String(text)) => json == text,
        (Value::String(json), Gram::Tagged(tagged)) => json == tagged.content(),
        (Value::Array(items), Gram::Array(array)) => {
            let values = array.as_slice();
            items.len() == values.len() && items.iter().zip(values).all(|(a, b)| is_value(a, b))
        }
        (Value::Object(members), Gram::Map(record)) => {
            members.len() == record.len()
                && record.iter().all(|(key, value)| {
                    let member = members.get(key);
                    member.is_some_and(|member| is_value(member, value))
                })
        }
        _ => false,
    }
}
