//! Values of properties as JSON, without loss.

use super::ordered::{Members, Ordered};
use agent_gram::Value;
use agent_gram::value::{Measurement, Number, Range, Record};

/// The words that the `type` of an object can be when the object stands for a value that JSON does
/// not have.
pub(super) const TYPE_WORDS: [&str; 6] =
    ["symbol", "tagged", "range", "measurement", "integer", "map"];

/// A value without loss; see [`super::pattern_to_json`] for the forms.
pub(super) fn property(value: &Value) -> Ordered {
    match value {
        Value::Integer(value) => integer(*value),
        Value::Decimal(value) => Ordered::Number(value.value()),
        Value::Boolean(value) => Ordered::Bool(*value),
        Value::String(text) => Ordered::Text(text.clone()),
        Value::Symbol(symbol) => {
            let mut members = typed("symbol");
            members.add_text("value", symbol.as_str());
            Ordered::Object(members.into_vec())
        }
        Value::Tagged(tagged) => {
            let mut members = typed("tagged");
            members.add_text("tag", tagged.tag());
            members.add_text("content", tagged.content());
            Ordered::Object(members.into_vec())
        }
        Value::Array(array) => Ordered::Array(array.as_slice().iter().map(property).collect()),
        Value::Map(entries) => map(entries),
        Value::Range(value) => range(value),
        Value::Measurement(value) => measurement(value),
    }
}

/// The entries of a record as an object.
pub(super) fn record(entries: &Record, form: fn(&Value) -> Ordered) -> Ordered {
    let members = entries.entries().iter();
    Ordered::Object(
        members
            .map(|(key, value)| (key.clone(), form(value)))
            .collect(),
    )
}

fn map(entries: &Record) -> Ordered {
    let plain = record(entries, property);
    let ambiguous = matches!(
        entries.get("type"),
        Some(Value::String(word)) if TYPE_WORDS.contains(&word.as_ref())
    );
    if !ambiguous {
        return plain;
    }
    let mut members = typed("map");
    members.add("entries", plain);
    Ordered::Object(members.into_vec())
}

/// An integer that `serde_json` cannot hold is written as text, so that nothing rounds it.
fn integer(value: i128) -> Ordered {
    if i64::try_from(value).is_ok() || u64::try_from(value).is_ok() {
        return Ordered::Integer(value);
    }
    let mut members = typed("integer");
    members.add_text("value", &value.to_string());
    Ordered::Object(members.into_vec())
}

fn range(range: &Range) -> Ordered {
    let end = |end: Option<&Number>| end.map_or(Ordered::Null, number);
    let mut members = typed("range");
    members.add("lower", end(range.lower()));
    members.add("upper", end(range.upper()));
    Ordered::Object(members.into_vec())
}

fn number(number: &Number) -> Ordered {
    match number {
        Number::Integer(value) => integer(*value),
        Number::Decimal(value) => Ordered::Number(value.value()),
        Number::Measurement(value) => measurement(value),
    }
}

/// A measurement's number has no fraction when it is printed without one.
fn measurement(measurement: &Measurement) -> Ordered {
    /// Doubles hold every whole number up to here.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = measurement.value();
    let whole = value.fract() == 0.0 && value.abs() <= EXACT && !is_negative_zero(value);
    let mut members = typed("measurement");
    members.add(
        "value",
        if whole {
            Ordered::Integer(value as i128)
        } else {
            Ordered::Number(value)
        },
    );
    members.add_text("unit", measurement.unit());
    Ordered::Object(members.into_vec())
}

fn is_negative_zero(value: f64) -> bool {
    value == 0.0 && value.is_sign_negative()
}

fn typed(word: &'static str) -> Members {
    let mut members = Members::default();
    members.add_text("type", word);
    members
}
