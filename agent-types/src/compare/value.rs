//! Comparing values.

use crate::constraints::{is_int_above, is_int_below};
use crate::text::same_text;
use agent_gram::Value;
use agent_gram::value::{Measurement, Number, Record};

/// Whether two values are equal: keys in any order, a whole number equal to a decimal of the same
/// value.
#[must_use]
pub const fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Integer(a), Value::Integer(b)) => *a == *b,
        (Value::Decimal(a), Value::Decimal(b)) => a.value() == b.value(),
        (Value::Integer(a), Value::Decimal(b)) | (Value::Decimal(b), Value::Integer(a)) => {
            !is_int_below(*a, b.value()) && !is_int_above(*a, b.value())
        }
        (Value::Boolean(a), Value::Boolean(b)) => *a == *b,
        (Value::String(a), Value::String(b)) => same_text(a.as_str(), b.as_str()),
        (Value::Symbol(a), Value::Symbol(b)) => same_text(a.as_str(), b.as_str()),
        (Value::Tagged(a), Value::Tagged(b)) => {
            let (a, b) = (a.get(), b.get());
            same_text(a.tag(), b.tag()) && same_text(a.content(), b.content())
        }
        // A tag only names the notation of a text; as a JSON value it is the text.
        (Value::Tagged(a), Value::String(b)) | (Value::String(b), Value::Tagged(a)) => {
            let a = a.get();
            same_text(a.content(), b.as_str())
        }
        (Value::Array(a), Value::Array(b)) => same_values(a.as_slice(), b.as_slice()),
        (Value::Map(a), Value::Map(b)) => a.len() == b.len() && record_within(a, b),
        (Value::Range(a), Value::Range(b)) => {
            let (a, b) = (a.get(), b.get());
            same_number(a.lower(), b.lower()) && same_number(a.upper(), b.upper())
        }
        (Value::Measurement(a), Value::Measurement(b)) => {
            let (a, b) = (a.get(), b.get());
            a.value() == b.value() && same_text(a.unit(), b.unit())
        }
        _ => false,
    }
}

/// Returns a text that two values have in common if [`same_value`] holds for them, or if they differ only in the tags of
/// texts, which JSON does not have. A set of these texts finds values without comparing each with each.
///
/// ```
/// use agent_gram::Value;
/// use agent_gram::value::Decimal;
/// use agent_types::compare::value_key;
///
/// let decimal = Value::Decimal(Decimal::new(1.0)?);
/// assert_eq!(value_key(&decimal), value_key(&Value::Integer(1)));
/// assert_ne!(value_key(&decimal), value_key(&Value::String("1".into())));
/// # Ok::<(), agent_gram::ValueError>(())
/// ```
#[must_use]
pub fn value_key(value: &Value) -> String {
    let mut key = String::new();
    add_key(value, &mut key);
    key
}

fn add_key(value: &Value, key: &mut String) {
    match value {
        Value::Integer(integer) => key.push_str(&integer.to_string()),
        Value::Decimal(decimal) => key.push_str(&decimal_key(decimal.value())),
        Value::Boolean(flag) => key.push_str(&flag.to_string()),
        Value::Symbol(symbol) => key.push_str(&format!("`{:?}", symbol.as_str())),
        Value::String(text) => key.push_str(&format!("{:?}", text.as_str())),
        Value::Tagged(tagged) => key.push_str(&format!("{:?}", tagged.content())),
        Value::Array(items) => {
            key.push('[');
            for item in items.as_slice() {
                add_key(item, key);
                key.push(',');
            }
            key.push(']');
        }
        Value::Map(record) => {
            let mut entries: Vec<(&str, &Value)> = record.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            key.push('{');
            for (name, value) in entries {
                key.push_str(&format!("{name:?}:"));
                add_key(value, key);
                key.push(',');
            }
            key.push('}');
        }
        Value::Range(range) => {
            let range = range.get();
            for (mark, end) in [('<', range.lower()), ('>', range.upper())] {
                key.push(mark);
                match end {
                    Some(Number::Integer(integer)) => key.push_str(&integer.to_string()),
                    Some(Number::Decimal(decimal)) => {
                        key.push_str(&format!(".{}", decimal_key(decimal.value())));
                    }
                    Some(Number::Measurement(end)) => add_measurement_key(end, key),
                    None => {}
                }
            }
        }
        Value::Measurement(measurement) => add_measurement_key(measurement.get(), key),
    }
}

fn add_measurement_key(measurement: &Measurement, key: &mut String) {
    let number = decimal_key(measurement.value());
    key.push_str(&format!("{number}{:?}", measurement.unit()));
}

/// Writes a number without a fraction as the integer of its value.
fn decimal_key(decimal: f64) -> String {
    /// From here on, decimals are beyond the integers.
    const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    if decimal.fract() == 0.0 && (-BEYOND..BEYOND).contains(&decimal) {
        return (decimal as i128).to_string();
    }
    format!("{decimal:?}")
}

const fn same_values(left: &[Value], right: &[Value]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if !same_value(&left[at], &right[at]) {
            return false;
        }
        at += 1;
    }
    true
}

const fn record_within(inner: &Record, outer: &Record) -> bool {
    let (inner, outer) = (inner.entries(), outer.entries());
    let mut at = 0;
    while at < inner.len() {
        // The search begins at the same place, because records mostly have the same order.
        let mut tried = 0;
        while tried < outer.len() {
            let other = &outer[(at + tried) % outer.len()];
            if same_text(inner[at].0.as_str(), other.0.as_str()) {
                if !same_value(&inner[at].1, &other.1) {
                    return false;
                }
                break;
            }
            tried += 1;
        }
        if tried == outer.len() {
            return false;
        }
        at += 1;
    }
    true
}

const fn same_number(left: Option<&Number>, right: Option<&Number>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(Number::Integer(a)), Some(Number::Integer(b))) => *a == *b,
        (Some(Number::Decimal(a)), Some(Number::Decimal(b))) => a.value() == b.value(),
        (Some(Number::Measurement(a)), Some(Number::Measurement(b))) => {
            a.value() == b.value() && same_text(a.unit(), b.unit())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_one_key_if_they_are_the_same() {
        let text = r#"[0, 0.0, -0.0, 1, 1.0, 1.5, 9007199254740993, 9007199254740992.0, 170141183460469231731687303715884105728.0, -3, "1", "a", a, true,
            "true", md`a`, [1, 2], [1.0, 2], [12], ["1", "2"], {a: 1, b: 2}, {b: 2.0, a: 1}, {a: 1}, {}, [], 1..2, 1...,
            1.0..2, 10s, 10.0s, 10m, 1.50s, 1.5s]"#;
        let text = format!("({{values: {text}}})");
        let parsed = agent_gram::parse_patterns(&text).expect("gram");
        let values = parsed[0]
            .subject()
            .properties
            .get("values")
            .expect("values");
        let Value::Array(values) = values else {
            panic!("{values:?}");
        };
        assert_eq!(values.as_slice().len(), 33);
        for left in values.as_slice() {
            for right in values.as_slice() {
                let same = same_value(left, right);
                assert_eq!(
                    value_key(left) == value_key(right),
                    same,
                    "{left:?} {right:?}"
                );
            }
        }
    }
}
