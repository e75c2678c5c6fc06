//! Numbers and tags that distinguish the types of a union. They are needed because comparing all parts of
//! each type with each other type takes quadratic time, and a `const` may run a limited number of steps.

use super::find_field_near;
use super::value::same_value;
use crate::types::{Field, Kind, MOST_ALTERNATIVES, Shape, Type, fields_of, types_of};
use agent_gram::Value;

/// The fingerprint of each type of a union, by its place.
pub(super) const fn fingerprints(types: &[Type]) -> [u64; MOST_ALTERNATIVES] {
    let mut found = [0; MOST_ALTERNATIVES];
    let mut at = 0;
    while at < types.len() && at < MOST_ALTERNATIVES {
        found[at] = fingerprint(&types[at]);
        at += 1;
    }
    found
}

/// Returns a number that is the same for equal types. It depends on the kinds of values and the names of
/// fields at every depth, and on texts that are the only allowed value.
pub const fn fingerprint(ty: &Type) -> u64 {
    let hash = match ty.kind() {
        Kind::Any => 1,
        Kind::Null => 2,
        Kind::Text => 3,
        Kind::Int => 4,
        Kind::Double => 5,
        Kind::Bool => 6,
        Kind::Array(element) => mixed(7, fingerprint(element.get())),
        Kind::Tuple(types) => mixed(8, sum_of_types(types_of(types))),
        Kind::Union(types) => mixed(9, sum_of_types(types_of(types))),
        Kind::Object(Shape::Open) => 10,
        Kind::Media(media) => mixed(13, *media as u64),
        Kind::Object(Shape::Fields(fields)) => mixed(11, sum_of_fields(fields_of(fields))),
        Kind::Object(Shape::Map(values)) => mixed(12, fingerprint(values.get())),
        Kind::Object(Shape::Extended(fields, values)) => {
            mixed(sum_of_fields(fields_of(fields)), fingerprint(values.get()))
        }
    };
    match ty.constraints().enumeration() {
        [Value::String(text)] => mixed(hash, hash_of(text.as_str())),
        // A tag names only the notation of a text.
        [Value::Tagged(tagged)] => mixed(hash, hash_of(tagged.get().content())),
        _ => hash,
    }
}

/// Combines the fingerprints of types. The order of types does not count.
const fn sum_of_types(types: &[Type]) -> u64 {
    let mut sum: u64 = 0;
    let mut at = 0;
    while at < types.len() {
        sum = sum.wrapping_add(mixed(0, fingerprint(&types[at])));
        at += 1;
    }
    sum
}

/// Combines the names and the fingerprints of fields. The order of fields does not count.
const fn sum_of_fields(fields: &[Field]) -> u64 {
    let mut sum: u64 = 0;
    let mut at = 0;
    while at < fields.len() {
        let (name, ty) = (hash_of(fields[at].name()), fingerprint(fields[at].ty()));
        sum = sum.wrapping_add(mixed(name, ty));
        at += 1;
    }
    sum
}

/// A hash of a text. The loops contain no calls, because each call takes many steps of a `const`.
const fn hash_of(text: &str) -> u64 {
    let mut bytes = text.as_bytes();
    let mut hash = bytes.len() as u64;
    while let [a, b, c, d, rest @ ..] = bytes {
        let four = *a as u64 | (*b as u64) << 8 | (*c as u64) << 16 | (*d as u64) << 24;
        hash = (((hash ^ four) as u128 * FACTOR) >> 16) as u64;
        bytes = rest;
    }
    while let [byte, rest @ ..] = bytes {
        hash = (((hash ^ *byte as u64) as u128 * FACTOR) >> 16) as u64;
        bytes = rest;
    }
    hash
}

const fn mixed(first: u64, second: u64) -> u64 {
    let first = (((first ^ 1) as u128 * FACTOR) >> 16) as u64;
    (((first ^ second) as u128 * FACTOR) >> 16) as u64
}

/// A large odd number of 64 bits, so that each bit of a product depends on many bits.
const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;

/// Whether the tag of a record has a value that the other record's tag does not allow. A tag is a field
/// with one allowed value, as in `{kind: "circle", radius: 1.5}`.
pub const fn has_other_tag(inner: &Type, outer: &Type) -> bool {
    let (Kind::Object(inner), Kind::Object(outer)) = (inner.kind(), outer.kind()) else {
        return false;
    };
    let (inner, outer) = (inner.fields(), outer.fields());
    let mut at = 0;
    while at < inner.len() {
        if let Kind::Text = inner[at].ty().kind()
            && let [value] = inner[at].ty().constraints().enumeration()
            && let Some(other) = find_field_near(outer, inner[at].name(), at)
        {
            let allowed = outer[other].ty().constraints().enumeration();
            if !allowed.is_empty() && !is_among(value, allowed) {
                return true;
            }
        }
        at += 1;
    }
    false
}

const fn is_among(value: &Value, values: &[Value]) -> bool {
    let mut at = 0;
    while at < values.len() {
        if same_value(value, &values[at]) {
            return true;
        }
        at += 1;
    }
    false
}
