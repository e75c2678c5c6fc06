//! Unions of records that are distinguished by their only key: the enums that serde writes as the name of
//! a variant, or as an object whose only key is the name.

use crate::host::Host;
use crate::json_value::{Path, describe, shorten};
use crate::names::nearest;
use crate::types::{Field, Kind, Shape, Type, fields_of};
use crate::validate::aliases::{is_named, member_of};
use crate::validate::violation::Violation;
use crate::validate::words::{MOST_NAMED, labels_in_words, one_of, text_of};
use serde_json::{Map, Value};

/// The types of a union.
#[derive(Clone, Copy)]
pub(super) struct UnionOf<'t> {
    pub(super) types: &'t [Type],
    /// Whether the implementation reads an object with exactly one key.
    is_enum: bool,
}

impl<'t> UnionOf<'t> {
    /// Creates the union. `whole` has the type of the union and the type of the implementation.
    pub(super) fn new(types: &'t [Type], whole: [Option<&Type>; 2]) -> Self {
        let host = |ty: &Type| matches!(ty.host(), Some(Host::Variants));
        let is_enum = whole.into_iter().flatten().any(host);
        Self { types, is_enum }
    }

    /// Returns the fields of the variants that hold a value: the only field of each.
    fn fields(self) -> impl Iterator<Item = &'t Field> + Clone {
        self.types.iter().filter_map(variant_field)
    }

    /// Returns the names of the variants that hold a value.
    fn keys(self) -> impl Iterator<Item = &'t str> + Clone {
        self.fields().map(Field::name)
    }

    /// Returns the names of the variants without a value.
    fn words(self) -> impl Iterator<Item = &'t agent_gram::Value> + Clone {
        let types = self.types.iter();
        types.flat_map(|ty| ty.constraints().enumeration())
    }

    /// Whether the records of the union are distinguished by their only key.
    pub(super) fn has_variants(self) -> bool {
        let least = if self.is_enum { 1 } else { 2 };
        self.keys().nth(least - 1).is_some()
    }

    /// Whether a type is a record of another variant than the one that an object names. An object that
    /// names several variants belongs to no variant.
    pub(super) fn is_other_variant(self, ty: &Type, value: &Value) -> bool {
        let (Some(field), Value::Object(members)) = (variant_field(ty), value) else {
            return false;
        };
        if member_of(field, members).is_none() {
            return self.has_variants();
        }
        self.is_enum && members.len() > 1 && self.named(members).nth(1).is_some()
    }

    fn named<'v>(self, members: &'v Map<String, Value>) -> impl Iterator<Item = &'v str>
    where
        't: 'v,
    {
        let fields = self.fields();
        let is_key = move |name: &&str| fields.clone().any(|field| is_named(field, name));
        members.keys().map(String::as_str).filter(is_key)
    }

    /// Whether the mistake of a value is its variant, also when the value has the form of another type of
    /// the union.
    pub(super) fn is_about_variants(self, value: &Value) -> bool {
        self.has_variants()
            && match value {
                // A text is the name of a variant unless another text is allowed.
                Value::String(_) => self
                    .types
                    .iter()
                    .filter(|ty| matches!(ty.kind(), Kind::Text))
                    .all(|ty| !ty.constraints().enumeration().is_empty()),
                Value::Object(members) => {
                    let mut named = self.named(members);
                    let is_named = named.next().is_some();
                    self.is_enum && named.next().is_some()
                        || !is_named
                            && only_key(members)
                                .is_some_and(|key| nearest(key, self.keys()).is_some())
                }
                _ => false,
            }
    }

    /// Creates the violation of a value that names no variant.
    pub(super) fn wrong_variant(self, value: &Value, path: Path<'_>) -> Violation {
        let found = match value {
            Value::Object(members) => found_keys(members),
            value => describe(value),
        };
        let violation = Violation::new(&path, self.expected(), found);
        match self.help(value) {
            Some(help) => violation.with_help(help),
            None => violation,
        }
    }

    /// All variants in words: `one of "a", "b", or an object with one of the keys "c", "d"`.
    fn expected(self) -> String {
        let words: Vec<_> = self.words().cloned().collect();
        let keys: Vec<&str> = self.keys().collect();
        let others: Vec<Type> = self
            .types
            .iter()
            .filter(|ty| is_other(ty))
            .cloned()
            .collect();
        let mut parts = Vec::new();
        if !words.is_empty() {
            parts.push(one_of(&words));
        }
        parts.push(match keys.as_slice() {
            [key] => format!("an object with the key {}", shorten(key)),
            keys => format!(
                "an object with one of the keys {}",
                listed(keys, MOST_NAMED)
            ),
        });
        if !others.is_empty() {
            parts.push(labels_in_words(&others));
        }
        parts.join(", or ")
    }

    fn help(self, value: &Value) -> Option<String> {
        let words = || self.words().filter_map(text_of);
        match value {
            Value::String(text) if self.keys().any(|key| key == text) => {
                let text = shorten(text);
                Some(format!("{text} has a value: {{{text}: …}}"))
            }
            Value::String(text) => {
                let near = nearest(text, words().chain(self.keys()))?;
                Some(format!("did you mean {}?", shorten(near)))
            }
            Value::Object(members) => {
                let key = only_key(members)?;
                if words().any(|word| word == key) {
                    let key = shorten(key);
                    return Some(format!("{key} has no value: write the text {key}"));
                }
                let near = nearest(key, self.keys())?;
                Some(format!("did you mean {}?", shorten(near)))
            }
            _ => None,
        }
    }
}

/// Returns the only field of a record: that of a variant.
fn variant_field(ty: &Type) -> Option<&Field> {
    match ty.kind() {
        Kind::Object(Shape::Fields(fields)) => match fields_of(fields) {
            [field] if !field.is_optional() => Some(field),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a type stands for no variant.
fn is_other(ty: &Type) -> bool {
    variant_field(ty).is_none() && ty.constraints().enumeration().is_empty()
}

fn only_key(members: &Map<String, Value>) -> Option<&str> {
    let mut keys = members.keys();
    let first = keys.next()?;
    keys.next().is_none().then_some(first)
}

/// The maximum number of found keys that a message names.
const MOST_FOUND: usize = 5;

fn found_keys(members: &Map<String, Value>) -> String {
    let keys: Vec<&str> = members.keys().map(String::as_str).collect();
    match keys.as_slice() {
        [] => "an object without keys".to_owned(),
        [key] => format!("an object with the key {}", shorten(key)),
        keys => format!("an object with the keys {}", listed(keys, MOST_FOUND)),
    }
}

/// The texts in quotes: `"a", "b" and 3 more`.
fn listed(texts: &[&str], most: usize) -> String {
    let named: Vec<String> = texts.iter().take(most).map(|text| shorten(text)).collect();
    let named = named.join(", ");
    match texts.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
