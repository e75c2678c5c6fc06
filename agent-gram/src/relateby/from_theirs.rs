//! Conversion from the patterns of `relateby-pattern`.

use super::error::ConvertError;
use super::range_end;
use crate::error::ValueError;
use crate::value::{Array, Decimal, Measurement, Number, Range, Record, Symbol, Tagged, Text};
use crate::{MAX_DEPTH, Pattern, Subject, Value};
use pattern_core::{PropertyRecord, RangeValue};
use std::collections::HashMap;

type Theirs = pattern_core::Pattern<pattern_core::Subject>;

/// # Errors
/// If it has a part that gram cannot express, or nests too deep.
impl TryFrom<&Theirs> for Pattern {
    type Error = ConvertError;

    fn try_from(theirs: &Theirs) -> Result<Self, ConvertError> {
        pattern(theirs, 0)
    }
}

/// Returns the depth of the next level, or an error if that is too deep. Depths are counted as for
/// [`Pattern`], so that no converted pattern is too deep.
fn below(depth: usize) -> Result<usize, ConvertError> {
    if depth < MAX_DEPTH {
        Ok(depth + 1)
    } else {
        Err(ValueError::TooDeep.into())
    }
}

fn pattern(theirs: &Theirs, depth: usize) -> Result<Pattern, ConvertError> {
    let depth = below(depth)?;
    let subject = subject(&theirs.value, depth)?;
    let mut elements = Vec::with_capacity(theirs.elements.len());
    for (at, element) in theirs.elements.iter().enumerate() {
        elements.push(pattern(element, depth).map_err(|error| error.in_element(at))?);
    }
    Ok(Pattern::from_parts(subject, elements))
}

fn subject(theirs: &pattern_core::Subject, depth: usize) -> Result<Subject, ConvertError> {
    let mut labels: Vec<Text> = theirs.labels.iter().cloned().map(Text::from).collect();
    labels.sort_unstable();
    let properties = if theirs.properties.is_empty() {
        Record::new()
    } else {
        record(&theirs.properties, depth)?
    };
    Ok(Subject {
        identity: theirs.identity.0.clone().into(),
        labels: labels.into_iter().collect(),
        properties,
    })
}

/// Converts the entries, sorted by key, because a hash map has a different order in every run.
fn record(theirs: &PropertyRecord, depth: usize) -> Result<Record, ConvertError> {
    let theirs: &HashMap<String, pattern_core::Value> = theirs;
    let depth = below(depth)?;
    let mut keys: Vec<_> = theirs.keys().collect();
    keys.sort_unstable();
    let mut entries = Vec::with_capacity(keys.len());
    for key in keys {
        let value = value(&theirs[key], depth).map_err(|error| error.in_key(key))?;
        entries.push((Text::from(key.clone()), value));
    }
    let count = entries.len();
    Ok(Record::from_parsed(entries.into_iter(), count))
}

fn value(theirs: &pattern_core::Value, depth: usize) -> Result<Value, ConvertError> {
    use pattern_core::Value as Theirs;
    Ok(match theirs {
        Theirs::VInteger(value) => Value::Integer((*value).into()),
        Theirs::VDecimal(value) => Value::Decimal(Decimal::new(*value)?),
        Theirs::VBoolean(value) => Value::Boolean(*value),
        Theirs::VString(text) => Value::String(text.clone().into()),
        Theirs::VSymbol(text) => Value::Symbol(Symbol::new(text.clone())?),
        Theirs::VTaggedString { tag, content } => {
            Value::from(Tagged::new(tag.clone(), content.clone())?)
        }
        Theirs::VArray(items) => Value::Array(array(items, depth)?),
        Theirs::VMap(entries) => Value::Map(record(entries, depth)?),
        Theirs::VRange(ends) => Value::from(range(ends)?),
        Theirs::VMeasurement { unit, value } => {
            Value::from(Measurement::new(*value, unit.clone())?)
        }
    })
}

fn array(theirs: &[pattern_core::Value], depth: usize) -> Result<Array, ConvertError> {
    let depth = below(depth)?;
    let mut items = Vec::with_capacity(theirs.len());
    for (at, item) in theirs.iter().enumerate() {
        items.push(value(item, depth).map_err(|error| error.in_item(at))?);
    }
    Ok(Array::from_parsed(items))
}

fn range(theirs: &RangeValue) -> Result<Range, ConvertError> {
    Ok(Range::new(end(theirs.lower)?, end(theirs.upper)?)?)
}

fn end(theirs: Option<f64>) -> Result<Option<Number>, ConvertError> {
    match theirs {
        None => Ok(None),
        Some(value) => match range_end(value) {
            None => Err(ValueError::NotFinite.into()),
            end => Ok(end),
        },
    }
}
