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

/// Whether a literal is of a type and satisfies its constraints, as far as a `const` can check: patterns
/// and most formats are checked at each call.
pub const fn may_fit(value: &Value, ty: &Type) -> bool {
    fits(value, ty, false, &mut 0)
}

/// Whether a literal certainly is of a type and satisfies its constraints: `false` when a pattern or a
/// format decides. `near` is the place from which an allowed value is searched, and becomes the place where it is
/// found: two lists mostly have one order.
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
        (Kind::Array(element), Value::Array(items)) => {
            let items = items.as_slice();
            let mut at = 0;
            while at < items.len() {
                if !fits(&items[at], element.get(), surely, &mut 0) {
                    return false;
                }
                at += 1;
            }
            true
        }
        (Kind::Tuple(types), Value::Array(items)) => {
            let (types, items) = (types_of(types), items.as_slice());
            let mut at = 0;
            while at < items.len() && at < types.len() {
                if !fits(&items[at], &types[at], surely, &mut 0) {
                    return false;
                }
                at += 1;
            }
            items.len() == types.len()
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
            while let Some(values) = shape.values()
                && at < entries.len()
            {
                let (key, value) = &entries[at];
                if find_field(fields, key.as_str()).is_none()
                    && !fits(value, values, surely, &mut 0)
                {
                    return false;
                }
                at += 1;
            }
            at = 0;
            while at < fields.len() {
                let mut found = fields[at].is_optional();
                let mut entry = 0;
                while entry < entries.len() {
                    if same_text(entries[entry].0.as_str(), fields[at].name()) {
                        if !fits(&entries[entry].1, fields[at].ty(), surely, &mut 0) {
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

/// Whether a literal certainly satisfies a constraint: `false` when a pattern or a format decides. `near` is that of
/// [`surely_fits`].
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
        (Keyword::Minimum, Constraint::Number(least), Value::Integer(number)) => {
            !Bound::Int(*number).is_below(least)
        }
        (Keyword::Minimum, Constraint::Number(least), Value::Decimal(number)) => {
            number.value() >= least.as_f64()
        }
        (Keyword::Maximum, Constraint::Number(most), Value::Integer(number)) => {
            !most.is_below(&Bound::Int(*number))
        }
        (Keyword::Maximum, Constraint::Number(most), Value::Decimal(number)) => {
            number.value() <= most.as_f64()
        }
        (Keyword::ExclusiveMinimum, Constraint::Number(least), Value::Integer(number)) => {
            least.is_below(&Bound::Int(*number))
        }
        (Keyword::ExclusiveMinimum, Constraint::Number(least), Value::Decimal(number)) => {
            number.value() > least.as_f64()
        }
        (Keyword::ExclusiveMaximum, Constraint::Number(most), Value::Integer(number)) => {
            Bound::Int(*number).is_below(most)
        }
        (Keyword::ExclusiveMaximum, Constraint::Number(most), Value::Decimal(number)) => {
            number.value() < most.as_f64()
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

/// Returns the first integer of a literal that the Rust types behind a type cannot hold, at every depth,
/// with the range of the Rust type. The literal is of the type otherwise.
pub const fn first_beyond<'v>(
    value: &'v Value,
    ty: &Type,
) -> Option<(&'v Value, &'static IntRange)> {
    match (ty.kind(), value) {
        (Kind::Int, _) => match ty.host_range() {
            Some(range) if !is_in_range(value, range) => Some((value, range)),
            _ => None,
        },
        (Kind::Array(element), Value::Array(items)) => {
            let items = items.as_slice();
            let mut at = 0;
            while at < items.len() {
                let found = first_beyond(&items[at], element.get());
                if found.is_some() {
                    return found;
                }
                at += 1;
            }
            None
        }
        (Kind::Tuple(types), Value::Array(items)) => {
            let (types, items) = (types_of(types), items.as_slice());
            let mut at = 0;
            while at < items.len() && at < types.len() {
                let found = first_beyond(&items[at], &types[at]);
                if found.is_some() {
                    return found;
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
                if let Some(ty) = member_of(shape, entries[at].0.as_str()) {
                    let found = first_beyond(&entries[at].1, ty);
                    if found.is_some() {
                        return found;
                    }
                }
                at += 1;
            }
            None
        }
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
