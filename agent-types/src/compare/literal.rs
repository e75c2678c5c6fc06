//! Literals as values of types.

use super::find_field;
use super::value::same_value;
use crate::constraints::{Bound, Constraint, Constraints, is_int_above, is_int_below};
use crate::host::IntRange;
use crate::keyword::Keyword;
use crate::multiple::{Amount, is_multiple};
use crate::text::same_text;
use crate::types::{Kind, Shape, Type, types_of};
use crate::validate::may_have_format;
use agent_gram::Value;
use agent_gram::value::Record;

/// Whether a literal is of a type and satisfies its constraints, as far as a `const` can check: patterns
/// and most formats are checked at each call.
pub const fn may_fit(value: &Value, ty: &Type) -> bool {
    fits(value, ty, false, &mut 0)
}

/// Whether a literal certainly is of a type and satisfies its constraints: `false` when a pattern or a
/// format decides. The search for an allowed value begins at `near`, which becomes the place of the found
/// value, because two lists mostly have the same order.
pub const fn surely_fits(value: &Value, ty: &Type, near: &mut usize) -> bool {
    fits(value, ty, true, near)
}

const fn fits(value: &Value, ty: &Type, surely: bool, near: &mut usize) -> bool {
    if !within(value, ty.constraints(), surely, near) {
        return false;
    }
    match (ty.kind(), value) {
        (Kind::Any, _)
        | (Kind::Text, Value::String(_))
        | (Kind::Bool, Value::Boolean(_))
        | (Kind::Double, Value::Integer(_) | Value::Decimal(_)) => true,
        (Kind::Int, Value::Integer(value)) => match ty.host_range() {
            Some(&(lowest, highest)) => lowest <= *value && *value <= highest,
            None => true,
        },
        // `2.0` is the whole number 2 to the validator, although no default is written so.
        (Kind::Int, Value::Decimal(number)) if surely => {
            let whole = number.value() as i128;
            ty.host_range().is_none()
                && !is_int_below(whole, number.value())
                && !is_int_above(whole, number.value())
        }
        (Kind::Array(_) | Kind::Tuple(_), Value::Array(items)) => {
            let items = items.as_slice();
            let mut at = 0;
            while at < items.len() {
                match element_type(ty, at) {
                    Some(element) if fits(&items[at], element, surely, &mut 0) => {}
                    _ => return false,
                }
                at += 1;
            }
            match ty.kind() {
                Kind::Tuple(types) => items.len() == types_of(types).len(),
                _ => true,
            }
        }
        (Kind::Union(types), _) => {
            let types = types_of(types);
            let mut at = 0;
            while at < types.len() {
                if fits(value, &types[at], surely, near) {
                    return true;
                }
                at += 1;
            }
            false
        }
        (Kind::Object(shape), Value::Map(record)) => {
            let (fields, entries) = (shape.fields(), record.entries());
            let mut at = 0;
            while at < entries.len() {
                let (key, value) = &entries[at];
                if let Some(ty) = member_of(shape, key.as_str())
                    && !fits(value, ty, surely, &mut 0)
                {
                    return false;
                }
                at += 1;
            }
            at = 0;
            while at < fields.len() {
                if !fields[at].is_optional() && !has_key(record, fields[at].name()) {
                    return false;
                }
                at += 1;
            }
            true
        }
        _ => false,
    }
}

const fn has_key(record: &Record, key: &str) -> bool {
    let entries = record.entries();
    let mut at = 0;
    while at < entries.len() {
        if same_text(entries[at].0.as_str(), key) {
            return true;
        }
        at += 1;
    }
    false
}

