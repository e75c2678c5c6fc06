//! Checks the attributes of a parameter or a field against its Rust type: the keywords that narrow it,
//! its allowed values, its default.

use crate::compare::{is_bound_beyond, may_fit};
use crate::constraints::{Bound, Constraint, Constraints};
use crate::keyword::{Keyword, Side};
use crate::multiple::{Amount, is_multiple};
use crate::types::{Kind, Shape, Type, types_of};
use crate::write::write_constraint;
use agent_gram::Value;
use agent_gram::print::writer::{PANIC_TEXT, Writer, panic_with};

/// Panics with a message when the default of a function's parameter does not fit its type. `ty` is
/// `None` for a context, which has no default.
#[track_caller]
pub const fn check_own_default(ty: Option<&'static Type>, default: &'static Value) {
    match ty {
        None => panic!("the context of a call takes no default"),
        Some(ty) if !may_fit(default, ty) => {
            stop_at_value("the default", default, "the parameter", ty)
        }
        Some(_) => {}
    }
}

/// Panics with a message about the default of a field that only some variants of an enum have.
#[track_caller]
pub(crate) const fn stop_at_default_of_one(field: &str) -> ! {
    panic_with(&[
        "the default of the field `",
        field,
        "` of this record would be filled in for every variant; leave it to serde: \
         `#[serde(default = \"…\")]` on the field of the record",
    ])
}

/// Panics with a message about a keyword on a field of one variant, where another variant has a field of
/// this name and of another type.
#[track_caller]
pub(crate) const fn stop_at_lost_field(field: &str) -> ! {
    panic_with(&[
        "the field `",
        field,
        "` is in several variants, which are one record in gram: what narrows it in this one, or says \
         how it is read, cannot be said beside a field of another type; give it one type in all of \
         them, rename one, or check it in the function",
    ])
}

/// Panics with a message about a field that has other aliases in another variant.
#[track_caller]
pub(crate) const fn stop_at_other_aliases(field: &str) -> ! {
    panic_with(&[
        "the field `",
        field,
        "` is in several variants, which are one record in gram, and has other aliases in an earlier one; give it the \
         same `#[serde(alias = \"…\")]` in the same order in all of them",
    ])
}

/// Panics with a message when serde cannot read an integer in a value that it first holds in a buffer, as it does in
/// enums with a tag, in enums without any and in flattened fields.
#[track_caller]
pub(crate) const fn check_buffered(ty: &Type) {
    if holds_wide_integer(ty) {
        panic!(
            "serde cannot read an integer of 128 bits in an enum with a tag, in an untagged one or in a flattened \
             field, because it holds the values in a buffer of 64 bits first, so that each call would fail; hold an \
             `i64` or a `u64`, or the digits as a `String`"
        );
    }
}

/// Whether an integer of the type, or in it, has more than 64 bits.
const fn holds_wide_integer(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Int => match ty.host_range() {
            Some(&(lowest, highest)) => lowest < i64::MIN as i128 || highest > u64::MAX as i128,
            None => false,
        },
        Kind::Array(of) => holds_wide_integer(of.get()),
        Kind::Tuple(types) | Kind::Union(types) => {
            let types = types_of(types);
            let mut at = 0;
            while at < types.len() {
                if holds_wide_integer(&types[at]) {
                    return true;
                }
                at += 1;
            }
            false
        }
        Kind::Object(shape) => {
            let fields = shape.fields();
            let mut at = 0;
            while at < fields.len() {
                if holds_wide_integer(fields[at].ty()) {
                    return true;
                }
                at += 1;
            }
            match shape.values() {
                Some(values) => holds_wide_integer(values),
                None => false,
            }
        }
        _ => false,
    }
}

/// Panics with a message about a value that does not fit a type. `role` is the role of the value, and
/// `owner` has the type.
#[track_caller]
const fn stop_at_value(role: &str, value: &Value, owner: &str, ty: &Type) -> ! {
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    writer.texts(&[role, " `"]);
    writer.value(value);
    writer.texts(&["` does not fit ", owner, ", which is `"]);
    write_type(&mut writer, ty);
    writer.text("`");
    if let (Value::Integer(_), Some(&(lowest, highest))) = (value, ty.host_range()) {
        writer.text(" from ");
        writer.integer(lowest);
        writer.text(" to ");
        writer.integer(highest);
    }
    writer.panic()
}

