//! The checks of what attributes say of a parameter or a field, against its Rust type: the words that
//! narrow it, the values it is narrowed to, its default.

use crate::binding::compile_time::{Finding, stop};
use crate::compare::same_value;
use crate::constraints::{Bound, Constraints};
use crate::text::same_text;
use crate::types::{Kind, Shape, Type, fields_of};
use crate::validate::may_have_format;
use agent_gram::Value;
use agent_gram::print::writer::Writer;

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

/// A bound or a count.
#[derive(Clone, Copy)]
pub(crate) enum Limit<'a> {
    Bound(&'a Bound),
    Count(u64),
    Integer(i128),
}

impl Limit<'_> {
    const fn write(self, writer: &mut Writer<'_>) {
        match self {
            Limit::Bound(Bound::Double(value)) => writer.text(value.text()),
            Limit::Bound(Bound::Int(value)) => writer.integer(*value),
            Limit::Count(count) => writer.integer(count as i128),
            Limit::Integer(value) => writer.integer(value),
        }
    }
}

/// What is wrong.
pub(crate) enum OwnMistake<'a> {
    /// A keyword that means nothing for the type.
    Keyword { keyword: &'a str, ty: &'a Type },
    /// A keyword that leaves no value, or allows values that the type does not have.
    Limit {
        keyword: &'a str,
        other: &'a str,
        bound: Limit<'a>,
        widens: bool,
    },
    /// A field that a flattened record brings, and that is there already.
    Twice { name: &'a str },
    /// A default of a field that only some variants of an enum have.
    DefaultOfOne { name: &'a str },
    /// What narrows a field of one variant, or says how it is read, when another has a field of this
    /// name and of another type.
    LostInUnion { name: &'a str },
    /// What narrows the value of one variant, or fills it in, when the values of all are `Any`.
    LostInAny,
    /// A value that the type does not have.
    Value {
        /// What the value is, and what it does not fit.
        what: (&'a str, &'a str),
        value: &'a Value,
        ty: &'a Type,
    },
}

impl OwnMistake<'_> {
    pub(super) const fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Keyword { keyword, ty } => write_misplaced(writer, keyword, ty),
            Self::Limit {
                keyword,
                other,
                bound,
                widens,
            } => {
                writer.text("`");
                writer.text(keyword);
                writer.text(if *widens {
                    "` allows more than the type does: its `"
                } else {
                    "` leaves no value: the type's `"
                });
                writer.text(other);
                writer.text("` is ");
                bound.write(writer);
            }
            Self::Twice { name } => {
                writer.text("the field `");
                writer.text(name);
                writer.text(
                    "` of this record is there already beside it, and an object has it once; rename \
                     one of the two, or make this a field of its own",
                );
            }
            Self::DefaultOfOne { name } => {
                writer.text("the default of the field `");
                writer.text(name);
                writer.text(
                    "` of this record would be filled in for every variant; leave it to serde: \
                     `#[serde(default = \"…\")]` on the field of the record",
                );
            }
            Self::LostInUnion { name } => {
                writer.text("the field `");
                writer.text(name);
                writer.text(
                    "` is in several variants, which are one record in gram: what narrows it in this \
                     one, or says how it is read, cannot be said beside a field of another type; give \
                     it one type in all of them, rename one, or check it in the function",
                );
            }
            Self::LostInAny => writer.text(
                "the variants hold values of several types, which are `Any` in gram: what narrows this \
                 one, says how it is read or fills it in would be lost; let every variant hold a \
                 record, or check it in the function",
            ),
            Self::Value { what, value, ty } => {
                writer.text(what.0);
                writer.text(" `");
                writer.value(value);
                writer.text("` does not fit ");
                writer.text(what.1);
                writer.text(", which is `");
                write_type(writer, ty);
                writer.text("`");
                if let (Value::Integer(_), Some(&(lowest, highest))) = (value, ty.host_range()) {
                    writer.text(" from ");
                    writer.integer(lowest);
                    writer.text(" to ");
                    writer.integer(highest);
                }
            }
        }
    }
}

/// Names the words that mean something for the type.
const fn write_misplaced(writer: &mut Writer<'_>, keyword: &str, ty: &Type) {
    writer.text("`");
    writer.text(keyword);
    writer.text("` goes with ");
    writer.text(kinds_of(keyword));
    writer.text(", and this is `");
    write_type(writer, ty);
    writer.text("`; ");
    let words = words_of(ty);
    if words.is_empty() {
        writer.text("nothing narrows a type of this kind");
        return;
    }
    writer.text("what fits here: ");
    let mut at = 0;
    while at < words.len() {
        if at > 0 {
            writer.text(", ");
        }
        writer.text("`");
        writer.text(words[at]);
        writer.text("`");
        at += 1;
    }
}

/// The label, with what makes a list or a map, and what narrows it.
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
