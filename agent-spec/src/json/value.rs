//! Gram values as plain JSON, the form defaults and enumerations have in a schema.

use super::ordered::Ordered;
use agent_gram::MAX_DEPTH;
use agent_gram::Value;
use agent_gram::value::Text;
use agent_gram::value::{Array, Decimal, Record};

/// A gram value as plain JSON: tagged text becomes its content.
///
/// `None` when JSON has no plain form for it or for a part of it: symbols, ranges, measurements,
/// and integers beyond 64 bits, which `serde_json` cannot hold without rounding.
#[must_use]
pub fn value_to_json(value: &Value) -> Option<serde_json::Value> {
    Some(match value {
        Value::Integer(value) => serde_json::Value::Number(serde_json::Number::from_i128(*value)?),
        Value::Decimal(value) => serde_json::Value::from(value.value()),
        Value::Boolean(value) => serde_json::Value::Bool(*value),
        Value::String(text) => serde_json::Value::String(text.clone().into_string()),
        Value::Tagged(tagged) => serde_json::Value::String(tagged.content().to_owned()),
        Value::Array(array) => {
            let items: Option<_> = array.as_slice().iter().map(value_to_json).collect();
            serde_json::Value::Array(items?)
        }
        Value::Map(record) => {
            let mut members = serde_json::Map::new();
            for (key, value) in record.iter() {
                members.insert(key.to_owned(), value_to_json(value)?);
            }
            serde_json::Value::Object(members)
        }
        Value::Symbol(_) | Value::Range(_) | Value::Measurement(_) => return None,
    })
}

/// The same with members in order and integers of any width, for schemas.
pub(crate) fn plain(value: &Value) -> Option<Ordered> {
    Some(match value {
        Value::Integer(value) => Ordered::Integer(*value),
        Value::Decimal(value) => Ordered::Number(value.value()),
        Value::Boolean(value) => Ordered::Bool(*value),
        Value::String(text) => Ordered::Text(text.clone()),
        Value::Tagged(tagged) => Ordered::text(tagged.content().to_owned()),
        Value::Array(array) => {
            let items: Option<_> = array.as_slice().iter().map(plain).collect();
            Ordered::Array(items?)
        }
        Value::Map(record) => Ordered::Object(plain_members(record)?),
        Value::Symbol(_) | Value::Range(_) | Value::Measurement(_) => return None,
    })
}

/// The entries of a record in the same form.
pub(crate) fn plain_members(record: &Record) -> Option<Vec<(Text, Ordered)>> {
    let entries = record.entries().iter();
    let members = entries.map(|(key, value)| Some((key.clone(), plain(value)?)));
    members.collect()
}

/// Plain JSON as a gram value: a number with a fraction becomes a decimal, any other an integer.
///
/// `None` when gram cannot say it: `null`, at any depth, and what nests deeper than
/// [`MAX_DEPTH`].
#[must_use]
pub fn json_to_value(json: &serde_json::Value) -> Option<Value> {
    to_value(json, 0)
}

/// The depth is counted on the way down, so that no value can exhaust the stack.
fn to_value(json: &serde_json::Value, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match json {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(value) => Value::Boolean(*value),
        serde_json::Value::Number(number) => from_number(number)?,
        serde_json::Value::String(text) => Value::String(Text::from(text.clone())),
        serde_json::Value::Array(items) => {
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                values.push(to_value(item, depth + 1)?);
            }
            Value::Array(Array::new(values).ok()?)
        }
        serde_json::Value::Object(members) => {
            let mut record = Record::new();
            for (key, member) in members {
                record
                    .insert(key.clone(), to_value(member, depth + 1)?)
                    .ok()?;
            }
            Value::Map(record)
        }
    })
}

/// A JSON number as a gram number, with a fraction if it was written with one.
pub(super) fn from_number(number: &serde_json::Number) -> Option<Value> {
    match number.as_i128() {
        Some(value) => Some(Value::Integer(value)),
        None => Decimal::new(number.as_f64()?).ok().map(Value::Decimal),
    }
}
