//! The checks of what attributes say of a parameter or a field, against its Rust type: the words that
//! narrow it, the values it is narrowed to, its default.

use super::compare::same_text;
use super::literal::{below, value_fits};
use super::own_mistake::{Limit, OwnMistake};
use super::stop::{Finding, stop};
use crate::types::{Bound, Constraints, Kind, Shape, Type, fields_of};
use agent_gram::Value;

/// Stops with a message when the default of a function's parameter does not fit its type. `ty` is
/// nothing for a context, which takes no default.
#[track_caller]
pub const fn check_own_default(ty: Option<&'static Type>, default: &'static Value) {
    match ty {
        None => panic!("the context of a call takes no default"),
        Some(ty) if !value_fits(default, ty) => stop_at(OwnMistake::Value {
            what: ("the default", "the parameter"),
            value: default,
            ty,
        }),
        Some(_) => {}
    }
}

/// Stops with a message that says what is wrong.
#[track_caller]
pub(crate) const fn stop_at(mistake: OwnMistake<'_>) -> ! {
    stop(&Finding::Own(mistake))
}

/// Stops with a message when the default of a record's field does not fit the field's type.
#[track_caller]
pub const fn check_field_default(ty: &'static Type, default: &'static Value) {
    if !value_fits(default, ty) {
        stop_at(OwnMistake::Value {
            what: ("the default", "the field"),
            value: default,
            ty,
        });
    }
}

/// Stops with a message when what is flattened into a record, or is the content of an internally
/// tagged variant, is no record: gram has no words for further keys.
#[track_caller]
pub const fn check_flattened(ty: &'static Type) {
    match ty.kind() {
        Kind::Object(Shape::Fields(_)) => {}
        Kind::Object(_) => panic!(
            "gram cannot say that a record has further keys of any name, so a map cannot be \
             flattened; make it a field of its own, or write `#[gram(opaque)]` on the type that \
             holds it"
        ),
        _ => panic!(
            "only a record can be flattened: a struct with named fields that derives `GramType`; \
             make this a field of its own, or write `#[gram(opaque)]` on the type that holds it"
        ),
    }
}

/// Stops with a message when the content of an internally tagged variant is no record.
#[track_caller]
pub const fn check_variant_record(ty: &'static Type) {
    if !matches!(ty.kind(), Kind::Object(Shape::Fields(_))) {
        panic!(
            "beside its tag a variant must hold a record, since the fields stand beside the tag: a \
             struct with named fields that derives `GramType`; name the field, `{{ value: T }}`, or \
             add `content = \"value\"` to the tag"
        )
    }
}

/// Stops with a message when a flattened record has a field of a name that the record around it has
/// already: in `names`, or in a record flattened `before`.
#[track_caller]
pub const fn check_flattened_names(
    ty: &'static Type,
    names: &[&'static str],
    before: &[&'static Type],
) {
    let Kind::Object(Shape::Fields(fields)) = ty.kind() else {
        return;
    };
    let fields = fields_of(fields);
    let mut at = 0;
    while at < fields.len() {
        let name = fields[at].name();
        let mut other = 0;
        let mut twice = false;
        while other < names.len() {
            twice |= same_text(names[other], name);
            other += 1;
        }
        other = 0;
        while other < before.len() {
            twice |= has_field(before[other], name);
            other += 1;
        }
        if twice {
            stop_at(OwnMistake::Twice { name });
        }
        at += 1;
    }
}

const fn has_field(ty: &Type, name: &str) -> bool {
    let Kind::Object(Shape::Fields(fields)) = ty.kind() else {
        return false;
    };
    let fields = fields_of(fields);
    let mut at = 0;
    while at < fields.len() {
        if same_text(fields[at].name(), name) {
            return true;
        }
        at += 1;
    }
    false
}

/// Stops with a message when a field that is not always written must be there to be read.
#[track_caller]
pub const fn check_may_be_missing(ty: &'static Type) {
    if !ty.is_optional() {
        panic!(
            "a value that is written without this field cannot be read again; add \
             `#[serde(default)]`, which makes the field optional in gram, too"
        );
    }
}

/// Stops with a message when a newtype holds an optional value: as a field it would have to be
/// there, although its type says that it may be missing.
#[track_caller]
pub const fn check_not_optional(ty: &'static Type) {
    if ty.is_optional() {
        panic!(
            "serde does not let a newtype of an `Option` be missing; add `#[serde(transparent)]`, \
             or put the `Option` around the newtype"
        );
    }
}

/// Stops with a message when a value that the attribute `enum` lists does not fit the type.
#[track_caller]
pub const fn check_choice(ty: Option<&'static Type>, value: &'static Value) {
    if let Some(ty) = ty
        && !value_fits(value, ty)
    {
        stop_at(OwnMistake::Value {
            what: ("the value", "the type"),
            value,
            ty,
        });
    }
}

/// Stops with a message when a word that narrows a type, such as `minimum`, means nothing for it,
/// allows what the type does not, or leaves no value. `ty` is the type before it is narrowed, and
/// nothing for a context; `by` is all that is said around it.
#[track_caller]
pub const fn check_keyword(
    ty: Option<&'static Type>,
    keyword: &'static str,
    by: &'static Constraints,
) {
    let Some(ty) = ty else {
        panic!("the context of a call is no argument, and nothing narrows it")
    };
    if !goes_with(keyword, ty) {
        stop_at(OwnMistake::Keyword { keyword, ty });
    }
    if let Some(found) = limit_of(keyword, ty, by) {
        stop_at(found);
    }
}

/// The words for a type, as attributes spell them; none when nothing narrows it. A list, a map and a
/// record have no values that an attribute could list.
pub(super) const fn words_of(ty: &Type) -> &'static [&'static str] {
    match ty.kind() {
        Kind::Text => &["enum", "min_length", "max_length", "pattern", "format"],
        Kind::Int | Kind::Double => &["enum", "minimum", "maximum"],
        Kind::Bool => &["enum"],
        Kind::Array(_) => &["min_items", "max_items", "enum"],
        Kind::Object(_) | Kind::Null => &[],
        Kind::Any => &[
            "enum",
            "minimum",
            "maximum",
            "min_length",
            "max_length",
            "pattern",
            "format",
            "min_items",
            "max_items",
        ],
    }
}

const fn goes_with(keyword: &str, ty: &Type) -> bool {
    let words = words_of(ty);
    let mut at = 0;
    while at < words.len() {
        if same_text(words[at], keyword) {
            return true;
        }
        at += 1;
    }
    false
}

/// What a word goes with, in words.
pub(super) const fn kinds_of(keyword: &str) -> &'static str {
    match keyword.as_bytes() {
        b"minimum" | b"maximum" => "`Int` and `Double`",
        b"min_items" | b"max_items" => "`Array`",
        b"enum" => "`Text`, numbers, `Bool` and `Array`",
        _ => "`Text`",
    }
}