const fn within(value: &Value, constraints: &Constraints, surely: bool, near: &mut usize) -> bool {
    let mut at = 0;
    while at < Keyword::CONSTRAINTS.len() {
        let keyword = Keyword::CONSTRAINTS[at];
        if let Some(constraint) = constraints.get(keyword)
            && !allows(keyword, constraint, value, surely, near)
        {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether a literal certainly satisfies a constraint: `false` when a pattern or a format decides. `near` has the
/// same meaning as in [`surely_fits`].
pub(super) const fn surely_allows(
    keyword: Keyword,
    constraint: Constraint<'_>,
    value: &Value,
    near: &mut usize,
) -> bool {
    allows(keyword, constraint, value, true, near)
}

const fn allows(
    keyword: Keyword,
    constraint: Constraint<'_>,
    value: &Value,
    surely: bool,
    near: &mut usize,
) -> bool {
    match (keyword, constraint, value) {
        (_, Constraint::Values(values), _) => {
            let mut tried = 0;
            while tried < values.len() {
                let at = (*near + tried) % values.len();
                if same_value(value, &values[at]) {
                    *near = at;
                    return true;
                }
                tried += 1;
            }
            false
        }
        (_, Constraint::Text(_), _) if surely => false,
        (Keyword::Format, Constraint::Text(format), Value::String(text)) => {
            may_have_format(format, text.as_str())
        }
        (
            Keyword::Minimum
            | Keyword::Maximum
            | Keyword::ExclusiveMinimum
            | Keyword::ExclusiveMaximum,
            Constraint::Number(bound),
            Value::Integer(_) | Value::Decimal(_),
        ) => {
            let (is_below, is_above) = order(value, bound);
            match keyword {
                Keyword::Minimum => !is_below,
                Keyword::Maximum => !is_above,
                Keyword::ExclusiveMinimum => is_above,
                _ => is_below,
            }
        }
        (Keyword::MultipleOf, Constraint::Number(of), Value::Integer(number)) => {
            is_multiple(Amount::Integer(*number), Amount::of(of))
        }
        (Keyword::MultipleOf, Constraint::Number(of), Value::Decimal(number)) => is_multiple(
            Amount::Decimal(number.text(), number.value()),
            Amount::of(of),
        ),
        (Keyword::MinLength, Constraint::Count(least), Value::String(text)) => {
            chars_of(text.as_str()) >= least
        }
        (Keyword::MaxLength, Constraint::Count(most), Value::String(text)) => {
            chars_of(text.as_str()) <= most
        }
        (Keyword::MinItems, Constraint::Count(least), Value::Array(items)) => {
            items.as_slice().len() as u64 >= least
        }
        (Keyword::MaxItems, Constraint::Count(most), Value::Array(items)) => {
            items.as_slice().len() as u64 <= most
        }
        _ => true,
    }
}

/// Whether a number is below a bound, and whether it is above the bound.
const fn order(value: &Value, bound: &Bound) -> (bool, bool) {
    match value {
        Value::Integer(number) => {
            let number = Bound::Int(*number);
            (number.is_below(bound), bound.is_below(&number))
        }
        Value::Decimal(number) => (
            number.value() < bound.as_f64(),
            number.value() > bound.as_f64(),
        ),
        _ => (false, false),
    }
}

/// The number of characters, which is the number of bytes that do not continue a character.
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

/// Returns the range of a Rust type that cannot hold an integer of a literal, at every depth. Apart from the
/// range, the literal is expected to fit the type.
pub(super) const fn first_beyond(value: &Value, ty: &Type) -> Option<&'static IntRange> {
    match (ty.kind(), value) {
        (Kind::Int, _) => match ty.host_range() {
            Some(range) if !is_in_range(value, range) => Some(range),
            _ => None,
        },
        (Kind::Array(_) | Kind::Tuple(_), Value::Array(items)) => {
            let items = items.as_slice();
            let mut at = 0;
            while at < items.len() {
                if let Some(element) = element_type(ty, at)
                    && let Some(range) = first_beyond(&items[at], element)
                {
                    return Some(range);
                }
                at += 1;
            }
            None
        }
        (Kind::Union(types), _) => {
            let types = types_of(types);
            let mut beyond = None;
            let mut at = 0;
            while at < types.len() {
                if may_fit(value, &types[at]) {
                    return None;
                }
                if beyond.is_none() {
                    beyond = first_beyond(value, &types[at]);
                }
                at += 1;
            }
            beyond
        }
        (Kind::Object(shape), Value::Map(record)) => {
            let entries = record.entries();
            let mut at = 0;
            while at < entries.len() {
                if let Some(ty) = member_of(shape, entries[at].0.as_str())
                    && let Some(range) = first_beyond(&entries[at].1, ty)
                {
                    return Some(range);
                }
                at += 1;
            }
            None
        }
        _ => None,
    }
}

/// Returns the type of an element of a list, if the list has one at this place.
const fn element_type(list: &Type, at: usize) -> Option<&Type> {
    match list.kind() {
        Kind::Array(element) => Some(element.get()),
        Kind::Tuple(types) if at < types_of(types).len() => Some(&types_of(types)[at]),
        _ => None,
    }
}

/// Returns the type of an object's member, if the object has one for it.
const fn member_of<'t>(shape: &'t Shape, name: &str) -> Option<&'t Type> {
    let fields = shape.fields();
    match find_field(fields, name) {
        Some(at) => Some(fields[at].ty()),
        None => shape.values(),
    }
}

const fn is_in_range(value: &Value, range: &IntRange) -> bool {
    let &(lowest, highest) = range;
    match value {
        Value::Integer(value) => lowest <= *value && *value <= highest,
        Value::Decimal(value) => {
            !is_int_above(lowest, value.value()) && !is_int_below(highest, value.value())
        }
        _ => true,
    }
}
