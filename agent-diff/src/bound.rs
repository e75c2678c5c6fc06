//! The bounds of numbers, compared without rounding.

use agent_spec::types::Bound;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// A double that is the first beyond what 128 bits hold.
const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// How two bounds compare.
pub(super) fn compare(left: &Bound, right: &Bound) -> Ordering {
    match (left, right) {
        (Bound::Int(left), Bound::Int(right)) => left.cmp(right),
        (Bound::Double(left), Bound::Double(right)) => doubles(left.value(), right.value()),
        (Bound::Int(left), Bound::Double(right)) => integer_to_double(*left, right.value()),
        (Bound::Double(left), Bound::Int(right)) => {
            integer_to_double(*right, left.value()).reverse()
        }
    }
}

fn doubles(left: f64, right: f64) -> Ordering {
    // Bounds are finite.
    left.partial_cmp(&right).unwrap_or(Ordering::Equal)
}

fn integer_to_double(integer: i128, double: f64) -> Ordering {
    if double >= BEYOND {
        return Ordering::Less;
    }
    if double < -BEYOND {
        return Ordering::Greater;
    }
    let rest = doubles(0.0, double.fract());
    integer.cmp(&(double.trunc() as i128)).then(rest)
}

/// The least whole number that is not below a bound; a bound beyond 128 bits stays there.
pub(super) fn ceiling(bound: &Bound) -> Bound {
    whole(bound, f64::ceil)
}

/// The greatest whole number that is not above a bound.
pub(super) fn floor(bound: &Bound) -> Bound {
    whole(bound, f64::floor)
}

fn whole(bound: &Bound, round: fn(f64) -> f64) -> Bound {
    match bound {
        Bound::Double(value) if value.value().abs() < BEYOND => {
            Bound::Int(round(value.value()) as i128)
        }
        other => other.clone(),
    }
}

/// A whole number as JSON: one beyond 64 bits is the nearest double.
pub(super) fn integer(value: i128) -> Value {
    match Number::from_i128(value) {
        Some(number) => Value::Number(number),
        None => Value::from(value as f64),
    }
}

/// A bound as JSON.
pub(super) fn number(bound: &Bound) -> Value {
    match bound {
        Bound::Int(value) => integer(*value),
        Bound::Double(value) => Value::from(value.value()),
    }
}
