//! Lowering values and records.

use super::text;
use crate::error::ValueError;
use crate::syntax::{self, NumberKind, Property, ValueKind};
use crate::value::{
    Array, Decimal, Measurement, Number, Range, Record, Symbol, Tagged, Text, Value,
};

/// The value that a text says.
#[must_use]
pub fn lower_value(value: syntax::Value<'_>) -> Value {
    let lowered = match value.kind() {
        ValueKind::Number(number) => lower_number(number).map(Value::from),
        ValueKind::Boolean(value) => Ok(Value::Boolean(value)),
        ValueKind::Symbol(symbol) => Symbol::new(text(symbol)).map(Value::Symbol),
        ValueKind::String { text: string, .. } => Ok(Value::String(text(string))),
        ValueKind::Tagged {
            tag, text: string, ..
        } => Tagged::new(text(tag.text()), text(string)).map(Value::from),
        ValueKind::Range { lower, upper } => lower_range(lower, upper),
        ValueKind::Array(array) => Ok(Value::Array(Array::from_parsed(
            array.items().map(lower_value).collect(),
        ))),
        ValueKind::Map(record) => Ok(Value::Map(lower_record(record))),
        ValueKind::Invalid => Ok(Value::String(Text::default())),
    };
    // The parser gives nothing that is refused here.
    lowered.unwrap_or_else(|error| Value::String(error.to_string().into()))
}

/// The record that a text says. A key given twice keeps its first place and its last value.
#[must_use]
pub fn lower_record(record: syntax::Record<'_>) -> Record {
    lower_properties(record.properties())
}

pub(super) fn lower_properties<'t>(
    properties: impl Iterator<Item = Property<'t>> + Clone,
) -> Record {
    let count = properties.clone().count();
    let entries = properties.map(|property| {
        let (key, value) = property.key_and_value();
        (text(key.text()), lower_value(value))
    });
    Record::from_parsed(entries, count)
}

fn lower_number(number: syntax::Number<'_>) -> Result<Number, ValueError> {
    Ok(match number.kind() {
        NumberKind::Integer(value) => Number::Integer(value),
        NumberKind::Decimal(value) => Number::Decimal(Decimal::new(value)?),
        NumberKind::Measurement { value, unit } => {
            Number::Measurement(Measurement::new(value, text(unit))?)
        }
    })
}

fn lower_range(
    lower: Option<syntax::Number<'_>>,
    upper: Option<syntax::Number<'_>>,
) -> Result<Value, ValueError> {
    let lower = lower.map(lower_number).transpose()?;
    let upper = upper.map(lower_number).transpose()?;
    Range::new(lower, upper).map(Value::from)
}
