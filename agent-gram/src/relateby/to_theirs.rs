//! Conversion to the patterns of `relateby-pattern`.

use super::error::{ConvertError, Reason};
use super::range_end;
use crate::value::{Number, Range, Record};
use crate::{Pattern, Subject, Value};
use pattern_core::{PropertyRecord, RangeValue};

/// # Errors
/// If `relateby-pattern` cannot represent an integer or the end of a range.
impl TryFrom<&Pattern> for pattern_core::Pattern<pattern_core::Subject> {
    type Error = ConvertError;

    fn try_from(pattern: &Pattern) -> Result<Self, ConvertError> {
        let value = subject(pattern.subject())?;
        let elements = pattern.elements().iter().enumerate();
        let elements: Result<_, _> = elements
            .map(|(at, element)| Self::try_from(element).map_err(|error| error.in_element(at)))
            .collect();
        Ok(Self {
            value,
            elements: elements?,
        })
    }
}

fn subject(subject: &Subject) -> Result<pattern_core::Subject, ConvertError> {
    Ok(pattern_core::Subject {
        identity: pattern_core::Symbol(subject.identity.clone().into_string()),
        labels: subject
            .labels
            .iter()
            .map(|label| label.to_string())
            .collect(),
        properties: record(&subject.properties)?,
    })
}

fn record(record: &Record) -> Result<PropertyRecord, ConvertError> {
    let entries = record.iter();
    entries
        .map(|(key, held)| match value(held) {
            Ok(value) => Ok((key.to_owned(), value)),
            Err(error) => Err(error.in_key(key)),
        })
        .collect()
}

fn value(value: &Value) -> Result<pattern_core::Value, ConvertError> {
    Ok(match value {
        Value::Integer(value) => match i64::try_from(*value) {
            Ok(value) => pattern_core::Value::VInteger(value),
            Err(_) => return Err(Reason::WideInteger(*value).into()),
        },
        Value::Decimal(value) => pattern_core::Value::VDecimal(value.value()),
        Value::Boolean(value) => pattern_core::Value::VBoolean(*value),
        Value::String(text) => pattern_core::Value::VString(text.clone().into_string()),
        Value::Symbol(symbol) => pattern_core::Value::VSymbol(symbol.as_str().to_owned()),
        Value::Tagged(tagged) => pattern_core::Value::VTaggedString {
            tag: tagged.tag().to_owned(),
            content: tagged.content().to_owned(),
        },
        Value::Array(array) => pattern_core::Value::VArray(items(array.as_slice())?),
        Value::Map(entries) => pattern_core::Value::VMap(record(entries)?),
        Value::Range(value) => pattern_core::Value::VRange(range(value)?),
        Value::Measurement(value) => pattern_core::Value::VMeasurement {
            unit: value.unit().to_owned(),
            value: value.value(),
        },
    })
}

fn items(items: &[Value]) -> Result<Vec<pattern_core::Value>, ConvertError> {
    let items = items.iter().enumerate();
    items
        .map(|(at, item)| value(item).map_err(|error| error.in_item(at)))
        .collect()
}

fn range(range: &Range) -> Result<RangeValue, ConvertError> {
    Ok(RangeValue {
        lower: range.lower().map(float).transpose()?,
        upper: range.upper().map(float).transpose()?,
    })
}

/// Returns the float from which the end of a range is read back.
fn float(end: &Number) -> Result<f64, ConvertError> {
    let float = match end {
        Number::Integer(value) => Some(*value as f64),
        Number::Decimal(value) => Some(value.value()),
        Number::Measurement(_) => None,
    };
    float
        .filter(|float| range_end(*float).as_ref() == Some(end))
        .ok_or_else(|| Reason::RangeEnd(end.clone()).into())
}
