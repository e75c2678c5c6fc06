//! What is said of a mistake in what `#[tool]` and the derive say of a type, in a `const`.

use super::own::{kinds_of, words_of};
use crate::types::{Bound, Kind, Type};
use agent_gram::Value;
use agent_gram::print::writer::Writer;

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
