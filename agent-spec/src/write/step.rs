//! The parts of a type, as the steps of a trail to one of them.

use crate::text::same_text;

/// The keys of a field's record, each at the place that is its number. What else has a type, takes all
/// but a few.
pub(crate) const KEYS: [&str; 17] = [
    "name",
    "type",
    "default",
    "optional",
    "description",
    "elementType",
    "valueType",
    "fields",
    "enum",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
];

pub(crate) const NAME: u16 = 0;
pub(crate) const TYPE: u16 = 1;
pub(crate) const DEFAULT: u16 = 2;
pub(crate) const OPTIONAL: u16 = 3;
pub(crate) const DESCRIPTION: u16 = 4;
pub(crate) const ELEMENT: u16 = 5;
pub(crate) const VALUE: u16 = 6;
pub(crate) const FIELDS: u16 = 7;

/// The first field of `fields`; the others follow.
pub(crate) const FIELD: u16 = 64;

/// The number of a key; one that no key has for a key that is none of a type.
pub(crate) const fn step_of(key: &str) -> u16 {
    let mut at = 0;
    while at < KEYS.len() && !same_text(KEYS[at], key) {
        at += 1;
    }
    at as u16
}

/// The key of a step, if it is one.
pub(crate) const fn key_of(step: u16) -> Option<&'static str> {
    if (step as usize) < KEYS.len() {
        Some(KEYS[step as usize])
    } else {
        None
    }
}

/// Whether the part is the value alone. Of what narrows a type the key says more than the value.
pub(crate) const fn starts_after_key(step: u16) -> bool {
    step <= FIELDS && step != OPTIONAL
}
