//! The work of validating a value against a JSON Schema, counted before the crate `jsonschema` does it.
//!
//! References to references multiply: a schema of 2 KB stands for millions of schemas, and one of 200 bytes that
//! contains itself twice stands for as many when the value nests. The crate applies each of them.

use super::percents::unescaped_percents;
use crate::json_value::{shorten, values_in};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The maximum depth of schemas inside each other along a value. The crate calls itself for each of them, so that a
/// long chain of references in an MCP server's schema exhausts the stack.
const MAX_DEPTH: usize = 600;

/// The maximum number of pairs of a schema and an object or list that are counted. An MCP server's schema and a model's
/// long value could fill the memory with pairs.
const MAX_PAIRS: usize = 4_000_000;

/// The maximum number of schemas that are applied to find whether a value is valid. The crate applies 50 to 200 million
/// a second, so that an MCP server's schema could occupy a thread for hours.
pub const MOST_CHECKED: u64 = 500_000_000;

/// The maximum number of schemas that are applied to one text or number. Only references to references reach this
/// number, as a hostile MCP server can write them, and each value of a call would take as long.
const MOST_AT_ONCE: u64 = 100_000;

/// Marks a schema and a value that are being counted.
const OPEN: u64 = u64::MAX;

/// Counts how often schemas are applied to a value or to a part of it. Each pair of them is counted once, and
/// then added wherever it occurs, so that counting is fast where applying is not.
pub struct SchemaWork<'s> {
    root: &'s Value,
    /// The schemas with a name: an `$id` or an anchor.
    named: HashMap<&'s str, &'s Value>,
    /// The count of a schema and a value, by their addresses. Texts, numbers and other values without parts
    /// have one address.
    known: HashMap<(usize, usize), u64>,
    depth: usize,
    /// The schemas that may still be applied to find whether the value is valid.
    left: u64,
    /// The first reference through which a schema applies itself to the same value.
    circle: Option<&'s str>,
}

/// Checks that a schema applies neither itself nor too many other schemas to one value, because a validator
/// would not end.
///
/// # Errors
/// The reason for which the schema cannot be used, in words.
pub fn check_at_once(schema: &Value) -> Result<(), String> {
    let mut work = SchemaWork::new(schema, MOST_CHECKED);
    match (work.greatest(), work.circle) {
        (Some(count), _) if count <= MOST_AT_ONCE => Ok(()),
        (_, Some(reference)) => Err(format!(
            "the definition {} refers to itself alone, so that no validation of a value would end",
            shorten(reference)
        )),
        _ => Err(format!(
            "its references to references stand for more than {MOST_AT_ONCE} schemas, or are too deep"
        )),
    }
}

impl<'s> SchemaWork<'s> {
    /// Creates a counter. `left` is the number of schemas that may be applied, at most [`MOST_CHECKED`].
    pub fn new(root: &'s Value, left: u64) -> Self {
        let mut named = HashMap::new();
        add_names(root, &mut named);
        Self {
            root,
            named,
            known: HashMap::new(),
            depth: 0,
            left,
            circle: None,
        }
    }

    /// The number of schemas that may be applied to further values.
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Counts the schemas that are applied to find all problems of a value. Returns `None` when finding
    /// whether the value is valid already applies too many schemas, too many schemas inside each other, or a
    /// schema that applies itself to the value.
    pub fn count(&mut self, value: &Value) -> Option<u64> {
        self.of(self.root, value)
    }

    /// Counts the schemas for one value without parts, for each schema of the document.
    fn greatest(&mut self) -> Option<u64> {
        self.greatest_in(self.root)
    }

    fn greatest_in(&mut self, json: &'s Value) -> Option<u64> {
        let mut greatest = 0;
        match json {
            Value::Object(members) => {
                greatest = self.of(json, &Value::Null)?;
                for member in members.values() {
                    greatest = greatest.max(self.greatest_in(member)?);
                }
            }
            Value::Array(items) => {
                for item in items {
                    greatest = greatest.max(self.greatest_in(item)?);
                }
            }
            _ => {}
        }
        Some(greatest)
    }

