//! The fields of a record, and the arguments of a call, which are fields too.

use super::describe::shorten;
use super::path::Path;
use super::violation::Violation;
use super::walk::Walk;
use crate::names::{nearest, nearly_spells, nearness};
use crate::types::Field;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Whether a field has no value: the key is absent, or holds `null` where a value may be missing.
pub(super) fn is_missing(field: &Field, members: &Map<String, Value>) -> bool {
    let value = members.get(field.name());
    value.is_none_or(|value| is_absent(field, value))
}

/// Whether a value counts as none for a field.
pub(super) fn is_absent(field: &Field, value: &Value) -> bool {
    value.is_null() && field.is_optional()
}

/// The field of a name.
pub(super) fn field_of<'f>(fields: &'f [Field], name: &str) -> Option<&'f Field> {
    fields.iter().find(|field| field.is_named(name))
}

/// Fields by name: one by one while they are few, by an index when they are many, since an object
/// may have as many keys.
pub(super) struct ByName<'f> {
    fields: &'f [Field],
    /// Where in the list the field of a name is.
    index: Option<HashMap<&'f str, usize>>,
}

/// From how many fields on they are indexed.
const MANY: usize = 32;

impl<'f> ByName<'f> {
    pub(super) fn new(fields: &'f [Field]) -> Self {
        let named = |(at, field): (usize, &'f Field)| (field.name(), at);
        let index = (fields.len() >= MANY).then(|| fields.iter().enumerate().map(named).collect());
        Self { fields, index }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'f Field> {
        match &self.index {
            None => field_of(self.fields, name),
            Some(index) => index.get(name).map(|at| &self.fields[*at]),
        }
    }
}

impl<'t> Walk<'t> {
    /// Checks the members of an object against the fields of a record, and says whether each field
    /// has a value.
    pub(super) fn fields(
        &mut self,
        fields: &'t [Field],
        host: &[Field],
        members: &Map<String, Value>,
        path: Path<'_>,
    ) -> bool {
        self.fields_unless(fields, host, members, path, |_| false)
    }

    /// The same, where some missing fields are somebody else's concern.
    pub(super) fn fields_unless(
        &mut self,
        fields: &'t [Field],
        host: &[Field],
        members: &Map<String, Value>,
        path: Path<'_>,
        may_miss: impl Fn(&Field) -> bool,
    ) -> bool {
        let host = ByName::new(host);
        // Only what is missing can be misspelled, and mostly nothing is.
        let mut misspellings = None;
        let mut undeclared = None;
        let mut in_order = members.iter();
        for field in fields {
            let name = field.name();
            // Models write members in the order of the fields, where no search finds the same faster.
            let next = in_order.next().filter(|(key, _)| *key == name);
            let value = next.map(|(_, value)| value).or_else(|| members.get(name));
            if let Some(value) = value.filter(|value| !is_absent(field, value)) {
                let host = host.get(name).map(Field::ty);
                self.value(field.ty(), host, value, path.key(name));
                continue;
            }
            let (misspelled, meant) = misspellings.get_or_insert_with(|| {
                let misspelled = misspelled(fields, members);
                let meant: HashSet<&str> = misspelled.iter().map(|(_, meant)| *meant).collect();
                (misspelled, meant)
            });
            if !field.is_optional() && !may_miss(field) && !meant.contains(name) {
                let near =
                    undeclared.get_or_insert_with(|| undeclared_in(fields, members, misspelled));
                self.record(missing(field, path.key(name), near));
            }
        }
        let Some((misspelled, _)) = misspellings else {
            return true;
        };
        for (key, meant) in misspelled {
            let violation = Violation::new(
                &path.key(key),
                "a name that is declared",
                format!("the name {}", shorten(key)),
            );
            let help = format!("did you mean `{meant}`?");
            self.record(violation.with_help(help));
        }
        false
    }
}

/// That a field is missing, and which of the keys that are not declared may be meant to be it. They
/// are too far from its name to be wrong by themselves, and this is said anyway.
fn missing(field: &Field, path: Path<'_>, undeclared: &[&str]) -> Violation {
    let name = field.name();
    let help = match nearest(name, undeclared.iter().copied()) {
        Some(found) => format!(
            "`{name}` is required, and {} is not declared; did you mean `{name}`?",
            shorten(found)
        ),
        None => format!("`{name}` is required"),
    };
    Violation::new(&path, field.ty().label(), "nothing").with_help(help)
}

/// How many keys that are not declared are looked at for each field that is missing.
const MOST_MEANT: usize = 50;

/// The keys that no field has and of which nothing else is said, of very many the first.
fn undeclared_in<'m>(
    fields: &[Field],
    members: &'m Map<String, Value>,
    misspelled: &[(&str, &str)],
) -> Vec<&'m str> {
    let declared = ByName::new(fields);
    let said: HashSet<&str> = misspelled.iter().map(|(key, _)| *key).collect();
    let unknown = members.keys().filter(|key| declared.get(key).is_none());
    let unknown = unknown.filter(|key| !said.contains(key.as_str()));
    unknown.take(MOST_MEANT).map(String::as_str).collect()
}

/// How many keys that are not declared are compared with the names of missing fields.
const MOST_COMPARED: usize = 1_000;

/// The keys that are not declared but nearly spell a field that has no value, each with that
/// field's name. Of very many such keys the first thousand are looked at.
fn misspelled<'a>(fields: &'a [Field], members: &'a Map<String, Value>) -> Vec<(&'a str, &'a str)> {
    let missing: Vec<_> = fields
        .iter()
        .filter(|field| is_missing(field, members))
        .map(Field::name)
        .collect();
    let declared = ByName::new(fields);
    let unknown = members.keys().filter(|key| declared.get(key).is_none());
    let mut misspelled = Vec::new();
    for key in unknown.take(MOST_COMPARED) {
        let is_near = |name: &&&str| could_spell(key, name) && nearly_spells(key, name);
        let near = missing.iter().filter(is_near);
        if let Some(meant) = near.min_by_key(|name| nearness(key, name)) {
            misspelled.push((key.as_str(), *meant));
        }
    }
    misspelled
}

/// Whether the lengths allow one name to nearly spell another, which is quick to say for objects
/// of many keys.
fn could_spell(key: &str, name: &str) -> bool {
    let letters = |text: &str| text.bytes().filter(|b| !matches!(b, b'_' | b'-')).count();
    key.len().abs_diff(name.len()) <= 1 || letters(key) == letters(name)
}
