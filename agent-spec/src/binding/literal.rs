//! Whether a literal is of a type, in a `const`.

use super::compare::{same_text, same_value};
use crate::types::{Bound, Constraints, Kind, Shape, Type, fields_of};
use crate::validate::may_have_format;
use agent_gram::Value;

/// Whether a literal is of a type and within what narrows it, as far as a `const` can tell: patterns
/// and most formats are left to the call.
pub(super) const fn value_fits(value: &Value, ty: &Type) -> bool {
    if !within(value, ty.constraints()) {
        return false;
    }
    match (ty.kind(), value) {
        (Kind::Any, _)
        | (Kind::Text, Value::String(_))
        | (Kind::Bool, Value::Boolean(_))
        | (Kind::Double, Value::Integer(_) | Value::Decimal(_))
        | (Kind::Object(Shape::Open), Value::Map(_)) => true,
        (Kind::Int, Value::Integer(value)) => match ty.host_range() {
            Some(&(lowest, highest)) => lowest <= *value && *value <= highest,
            None => true,
        },
        (Kind::Array(element), Value::Array(items)) => {
            let items = items.as_slice();
            let mut at = 0;
            while at < items.len() {
                if !value_fits(&items[at], element.get()) {
                    return false;
                }
                at += 1;
            }
            true
        }
        (Kind::Object(Shape::Map(of)), Value::Map(record)) => {
            let entries = record.entries();
            let mut at = 0;
            while at < entries.len() {
                if !value_fits(&entries[at].1, of.get()) {
                    return false;
                }
                at += 1;
            }
            true
        }
        (Kind::Object(Shape::Fields(fields)), Value::Map(record)) => {
            let (fields, entries) = (fields_of(fields), record.entries());
            let mut at = 0;
            while at < fields.len() {
                let mut found = fields[at].is_optional();
                let mut entry = 0;
                while entry < entries.len() {
                    if same_text(entries[entry].0.as_str(), fields[at].name()) {
                        if !value_fits(&entries[entry].1, fields[at].ty()) {
                            return false;
                        }
                        found = true;
                    }
                    entry += 1;
                }
                if !found {
                    return false;
                }
                at += 1;
            }
            true
        }
        _ => false,
    }
}

const fn within(value: &Value, constraints: &Constraints) -> bool {
    let allowed = constraints.enumeration();
    let mut found = allowed.is_empty();
    let mut at = 0;
    while !found && at < allowed.len() {
        found = same_value(value, &allowed[at]);
        at += 1;
    }
    found
        && match value {
            Value::Integer(number) => number_within(&Bound::Int(*number), constraints),
            Value::Decimal(number) => {
                at_or_above(number.value(), &constraints.minimum)
                    && at_or_below(number.value(), &constraints.maximum)
            }
            Value::String(text) => {
                let has_format = match &constraints.format {
                    Some(format) => may_have_format(format.as_str(), text.as_str()),
                    None => true,
                };
                has_format
                    && count_within(
                        chars_of(text.as_str()),
                        constraints.min_length,
                        constraints.max_length,
                    )
            }
            Value::Array(items) => count_within(
                items.as_slice().len() as u64,
                constraints.min_items,
                constraints.max_items,
            ),
            _ => true,
        }
}

const fn number_within(number: &Bound, constraints: &Constraints) -> bool {
    let above = match &constraints.minimum {
        Some(least) => !below(number, least),
        None => true,
    };
    let under = match &constraints.maximum {
        Some(most) => !below(most, number),
        None => true,
    };
    above && under
}

const fn at_or_above(number: f64, least: &Option<Bound>) -> bool {
    match least {
        Some(least) => number >= least.as_f64(),
        None => true,
    }
}

const fn at_or_below(number: f64, most: &Option<Bound>) -> bool {
    match most {
        Some(most) => number <= most.as_f64(),
        None => true,
    }
}

const fn count_within(count: u64, least: Option<u64>, most: Option<u64>) -> bool {
    let enough = match least {
        Some(least) => count >= least,
        None => true,
    };
    let few = match most {
        Some(most) => count <= most,
        None => true,
    };
    enough && few
}

/// The number of characters: bytes that do not go on with one.
const fn chars_of(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (mut count, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at] & 0b1100_0000 != 0b1000_0000 {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Whether a number is less than another.
pub(super) const fn below(left: &Bound, right: &Bound) -> bool {
    match (left, right) {
        (Bound::Int(left), Bound::Int(right)) => *left < *right,
        _ => left.as_f64() < right.as_f64(),
    }
}