/// What is wrong with a limit beside those that the type has itself.
const fn limit_of(
    keyword: &'static str,
    ty: &'static Type,
    by: &'static Constraints,
) -> Option<OwnMistake<'static>> {
    let own = ty.constraints();
    match keyword.as_bytes() {
        b"minimum" => {
            let Some(bound) = &by.minimum else {
                return None;
            };
            if let Some(least) = &own.minimum
                && below(bound, least)
            {
                return limit(keyword, keyword, Limit::Bound(least), true);
            }
            if let (Some(most), None) = (&own.maximum, &by.maximum)
                && below(most, bound)
            {
                return limit(keyword, "maximum", Limit::Bound(most), false);
            }
            match ty.host_range() {
                Some(&(_, highest)) if below(&Bound::Int(highest), bound) => {
                    limit(keyword, "maximum", Limit::Integer(highest), false)
                }
                _ => None,
            }
        }
        b"maximum" => {
            let Some(bound) = &by.maximum else {
                return None;
            };
            if let Some(most) = &own.maximum
                && below(most, bound)
            {
                return limit(keyword, keyword, Limit::Bound(most), true);
            }
            if let (Some(least), None) = (&own.minimum, &by.minimum)
                && below(bound, least)
            {
                return limit(keyword, "minimum", Limit::Bound(least), false);
            }
            match ty.host_range() {
                Some(&(lowest, _)) if below(bound, &Bound::Int(lowest)) => {
                    limit(keyword, "minimum", Limit::Integer(lowest), false)
                }
                _ => None,
            }
        }
        b"min_length" => {
            let others = [own.min_length, own.max_length, by.max_length];
            least_of(keyword, "max_length", by.min_length, others)
        }
        b"max_length" => {
            let others = [own.max_length, own.min_length, by.min_length];
            most_of(keyword, "min_length", by.max_length, others)
        }
        b"min_items" => {
            let others = [own.min_items, own.max_items, by.max_items];
            least_of(keyword, "max_items", by.min_items, others)
        }
        b"max_items" => {
            let others = [own.max_items, own.min_items, by.min_items];
            most_of(keyword, "min_items", by.max_items, others)
        }
        _ => None,
    }
}

const fn limit(
    keyword: &'static str,
    other: &'static str,
    bound: Limit<'static>,
    widens: bool,
) -> Option<OwnMistake<'static>> {
    Some(OwnMistake::Limit {
        keyword,
        other,
        bound,
        widens,
    })
}

/// A least count beside the type's own least and greatest, and a greatest given with it.
const fn least_of(
    keyword: &'static str,
    other: &'static str,
    count: Option<u64>,
    [least, most, given]: [Option<u64>; 3],
) -> Option<OwnMistake<'static>> {
    match (count, least, most, given) {
        (Some(count), Some(least), ..) if count < least => {
            limit(keyword, keyword, Limit::Count(least), true)
        }
        (Some(count), _, Some(most), None) if count > most => {
            limit(keyword, other, Limit::Count(most), false)
        }
        _ => None,
    }
}

const fn most_of(
    keyword: &'static str,
    other: &'static str,
    count: Option<u64>,
    [most, least, given]: [Option<u64>; 3],
) -> Option<OwnMistake<'static>> {
    match (count, most, least, given) {
        (Some(count), Some(most), ..) if count > most => {
            limit(keyword, keyword, Limit::Count(most), true)
        }
        (Some(count), _, Some(least), None) if count < least => {
            limit(keyword, other, Limit::Count(least), false)
        }
        _ => None,
    }
}
