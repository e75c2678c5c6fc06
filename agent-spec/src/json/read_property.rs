//! Values of properties from JSON.

use super::error::JsonError;
use super::property::TYPE_WORDS;
use super::reader::Reader;
use super::value::from_number;
use agent_gram::value::{Array, Measurement, Number, Range, Record, Symbol, Tagged};
use agent_gram::{MAX_DEPTH, Value, ValueError};
use std::borrow::Cow;

/// Reads a value; see [`super::pattern_to_json`] for the forms.
pub(super) fn property(reader: Reader<'_>, depth: usize) -> Result<Value, JsonError> {
    if depth > MAX_DEPTH {
        return Err(reader.wrong(format!("at most {MAX_DEPTH} levels")));
    }
    match reader.value {
        serde_json::Value::Null => Err(reader.wrong("a value (gram has no null)")),
        serde_json::Value::Bool(value) => Ok(Value::Boolean(*value)),
        serde_json::Value::Number(number) => {
            from_number(number).ok_or_else(|| reader.wrong("a finite number"))
        }
        serde_json::Value::String(text) => Ok(Value::String(Cow::Owned(text.clone()))),
        serde_json::Value::Array(items) => {
            let items: Result<_, _> = items
                .iter()
                .enumerate()
                .map(|(at, item)| property(reader.item(at, item), depth + 1))
                .collect();
            sayable(&reader, Array::new(items?)).map(Value::Array)
        }
        serde_json::Value::Object(members) => {
            let word = members.get("type").and_then(serde_json::Value::as_str);
            match word {
                Some(word) if TYPE_WORDS.contains(&word) => typed(reader, word, depth),
                _ => entries(reader, depth).map(Value::Map),
            }
        }
    }
}

/// Reads the entries of a record.
pub(super) fn entries(reader: Reader<'_>, depth: usize) -> Result<Record, JsonError> {
    let mut record = Record::new();
    for (key, value) in reader.object("an object")? {
        let path = reader.path.key(key);
        let value = property(Reader { value, path }, depth + 1)?;
        sayable(&reader, record.insert(key.clone(), value))?;
    }
    Ok(record)
}

/// An object that stands for a value that JSON does not have.
fn typed(reader: Reader<'_>, word: &str, depth: usize) -> Result<Value, JsonError> {
    match word {
        "symbol" => {
            reader.only_members(&["type", "value"])?;
            let text = reader.member_text("value", "the symbol's text")?;
            sayable(&reader, Symbol::new(text.to_owned())).map(Value::Symbol)
        }
        "tagged" => {
            reader.only_members(&["type", "tag", "content"])?;
            let tag = reader.member_text("tag", "the tag")?;
            let content = reader.member_text("content", "the tagged text")?;
            sayable(&reader, Tagged::new(tag.to_owned(), content.to_owned())).map(Value::Tagged)
        }
        "range" => {
            reader.only_members(&["type", "lower", "upper"])?;
            let lower = reader.opt_member("lower").map(range_end).transpose()?;
            let upper = reader.opt_member("upper").map(range_end).transpose()?;
            sayable(&reader, Range::new(lower, upper)).map(Value::Range)
        }
        "measurement" => measurement(reader).map(Value::Measurement),
        "integer" => {
            reader.only_members(&["type", "value"])?;
            let digits = reader.member_text("value", "the integer's digits, in quotes")?;
            let value = digits.parse().map_err(|_| {
                reader.wrong_because("an integer of 128 bits", format!("the digits {digits:.60}"))
            });
            value.map(Value::Integer)
        }
        _ => {
            reader.only_members(&["type", "entries"])?;
            match reader.opt_member("entries") {
                Some(held) => entries(held, depth).map(Value::Map),
                None => Ok(Value::Map(Record::new())),
            }
        }
    }
}

fn range_end(reader: Reader<'_>) -> Result<Number, JsonError> {
    match property(reader, 0)? {
        Value::Integer(value) => Ok(Number::Integer(value)),
        Value::Decimal(value) => Ok(Number::Decimal(value)),
        Value::Measurement(value) => Ok(Number::Measurement(value)),
        _ => Err(reader.wrong("a number, a measurement or null")),
    }
}

fn measurement(reader: Reader<'_>) -> Result<Measurement, JsonError> {
    reader.only_members(&["type", "value", "unit"])?;
    let unit = reader.member_text("unit", "the unit")?;
    let value = reader.opt_member("value");
    let value = value.and_then(|value| value.value.as_f64());
    let value = value.ok_or_else(|| reader.wrong("a measurement with a number as its `value`"))?;
    sayable(&reader, Measurement::new(value, unit.to_owned()))
}

/// What a constructor refuses, as an error at this place.
fn sayable<T>(reader: &Reader<'_>, made: Result<T, ValueError>) -> Result<T, JsonError> {
    made.map_err(|error| reader.wrong_because("what gram can say", error.to_string()))
}