/// Panics with a message when the default of a record's field does not fit the field's type.
#[track_caller]
pub const fn check_field_default(ty: &'static Type, default: &'static Value) {
    if !may_fit(default, ty) {
        stop_at_value("the default", default, "the field", ty);
    }
}

/// Panics with a message when the value of a variant without a tag may be missing.
#[track_caller]
pub const fn check_variant_value(ty: &'static Type) {
    if ty.is_optional() {
        panic!(
            "serde needs the value of this variant, and `null` means that a value is missing; hold the \
             value without `Option` and add a variant without data, or name the field: \
             `{{ value: Option<T> }}`"
        );
    }
}

/// Panics with a message when the content of an internally tagged variant is no record.
#[track_caller]
pub const fn check_variant_record(ty: &'static Type) {
    if !matches!(ty.kind(), Kind::Object(Shape::Fields(_))) && !ty.is_refused() {
        panic!(
            "beside its tag a variant must hold a record, since the fields stand beside the tag: a \
             struct with named fields that derives `GramType`; name the field, `{{ value: T }}`, or \
             add `content = \"value\"` to the tag"
        )
    }
}

/// Panics with a message when a field that serde may leave out when writing is required for reading.
#[track_caller]
pub const fn check_may_be_missing(ty: &'static Type) {
    if !ty.is_optional() && !ty.is_refused() {
        panic!(
            "a value that is written without this field cannot be read again; add \
             `#[serde(default)]`, which makes the field optional in gram, too"
        );
    }
}

/// Panics with a message when a newtype contains an optional value. As a field it would be required,
/// although its type is optional.
#[track_caller]
pub const fn check_not_optional(ty: &'static Type) {
    if ty.is_optional() {
        panic!(
            "serde does not let a newtype of an `Option` be missing; add `#[serde(transparent)]`, \
             or put the `Option` around the newtype"
        );
    }
}

/// Panics with a message when a value that the attribute `enum` lists does not fit the type.
#[track_caller]
pub const fn check_choice(ty: Option<&'static Type>, value: &'static Value) {
    if let Some(ty) = ty
        && !may_fit(value, ty)
    {
        stop_at_value("the value", value, "the type", ty);
    }
}

/// Panics with a message when a keyword that narrows a type, such as `minimum`, does not apply to the
/// type, allows more than the type, or leaves no value. `ty` is the type before it is narrowed, and
/// `None` for the context of a call. `by` has all keywords that are given together.
#[track_caller]
pub const fn check_keyword(ty: Option<&'static Type>, keyword: Keyword, by: &'static Constraints) {
    let Some(ty) = ty else {
        panic!("the context of a call is no argument, and nothing narrows it")
    };
    if !applies_to(keyword, ty) {
        stop_at_keyword(keyword, ty);
    }
    if let Some(found) = limit_of(keyword, ty, by) {
        stop_at_limit(keyword, ty, &found);
    }
}

/// Whether an attribute can narrow a type by a keyword. The kind of a value of `Any` is decided at the call.
/// Objects have no values that an attribute could list.
const fn applies_to(keyword: Keyword, ty: &Type) -> bool {
    match ty.kind() {
        Kind::Object(_) | Kind::Null | Kind::Media(_) => false,
        // No attribute has a JSON Schema.
        Kind::Any => !keyword.is(Keyword::Schema),
        // The number of a tuple's elements is fixed, and the values that an attribute lists cannot be lists.
        Kind::Tuple(_) => false,
        Kind::Union(_) => keyword.is(Keyword::Enum),
        kind => kind.is_in(keyword.family()),
    }
}

