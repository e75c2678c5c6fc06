//! Bounds of numbers, compared without rounding.

use agent_spec::types::Bound;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// The first double beyond the integers of 128 bits.
const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// Compares two bounds.
pub(super) fn compare(left: &Bound, right: &Bound) -> Ordering {
    match (left, right) {
        (Bound::Int(left), Bound::Int(right)) => left.cmp(right),
        (Bound::Double(left), Bound::Double(right)) => compare_doubles(left.value(), right.value()),
        (Bound::Int(left), Bound::Double(right)) => integer_to_double(*left, right.value()),
        (Bound::Double(left), Bound::Int(right)) => {
            integer_to_double(*right, left.value()).reverse()
        }
    }
}

fn compare_doubles(left: f64, right: f64) -> Ordering {
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
    let fraction = compare_doubles(0.0, double.fract());
    integer.cmp(&(double.trunc() as i128)).then(fraction)
}

/// Returns the least whole number that is not below a bound. A bound beyond 128 bits stays as it is.
pub(super) fn ceiling(bound: &Bound) -> Bound {
    round(bound, f64::ceil)
}

/// Returns the greatest whole number that is not above a bound. A bound beyond 128 bits stays as it is.
pub(super) fn floor(bound: &Bound) -> Bound {
    round(bound, f64::floor)
}

fn round(bound: &Bound, round: fn(f64) -> f64) -> Bound {
    match bound {
        Bound::Double(value) if value.value().abs() < BEYOND => {
            Bound::Int(round(value.value()) as i128)
        }
        other => other.clone(),
    }
}

/// Converts a whole number to JSON. Beyond 64 bits it becomes the nearest double.
pub(super) fn integer_to_json(value: i128) -> Value {
    match Number::from_i128(value) {
        Some(number) => Value::Number(number),
        None => Value::from(value as f64),
    }
}

/// Converts a bound to JSON.
pub(super) fn bound_to_json(bound: &Bound) -> Value {
    match bound {
        Bound::Int(value) => integer_to_json(*value),
        Bound::Double(value) => Value::from(value.value()),
    }
}

/// Returns the least and the greatest number of a type: rounded to whole numbers for an `Int`, else the
/// bounds, also those that are themselves excluded.
pub(super) fn bounds_of(ty: &agent_spec::Type) -> (Option<Bound>, Option<Bound>) {
    let constraints = ty.constraints();
    let (least, most) = (&constraints.minimum, &constraints.maximum);
    let (above, below) = (
        &constraints.exclusive_minimum,
        &constraints.exclusive_maximum,
    );
    if is_whole(ty) {
        let above = above.as_ref().map(|bound| next_whole(&floor(bound), 1));
        let below = below.as_ref().map(|bound| next_whole(&ceiling(bound), -1));
        (
            greater(least.as_ref().map(ceiling), above),
            smaller(most.as_ref().map(floor), below),
        )
    } else {
        (
            greater(least.clone(), above.clone()),
            smaller(most.clone(), below.clone()),
        )
    }
}

fn next_whole(bound: &Bound, step: i128) -> Bound {
    match bound {
        Bound::Int(value) => Bound::Int(value.saturating_add(step)),
        other => other.clone(),
    }
}

fn greater(left: Option<Bound>, right: Option<Bound>) -> Option<Bound> {
    match (left, right) {
        (Some(left), Some(right)) if compare(&left, &right).is_lt() => Some(right),
        (left, right) => left.or(right),
    }
}

fn smaller(left: Option<Bound>, right: Option<Bound>) -> Option<Bound> {
    match (left, right) {
        (Some(left), Some(right)) if compare(&left, &right).is_gt() => Some(right),
        (left, right) => left.or(right),
    }
}

/// Whether a type allows whole numbers only.
pub(super) fn is_whole(ty: &agent_spec::Type) -> bool {
    whole_step(ty).is_some()
}

/// Whether all numbers of a type are multiples of a number.
pub(super) fn has_multiples(ty: &agent_spec::Type, of: &Bound) -> bool {
    let is_step = |step: i128| whole(of).and_then(|of| step.checked_rem(of)) == Some(0);
    ty.constraints().multiple_of.as_ref() == Some(of) || whole_step(ty).is_some_and(is_step)
}

/// Returns a whole number of which all numbers of a type are multiples.
fn whole_step(ty: &agent_spec::Type) -> Option<i128> {
    let step = ty.constraints().multiple_of.as_ref().and_then(whole);
    let is_int = matches!(ty.kind(), agent_spec::Kind::Int);
    step.filter(|step| *step != 0).or(is_int.then_some(1))
}

fn whole(bound: &Bound) -> Option<i128> {
    match bound {
        Bound::Int(value) => Some(*value),
        Bound::Double(value) => {
            let value = value.value();
            (value.fract() == 0.0 && value.abs() < BEYOND).then_some(value as i128)
        }
    }
}
