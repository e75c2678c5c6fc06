//! The definitions in `$defs` of a schema, which the parts of the schema share.

use super::Members;
use crate::json_value::Ordered;
use agent_gram::value::Text;
use std::collections::{BTreeSet, HashMap};

/// The position of definitions, and the form of references to them.
const DEFINITIONS: &str = "$defs";
pub(super) const PREFIX: &str = "#/$defs/";

/// The maximum number of times that definitions are compared. Each comparison finds the definitions that differ because
/// a definition that they refer to differs. A chain of definitions of a hostile MCP server would take as many
/// comparisons as it has definitions.
const MOST_COMPARISONS: usize = 16;

/// The definitions of all schemas inside one, by name.
#[derive(Default)]
pub(super) struct Definitions {
    all: Members,
    /// The places of the definitions by their names.
    places: HashMap<String, usize>,
    /// The places of the definitions by their original names in the schemas that they were moved out of.
    origins: HashMap<String, Vec<usize>>,
}

impl Definitions {
    /// Returns the schema with its definitions, if there are any.
    pub(super) fn added_to(self, mut members: Members) -> Members {
        if !self.all.is_empty() {
            members.push((DEFINITIONS.into(), Ordered::Object(self.all)));
        }
        members
    }

    /// Adds a definition under a name like this one, which no other definition has. Returns the name and the place.
    pub(super) fn add(&mut self, name: &str, schema: Ordered) -> (String, usize) {
        let name = match self.places.contains_key(name) {
            true => self.free_name(name, |_| false),
            false => name.to_owned(),
        };
        let at = self.insert(name.clone(), schema);
        (name, at)
    }

    /// Replaces the schema of a definition.
    pub(super) fn set(&mut self, at: usize, schema: Ordered) {
        self.all[at].1 = schema;
    }

    /// Moves the definitions out of a schema. A definition that means the same as a definition here is merged
    /// with that definition. Any other definition whose name is used already is renamed.
    pub(super) fn take_from(&mut self, members: &mut Members) {
        let Some(at) = members.iter().position(|(key, _)| *key == DEFINITIONS) else {
            return;
        };
        let (_, Ordered::Object(taken)) = members.remove(at) else {
            return;
        };
        let same = self.same_as(&taken);
        let is_taken: BTreeSet<String> = taken.iter().map(|(name, _)| name.to_string()).collect();
        let mut renamed = HashMap::new();
        let mut added = Vec::new();
        for (old, schema) in taken {
            let name = match same.get(old.as_str()) {
                Some(&at) => self.all[at].0.to_string(),
                None => {
                    let name = match self.places.contains_key(old.as_str()) {
                        true => self.free_name(&old, |name| is_taken.contains(name)),
                        false => old.to_string(),
                    };
                    let at = self.insert(name.clone(), schema);
                    self.origins.entry(old.to_string()).or_default().push(at);
                    added.push(at);
                    name
                }
            };
            if name != old.as_str() {
                renamed.insert(old.to_string(), name);
            }
        }
        if !renamed.is_empty() {
            rename_in_members(members, &renamed);
            for at in added {
                rename(&mut self.all[at].1, &renamed);
            }
        }
    }

    fn insert(&mut self, name: String, schema: Ordered) -> usize {
        let at = self.all.len();
        self.all.push((Text::from(name.clone()), schema));
        self.places.insert(name, at);
        at
    }

    /// Returns a name that no definition has and for which `is_used` returns `false`. The search begins at
    /// the number of definitions, because names that differ in their numbers alone would otherwise be tried
    /// again for each definition.
    fn free_name(&self, name: &str, is_used: impl Fn(&str) -> bool) -> String {
        let numbers = self.all.len() + 1..;
        let mut names = numbers.map(|number| format!("{name}{number}"));
        let free = names.find(|name| !self.places.contains_key(name) && !is_used(name));
        free.unwrap_or_default()
    }

    /// Returns the places of the definitions that mean the same as definitions of another schema, by their names there.
    fn same_as(&self, taken: &Members) -> HashMap<String, usize> {
        let numbers = taken.iter().enumerate();
        let numbers: HashMap<&str, usize> =
            numbers.map(|(at, (name, _))| (name.as_str(), at)).collect();
        let pairs = taken.iter().enumerate().flat_map(|(at, (name, _))| {
            let known = self.origins.get(name.as_str()).into_iter().flatten();
            known.map(move |known| (at, *known))
        });
        // A pair is equal until a difference is found, because definitions may refer to each other in circles.
        let mut pairs: BTreeSet<(usize, usize)> = pairs.collect();
        for _ in 0..MOST_COMPARISONS {
            let is_pair = |own: &str, known: &str| match (numbers.get(own), self.places.get(known))
            {
                (Some(own), Some(known)) => pairs.contains(&(*own, *known)),
                _ => false,
            };
            let is_same = |(own, known): &&(usize, usize)| {
                is_same(&taken[*own].1, &self.all[*known].1, &is_pair)
            };
            let still: BTreeSet<(usize, usize)> = pairs.iter().filter(is_same).copied().collect();
            if still.len() == pairs.len() {
                let named = pairs
                    .into_iter()
                    .map(|(own, known)| (taken[own].0.to_string(), known));
                return named.collect();
            }
            pairs = still;
        }
        HashMap::new()
    }
}

/// Whether two schemas are equal, if two definitions count as equal when `is_pair` returns `true` for their
/// names.
fn is_same(left: &Ordered, right: &Ordered, is_pair: &impl Fn(&str, &str) -> bool) -> bool {
    match (left, right) {
        (Ordered::Object(left), Ordered::Object(right)) => {
            let mut pairs = left.iter().zip(right);
            left.len() == right.len()
                && pairs.all(|((key, left), (other, right))| {
                    key == other
                        && match (referenced(key, left), referenced(key, right)) {
                            (Some(left), Some(right)) => is_pair(left, right),
                            _ => is_same(left, right, is_pair),
                        }
                })
        }
        (Ordered::Array(left), Ordered::Array(right)) => {
            let mut pairs = left.iter().zip(right);
            left.len() == right.len() && pairs.all(|(left, right)| is_same(left, right, is_pair))
        }
        _ => left == right,
    }
}

/// Returns the name of the definition that a member refers to.
fn referenced<'v>(key: &Text, value: &'v Ordered) -> Option<&'v str> {
    match value {
        Ordered::Text(reference) if *key == "$ref" => reference.as_str().strip_prefix(PREFIX),
        _ => None,
    }
}

fn rename_in_members(members: &mut Members, renamed: &HashMap<String, String>) {
    for (key, value) in members {
        match referenced(key, value).and_then(|name| renamed.get(name)) {
            Some(name) => *value = Ordered::text(format!("{PREFIX}{name}")),
            None => rename(value, renamed),
        }
    }
}

fn rename(value: &mut Ordered, renamed: &HashMap<String, String>) {
    match value {
        Ordered::Object(members) => rename_in_members(members, renamed),
        Ordered::Array(items) => items.iter_mut().for_each(|item| rename(item, renamed)),
        _ => {}
    }
}