/// Returns the limit of a type that a keyword exceeds.
const fn limit_of(
    keyword: Keyword,
    ty: &'static Type,
    by: &'static Constraints,
) -> Option<OwnLimit> {
    let Some(given) = by.get(keyword) else {
        return None;
    };
    let own = ty.constraints();
    let (other, is_least) = match keyword.side() {
        Side::Least(other) => (other, true),
        Side::Greatest(other) => (other, false),
        Side::Multiple => {
            return match (given, own.get(keyword)) {
                (Constraint::Number(given), Some(Constraint::Number(limit)))
                    if !is_multiple(Amount::of(given), Amount::of(limit)) =>
                {
                    own_limit(keyword, Constraint::Number(limit), true)
                }
                _ => None,
            };
        }
        Side::Exact | Side::OneOf => return None,
    };
    if let Some(limit) = own.get(keyword)
        && is_outside(limit, given, is_least)
    {
        return own_limit(keyword, limit, true);
    }
    if by.get(other).is_none()
        && let Some(limit) = own.get(other)
        && is_outside(given, limit, is_least)
    {
        return own_limit(other, limit, false);
    }
    let (Some(range), Constraint::Number(bound)) = (ty.host_range(), given) else {
        return None;
    };
    if !is_bound_beyond(by, keyword, range) {
        return None;
    }
    // The bound is outside of the range, so it is below the range or above it.
    let is_below = bound.is_below(&Bound::Int(range.1));
    let end = if is_below {
        Keyword::Minimum
    } else {
        Keyword::Maximum
    };
    Some(OwnLimit {
        keyword: end,
        limit: None,
        widens: is_least == is_below,
    })
}

/// Whether a limit lies on the wrong side of another: below a least, above a greatest.
const fn is_outside(limit: Constraint<'_>, given: Constraint<'_>, is_least: bool) -> bool {
    if is_least {
        given.is_below(limit)
    } else {
        limit.is_below(given)
    }
}

const fn own_limit(keyword: Keyword, limit: Constraint<'static>, widens: bool) -> Option<OwnLimit> {
    Some(OwnLimit {
        keyword,
        limit: Some(limit),
        widens,
    })
}

/// A limit that a type has itself, and that a keyword does not keep to.
struct OwnLimit {
    keyword: Keyword,
    /// `None` for an end of the range of the Rust integer.
    limit: Option<Constraint<'static>>,
    /// Whether the keyword allows more than the type. Otherwise it leaves no value.
    widens: bool,
}

/// Panics with a message about a keyword that does not keep to a limit of the type.
#[track_caller]
const fn stop_at_limit(keyword: Keyword, ty: &Type, found: &OwnLimit) -> ! {
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    let found_to = if found.widens {
        "` allows more than the type does: its `"
    } else {
        "` leaves no value: the type's `"
    };
    writer.texts(&["`", keyword.word(), found_to, found.keyword.word(), "` is "]);
    match (found.limit, ty.host_range()) {
        (Some(limit), _) => write_constraint(&mut writer, limit),
        (None, Some((lowest, _))) if found.keyword.is(Keyword::Minimum) => writer.integer(*lowest),
        (None, Some((_, highest))) => writer.integer(*highest),
        (None, None) => {}
    }
    writer.panic()
}

/// Panics with a message that names the keywords by which an attribute can narrow the type.
#[track_caller]
const fn stop_at_keyword(keyword: Keyword, ty: &Type) -> ! {
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    let family = keyword.family().words();
    writer.texts(&[
        "`",
        keyword.word(),
        "` goes with ",
        family,
        ", and this is `",
    ]);
    write_type(&mut writer, ty);
    writer.text("`; ");
    let mut is_first = true;
    let mut at = 0;
    while at < Keyword::CONSTRAINTS.len() {
        let other = Keyword::CONSTRAINTS[at];
        if applies_to(other, ty) {
            writer.text(if is_first {
                "keywords for this type: `"
            } else {
                "`, `"
            });
            writer.text(other.word());
            is_first = false;
        }
        at += 1;
    }
    writer.text(if is_first {
        "nothing narrows a type of this kind"
    } else {
        "`"
    });
    writer.panic()
}