    fn of(&mut self, schema: &'s Value, value: &Value) -> Option<u64> {
        let Value::Object(members) = schema else {
            return Some(1);
        };
        let pair = (address(schema), part_address(value));
        if let Some(&known) = self.known.get(&pair) {
            // The crate remembers whether an object or a list is valid, and checks a text or number again.
            if !is_container(value) {
                self.left = self.left.saturating_sub(known);
            }
            return (known != OPEN && self.left > 0).then_some(known);
        }
        if self.depth == MAX_DEPTH || self.known.len() == MAX_PAIRS {
            return None;
        }
        self.left = self.left.saturating_sub(1);
        self.known.insert(pair, OPEN);
        self.depth += 1;
        let mut count = 1_u64;
        for (key, member) in members {
            count = count.saturating_add(self.keyword((key, member), value)?);
        }
        let count = count.min(OPEN - 1);
        self.depth -= 1;
        self.known.insert(pair, count);
        Some(count)
    }

    fn keyword(&mut self, (key, member): (&str, &'s Value), value: &Value) -> Option<u64> {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        let parts = value.as_object();
        match (key, member) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(text)) => {
                match self.target(text) {
                    Some(target) => {
                        let pair = (address(target), part_address(value));
                        if self.known.get(&pair) == Some(&OPEN) {
                            self.circle.get_or_insert(text);
                        }
                        self.of(target, value)
                    }
                    None => Some(1),
                }
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                self.sum(schemas.iter().map(|schema| (schema, value)))
            }
            ("not" | "if" | "then" | "else", schema) => self.of(schema, value),
            ("dependentSchemas" | "dependencies", Value::Object(schemas)) => {
                self.sum(schemas.values().map(|schema| (schema, value)))
            }
            ("prefixItems" | "items", Value::Array(schemas)) => self.sum(schemas.iter().zip(items)),
            ("items" | "additionalItems" | "contains" | "unevaluatedItems", schema) => {
                self.sum(items.iter().map(|item| (schema, item)))
            }
            ("properties", Value::Object(schemas)) => {
                let part = |(name, schema)| Some((schema, parts?.get::<String>(name)?));
                self.sum(schemas.iter().filter_map(part))
            }
            ("patternProperties", Value::Object(schemas)) => {
                let values = || parts.into_iter().flat_map(Map::values);
                let pairs = |schema| values().map(move |value| (schema, value));
                self.sum(schemas.values().flat_map(pairs))
            }
            ("additionalProperties" | "unevaluatedProperties", schema) => {
                let values = parts.into_iter().flat_map(Map::values);
                self.sum(values.map(|value| (schema, value)))
            }
            // The crate compares the value with each one that is listed. Eight comparisons take as long as a schema.
            ("enum", Value::Array(listed)) => {
                let compared = listed.len().saturating_mul(values_in(value)) as u64 / 8;
                self.left = self.left.saturating_sub(compared);
                (self.left > 0).then_some(compared)
            }
            // Each missing member is a problem of its own.
            ("required", Value::Array(names)) if parts.is_some() => Some(names.len() as u64),
            _ => Some(0),
        }
    }

    fn sum<'v>(&mut self, pairs: impl Iterator<Item = (&'s Value, &'v Value)>) -> Option<u64> {
        let mut sum = 0_u64;
        for (schema, value) in pairs {
            sum = sum.saturating_add(self.of(schema, value)?);
        }
        Some(sum)
    }

    /// Returns the schema of a reference. The crate also resolves a reference by the `$id` around the
    /// reference. Here, a pointer leads from the whole document, or from the schema that the text before the
    /// `#` names.
    fn target(&self, text: &str) -> Option<&'s Value> {
        let (base, fragment) = text.split_once('#').unwrap_or((text, ""));
        let base = match base {
            "" => self.root,
            name => self.named.get(name)?,
        };
        match fragment {
            "" => Some(base),
            name if !name.starts_with('/') => self.named.get(name).copied(),
            pointer => base.pointer(&unescaped_percents(pointer)),
        }
    }
}

/// Collects the schemas that have names.
fn add_names<'s>(json: &'s Value, named: &mut HashMap<&'s str, &'s Value>) {
    match json {
        Value::Object(members) => {
            for (key, member) in members {
                if let ("$id" | "id" | "$anchor" | "$dynamicAnchor", Value::String(name)) =
                    (key.as_str(), member)
                {
                    named.insert(name.trim_start_matches('#'), json);
                }
                add_names(member, named);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_names(item, named)),
        _ => {}
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

fn part_address(value: &Value) -> usize {
    if is_container(value) {
        address(value)
    } else {
        0
    }
}

const fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}
