//! Numbers compared by their mathematical value, whether or not they have a fraction.

use super::whole::Whole;
use crate::constraints::Bound;
use crate::host::IntRange;
use crate::multiple::{Amount, is_multiple};
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// The first double above every integer of 128 bits.
const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// Whether a number is whole, like `5.0`. `written` is the number as it is written in the text.
pub(super) fn is_whole(number: &Number, written: Option<Whole>) -> bool {
    match written {
        Some(written) => written != Whole::Fraction,
        None => {
            number.as_i128().is_some() || number.as_f64().is_some_and(|value| value.fract() == 0.0)
        }
    }
}

/// Whether a whole number lies between two bounds, both included. `written` is the number as it is
/// written in the text.
///
/// Without the text, an integer of more than 64 bits is the nearest double. At the ends of 128 bits that
/// double may be one step outside, so one step is allowed. The lowest integer of 64 bits is also the
/// nearest double of integers below it, which must not silently become that integer.
pub(super) fn is_within(
    number: &Number,
    written: Option<Whole>,
    (lowest, highest): IntRange,
) -> bool {
    if let Some(value) = number.as_i128() {
        return (lowest..=highest).contains(&value);
    }
    if let Some(written) = written {
        return matches!(written, Whole::Integer(value) if (lowest..=highest).contains(&value));
    }
    let Some(value) = number.as_f64() else {
        return false;
    };
    let is_rounded = lowest == i128::from(i64::MIN) && value as i128 == lowest;
    !is_rounded
        && (-BEYOND..=BEYOND).contains(&value)
        && (lowest..=highest).contains(&(value as i128))
}

/// Returns the same whole number without a fraction, when it is written with one and fits 64 bits.
pub(super) fn without_fraction(number: &Number) -> Option<Number> {
    if number.as_i128().is_some() {
        return None;
    }
    let value = number.as_f64().filter(|value| value.fract() == 0.0)?;
    // The cast rounds to an integer of 128 bits; the ones at the ends do not fit 64 bits.
    Number::from_i128(value as i128)
}

/// Compares a number with a bound. `written` is the number as it is written in the text.
pub(super) fn compare(number: &Number, written: Option<Whole>, bound: &Bound) -> Ordering {
    match (written, bound) {
        (Some(Whole::Integer(value)), Bound::Int(bound)) => value.cmp(bound),
        (Some(Whole::Integer(value)), Bound::Double(bound)) => {
            integer_to_double(value, bound.value())
        }
        (_, Bound::Int(bound)) => compare_integer(number, *bound),
        (_, Bound::Double(bound)) => compare_double(number, bound.value()),
    }
}

/// Compares a number with an integer.
pub(super) fn compare_integer(number: &Number, other: i128) -> Ordering {
    match (number.as_i128(), number.as_f64()) {
        (Some(value), _) => value.cmp(&other),
        (None, Some(value)) => integer_to_double(other, value).reverse(),
        (None, None) => Ordering::Equal,
    }
}

/// Compares a number with a double.
pub(super) fn compare_double(number: &Number, other: f64) -> Ordering {
    match (number.as_i128(), number.as_f64()) {
        (Some(value), _) => integer_to_double(value, other),
        (None, Some(value)) => value.partial_cmp(&other).unwrap_or(Ordering::Equal),
        (None, None) => Ordering::Equal,
    }
}

/// Compares two numbers.
pub(super) fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    match (right.as_i128(), right.as_f64()) {
        (Some(right), _) => compare_integer(left, right),
        (None, Some(right)) => compare_double(left, right),
        (None, None) => Ordering::Equal,
    }
}

/// Whether a number is a multiple of another, both as they are written.
pub(super) fn is_multiple_of(number: &Number, written: Option<Whole>, of: &Bound) -> bool {
    let of = Amount::of(of);
    if let Some(Whole::Integer(value)) = written {
        return is_multiple(Amount::Integer(value), of);
    }
    match (number.as_i128(), number.as_f64()) {
        (Some(value), _) => is_multiple(Amount::Integer(value), of),
        (None, Some(value)) => is_multiple(Amount::Decimal(&number.to_string(), value), of),
        (None, None) => true,
    }
}

/// Compares an integer with a double, without rounding either.
fn integer_to_double(integer: i128, double: f64) -> Ordering {
    if double >= BEYOND {
        return Ordering::Less;
    }
    if double < -BEYOND {
        return Ordering::Greater;
    }
    let fraction = 0.0_f64.partial_cmp(&double.fract());
    integer
        .cmp(&(double.trunc() as i128))
        .then(fraction.unwrap_or(Ordering::Equal))
}

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

/// Whether a JSON value equals a gram value, converted to JSON.
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
