//! JSON as values of gram, without loss.
//!
//! What gram has words for is written in them. The rest is JSON text with the tag `json`: `null`,
//! numbers that are not of 64 bits, and what is nested very deep.

use super::{ReadError, nests_deeper};
use agent_gram::value::{Array, Decimal, Record, Tagged};
use agent_gram::{Value, ValueError};
use serde_json::{Map, Number, Value as Json};

/// The tag of JSON text.
const TAG: &str = "json";

/// How many lists and objects inside each other are written as such. It leaves room for the
/// patterns that such a value may stand in.
const NATURAL_DEPTH: usize = 64;

/// How deep JSON text may nest so that `serde_json` reads it.
const TEXT_DEPTH: usize = 127;

/// The value that stands for JSON.
///
/// # Errors
/// When it nests deeper than [`NATURAL_DEPTH`] and [`TEXT_DEPTH`] together.
pub(crate) fn value_of(json: &Json) -> Result<Value, ValueError> {
    natural(json, NATURAL_DEPTH)
}

/// `levels` is how many more levels may be written as such.
fn natural(json: &Json, levels: usize) -> Result<Value, ValueError> {
    Ok(match json {
        Json::Null => text_of(json)?,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(number) => match opt_number(number) {
            Some(value) => value,
            None => text_of(json)?,
        },
        Json::String(text) => Value::String(text.clone().into()),
        Json::Array(_) | Json::Object(_) if levels == 0 => text_of(json)?,
        Json::Array(items) => {
            let items = items.iter().map(|item| natural(item, levels - 1));
            Value::Array(Array::new(items.collect::<Result<_, _>>()?)?)
        }
        Json::Object(members) => {
            let mut record = Record::new();
            for (key, member) in members {
                record.insert(key.clone(), natural(member, levels - 1)?)?;
            }
            Value::Map(record)
        }
    })
}

/// A number as a value that leads back to it. A feature of `serde_json` that an application may
/// switch on keeps numbers as their digits; then not every number does.
fn opt_number(number: &Number) -> Option<Value> {
    let value = match number.as_i128() {
        Some(value) => Value::Integer(value),
        None => Value::Decimal(Decimal::new(number.as_f64()?).ok()?),
    };
    match json_of(&value) {
        Ok(Json::Number(back)) if back == *number => Some(value),
        _ => None,
    }
}

fn text_of(json: &Json) -> Result<Value, ValueError> {
    if nests_deeper(json, TEXT_DEPTH) {
        return Err(ValueError::TooDeep);
    }
    Tagged::new(TAG, json.to_string()).map(Value::from)
}

/// The JSON that a value stands for.
///
/// # Errors
/// When it stands for none: it is, or holds, what JSON has no form for.
pub(crate) fn json_of(value: &Value) -> Result<Json, ReadError> {
    let no_form = |what: &str| {
        let text = format!("{what} has no form in JSON; write it as text, or as json`…`");
        Err(ReadError::new(text))
    };
    match value {
        Value::Integer(value) => match Number::from_i128(*value) {
            Some(number) => Ok(Json::Number(number)),
            None => no_form(&format!("the integer {value}, beyond 64 bits,")),
        },
        Value::Decimal(value) => Ok(Json::from(value.value())),
        Value::Boolean(value) => Ok(Json::Bool(*value)),
        Value::String(text) => Ok(Json::String(text.clone().into_string())),
        Value::Tagged(tagged) if tagged.tag() == TAG => serde_json::from_str(tagged.content())
            .map_err(|error| ReadError::new(format!("not JSON: {error}"))),
        Value::Tagged(tagged) => no_form(&format!("text with the tag `{}`", tagged.tag())),
        Value::Array(items) => items.as_slice().iter().map(json_of).collect(),
        Value::Map(record) => {
            let mut members = Map::new();
            for (key, value) in record.iter() {
                members.insert(key.to_owned(), json_of(value)?);
            }
            Ok(Json::Object(members))
        }
        Value::Symbol(symbol) => no_form(&format!("the symbol `{}`", symbol.as_str())),
        Value::Range(_) => no_form("a range"),
        Value::Measurement(_) => no_form("a measurement"),
    }
}
