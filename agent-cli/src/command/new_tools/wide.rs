//! Whole numbers that `i64` does not hold.

use agent_gram::Value;
use agent_spec::Constraints;
use agent_spec::types::Bound;

/// Whether what is allowed includes such a number by name.
pub(super) fn has_wide_bounds(by: &Constraints) -> bool {
    let is_wide = |bound: &Option<Bound>| match bound {
        Some(Bound::Int(value)) => i64::try_from(*value).is_err(),
        _ => false,
    };
    is_wide(&by.minimum) || is_wide(&by.maximum) || by.enumeration().iter().any(has_wide_integer)
}

/// Whether there is such a number in a value.
pub(super) fn has_wide_integer(value: &Value) -> bool {
    match value {
        Value::Integer(value) => i64::try_from(*value).is_err(),
        Value::Array(items) => items.as_slice().iter().any(has_wide_integer),
        Value::Map(record) => record.iter().any(|(_, value)| has_wide_integer(value)),
        _ => false,
    }
}
