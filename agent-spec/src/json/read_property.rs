//! Values of properties from JSON.

use super::error::JsonError;
use super::property::TYPE_WORDS;
use super::reader::Reader;
use super::value::from_number;
use agent_gram::value::Text;
use agent_gram::value::{Array, Measurement, Number, Range, Record, Symbol, Tagged};
use agent_gram::{MAX_DEPTH, Value, ValueError};

/// Reads a value; see [`super::pattern_to_json`] for the forms.
///
/// Whatever calls itself through this function keeps its frame small, so that the deepest value
/// fits a thread's stack in builds without optimisation too.
pub(super) fn property(reader: Reader<'_>, depth: usize) -> Result<Value, JsonError> {
    if depth > MAX_DEPTH {
        return Err(too_deep(&reader));
    }
    match reader.value {
        serde_json::Value::Array(items) => array(reader, items, depth),
        serde_json::Value::Object(_) => match type_word(reader.value) {
            None => map(reader, depth),
            Some("map") => match map_entries(&reader)? {
                Some(held) => map(held, depth),
                None => Ok(Value::Map(Record::new())),
            },
            Some(word) => typed(reader, word),
        },
        _ => scalar(reader),
    }
}

/// Reads the entries of a record.
pub(super) fn entries(reader: Reader<'_>, depth: usize) -> Result<Record, JsonError> {
    let mut record = Record::new();
    for (key, value) in reader.object("an object")? {
        let path = reader.path.key(key);
        let value = property(Reader { value, path }, depth + 1)?;
        add(&reader, &mut record, key, value)?;
    }
    Ok(record)
}

fn map(reader: Reader<'_>, depth: usize) -> Result<Value, JsonError> {
    entries(reader, depth).map(Value::Map)
}

fn array(
    reader: Reader<'_>,
    items: &[serde_json::Value],
    depth: usize,
) -> Result<Value, JsonError> {
    let mut values = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        values.push(property(reader.item(at, item), depth + 1)?);
    }
    sayable(&reader, Array::new(values)).map(Value::Array)
}

fn add(reader: &Reader<'_>, record: &mut Record, key: &str, value: Value) -> Result<(), JsonError> {
    sayable(reader, record.insert(key.to_owned(), value)).map(drop)
}

/// What an object that stands for a map holds.
fn map_entries<'a>(reader: &'a Reader<'a>) -> Result<Option<Reader<'a>>, JsonError> {
    reader.only_members(&["type", "entries"])?;
    Ok(reader.opt_member("entries"))
}

fn too_deep(reader: &Reader<'_>) -> JsonError {
    reader.wrong(format!("at most {MAX_DEPTH} levels"))
}

/// The `type` of an object that stands for a value that JSON does not have.
fn type_word(value: &serde_json::Value) -> Option<&str> {
    let word = value.get("type")?.as_str()?;
    TYPE_WORDS.contains(&word).then_some(word)
}

fn scalar(reader: Reader<'_>) -> Result<Value, JsonError> {
    match reader.value {
        serde_json::Value::Bool(value) => Ok(Value::Boolean(*value)),
        serde_json::Value::Number(number) => {
            from_number(number).ok_or_else(|| reader.wrong("a finite number"))
        }
        serde_json::Value::String(text) => Ok(Value::String(Text::from(text.clone()))),
        _ => Err(reader.wrong("a value (gram has no null)")),
    }
}

/// An object that stands for a value that JSON does not have, maps apart.
fn typed(reader: Reader<'_>, word: &str) -> Result<Value, JsonError> {
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
            sayable(&reader, Tagged::new(tag.to_owned(), content.to_owned())).map(Value::from)
        }
        "range" => {
            reader.only_members(&["type", "lower", "upper"])?;
            let lower = reader.opt_member("lower").map(range_end).transpose()?;
            let upper = reader.opt_member("upper").map(range_end).transpose()?;
            sayable(&reader, Range::new(lower, upper)).map(Value::from)
        }
        "measurement" => measurement(reader).map(Value::from),
        _ => {
            reader.only_members(&["type", "value"])?;
            let digits = reader.member_text("value", "the integer's digits, in quotes")?;
            let value = digits.parse().map_err(|_| {
                reader.wrong_because("an integer of 128 bits", format!("the digits {digits:.60}"))
            });
            value.map(Value::Integer)
        }
    }
}

fn range_end(reader: Reader<'_>) -> Result<Number, JsonError> {
    let held = match type_word(reader.value) {
        Some(word @ ("measurement" | "integer")) => typed(reader, word)?,
        Some(_) => return Err(reader.wrong("a number, a measurement or null")),
        None => scalar(reader).map_err(|_| reader.wrong("a number, a measurement or null"))?,
    };
    match held {
        Value::Integer(value) => Ok(Number::Integer(value)),
        Value::Decimal(value) => Ok(Number::Decimal(value)),
        Value::Measurement(value) => Ok(Number::Measurement(value.into_inner())),
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