/// Writes the label with its elements, values or fields, and its constraints.
const fn write_type(writer: &mut Writer<'_>, ty: &Type) {
    match ty.kind() {
        Kind::Array(element) if !matches!(element.get().kind(), Kind::Any) => {
            writer.text("Array of ");
            writer.text(element.get().label());
        }
        _ => writer.text(ty.label()),
    }
    if let Some(format) = &ty.constraints().format {
        writer.text("` of the format `");
        writer.text(format.as_str());
    }
    let values = ty.constraints().enumeration();
    if values.is_empty() {
        return;
    }
    writer.text("`, one of `");
    let mut at = 0;
    while at < values.len() {
        if at > 0 {
            writer.text("`, `");
        }
        if at == 20 {
            writer.text("…");
            return;
        }
        writer.value(&values[at]);
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{check_keyword, limit_of};
    use crate::GramType;
    use crate::constraints::{Bound, Constraint, Constraints};
    use crate::keyword::Keyword;
    use crate::types::{Kind, Type};

    fn bounded(keyword: Keyword, bound: i128) -> &'static Constraints {
        let mut constraints = Constraints::NONE;
        constraints.set(keyword, Constraint::Number(&Bound::Int(bound)));
        Box::leak(Box::new(constraints))
    }

    /// Checks each keyword at both ends of a type's range: the first and the last number that the keyword
    /// accepts.
    fn check_ends<T: GramType>() {
        let &(lowest, highest) = T::TYPE.host_range().expect("an integer");
        for (keyword, first, last) in [
            (Keyword::Minimum, Some(lowest), Some(highest)),
            (Keyword::Maximum, Some(lowest), Some(highest)),
            (
                Keyword::ExclusiveMinimum,
                lowest.checked_sub(1),
                highest.checked_sub(1),
            ),
            (
                Keyword::ExclusiveMaximum,
                lowest.checked_add(1),
                highest.checked_add(1),
            ),
        ] {
            let is_refused = |bound| limit_of(keyword, T::TYPE, bounded(keyword, bound)).is_some();
            let outside = [
                first.and_then(|bound| bound.checked_sub(1)),
                last.and_then(|bound| bound.checked_add(1)),
            ];
            for bound in [first, last].into_iter().flatten() {
                assert!(!is_refused(bound), "{keyword:?} {bound} of {:?}", T::TYPE);
            }
            for bound in outside.into_iter().flatten() {
                assert!(is_refused(bound), "{keyword:?} {bound} of {:?}", T::TYPE);
            }
        }
    }

    #[test]
    fn bounds_may_be_at_the_ends_of_each_integer_type() {
        check_ends::<u8>();
        check_ends::<u16>();
        check_ends::<u32>();
        check_ends::<u64>();
        check_ends::<u128>();
        check_ends::<usize>();
        check_ends::<i8>();
        check_ends::<i16>();
        check_ends::<i32>();
        check_ends::<i64>();
        check_ends::<i128>();
        check_ends::<isize>();
    }

    #[test]
    fn multiples_narrow_the_multiples_of_the_type() {
        let fives = Type::new(Kind::Int).with_constraints(bounded(Keyword::MultipleOf, 5).clone());
        let fives: &'static Type = Box::leak(Box::new(fives));
        for (multiple, is_refused) in [(5, false), (10, false), (3, true), (1, true)] {
            let by = bounded(Keyword::MultipleOf, multiple);
            let found = limit_of(Keyword::MultipleOf, fives, by);
            assert_eq!(found.is_some(), is_refused, "multiples of {multiple}");
        }
    }

    #[test]
    fn bounds_beyond_an_integer_type_name_its_end() {
        for (keyword, bound, message) in [
            (
                Keyword::Minimum,
                -1,
                "`minimum` allows more than the type does: its `minimum` is 0",
            ),
            (
                Keyword::Minimum,
                256,
                "`minimum` leaves no value: the type's `maximum` is 255",
            ),
            (
                Keyword::Maximum,
                -1,
                "`maximum` leaves no value: the type's `minimum` is 0",
            ),
            (
                Keyword::ExclusiveMinimum,
                -2,
                "`exclusive_minimum` allows more than the type does: its `minimum` is 0",
            ),
            (
                Keyword::ExclusiveMinimum,
                255,
                "`exclusive_minimum` leaves no value: the type's `maximum` is 255",
            ),
            (
                Keyword::ExclusiveMaximum,
                0,
                "`exclusive_maximum` leaves no value: the type's `minimum` is 0",
            ),
            (
                Keyword::ExclusiveMaximum,
                257,
                "`exclusive_maximum` allows more than the type does: its `maximum` is 255",
            ),
        ] {
            let by = bounded(keyword, bound);
            let panic = std::panic::catch_unwind(|| check_keyword(Some(u8::TYPE), keyword, by));
            let panic = panic.expect_err(message);
            let text = panic.downcast_ref::<String>().expect("a text");
            assert_eq!(text, message);
        }
    }
}
