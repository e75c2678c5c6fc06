//! Comparing values.

use crate::constraints::{is_int_above, is_int_below};
use crate::text::same_text;
use agent_gram::Value;
use agent_gram::value::{Number, Record};

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
        let mut found = false;
        let mut other = 0;
        while other < outer.len() {
            if same_text(inner[at].0.as_str(), outer[other].0.as_str()) {
                found = same_value(&inner[at].1, &outer[other].1);
                break;
            }
            other += 1;
        }
        if !found {
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
