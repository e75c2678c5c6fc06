//! Parts of a JSON Schema as schemas of their own: the keyword `schema` of `Any`, and the places that a spec
//! leaves open.
//!
//! A reference into the document leads to a definition that the part brings along. So the part means the same in
//! another document, also where the schema contains itself.

use super::MAX_SCHEMA_TEXT;
use super::definitions::{Definitions, PREFIX};
use super::form::{is_annotation, missing_form};
use super::percents::unescaped_percents;
use super::work::check_at_once;
use crate::json_value::{Ordered, describe, read_json};
use crate::terminal;
use agent_gram::value::Text;
use serde_core::Deserialize as _;

/// The maximum number of parts that are copied: objects, lists and other values. The references of an MCP server's
/// schema can copy the whole document again and again, which would fill the memory.
pub(super) const MAX_COPIED: usize = 200_000;

/// The maximum number of definitions that a part brings along. Each reference to an anchor is a search of the whole
/// document, so that an MCP server's schema would take minutes.
const MAX_DEFINITIONS: usize = 1_000;

/// The maximum depth of the JSON of a schema. The parser has the same limit, so this limit affects only
/// values that were not parsed from a text.
const MAX_JSON_DEPTH: usize = 128;

/// The name of the definition for a reference to the whole document.
const ROOT: &str = "root";

/// Returns the canonical text of a JSON Schema, as [`canonical_schema`](super::canonical_schema) does.
pub(super) fn canonical(text: &str) -> Result<String, String> {
    if text.len() > MAX_SCHEMA_TEXT {
        return Err(too_long(text.len()));
    }
    let mut wrong_key = None;
    let json = read_json(text, |_, path| {
        wrong_key.get_or_insert_with(|| path.to_string());
    });
    let json = json.map_err(|error| format!("the text is not JSON: {error}"))?;
    if let Some(path) = wrong_key {
        return Err(format!("the key at `{path}` is there twice"));
    }
    let found = || {
        let found = describe(&json);
        format!("expected an object, `true` or `false`, found {found}")
    };
    let mut root = Ordered::deserialize(&json).map_err(|error| error.to_string())?;
    // The names of definitions may depend on the order.
    sort_keys_of(&mut root);
    match root {
        Ordered::Bool(true) => Ok("{}".to_owned()),
        Ordered::Bool(false) => Ok(r#"{"not":{}}"#.to_owned()),
        Ordered::Object(_) => Extract::new(&root).text_of(&root),
        _ => Err(found()),
    }
}

fn too_long(found: usize) -> String {
    format!("it has {found} bytes, and {MAX_SCHEMA_TEXT} are allowed")
}

/// Copies parts of a document, and collects the definitions that they refer to.
pub(crate) struct Extract<'s> {
    root: &'s Ordered,
    pub(super) definitions: Definitions,
    /// The names of definitions by the references to them in the document.
    names: Vec<(&'s str, String)>,
    /// The definitions that are named and not copied yet, by their places.
    pending: Vec<(usize, &'s Ordered)>,
    /// The number of parts that may still be copied.
    left: usize,
    depth: usize,
    /// The first mistake.
    problem: Option<String>,
    /// The regular expressions that were copied.
    pub(super) patterns: Vec<&'s str>,
}

impl<'s> Extract<'s> {
    pub(crate) fn new(root: &'s Ordered) -> Self {
        Self {
            root,
            definitions: Definitions::default(),
            names: Vec::new(),
            pending: Vec::new(),
            left: MAX_COPIED,
            depth: 0,
            problem: None,
            patterns: Vec::new(),
        }
    }

    /// Returns the canonical text of a part of the document, with the definitions that it refers to.
    ///
    /// # Errors
    /// The reason for which the part cannot stand alone, in words.
    pub(super) fn text_of(&mut self, part: &'s Ordered) -> Result<String, String> {
        let copy = self.copied(part);
        self.finish();
        if let Some(problem) = self.problem.take() {
            return Err(problem);
        }
        let Ordered::Object(members) = copy else {
            return Err("a JSON Schema is an object".to_owned());
        };
        let definitions = std::mem::take(&mut self.definitions);
        let mut schema = Ordered::Object(definitions.added_to(members));
        // The definitions are in the order of their references.
        sort_keys_of(&mut schema);
        check_at_once(&schema.to_value())?;
        let text = terminal::json(&schema.to_string());
        if text.len() > MAX_SCHEMA_TEXT {
            return Err(too_long(text.len()));
        }
        Ok(text)
    }

    /// The number of parts that were copied.
    pub(super) fn copied_parts(&self) -> usize {
        MAX_COPIED - self.left
    }

    /// Copies the definitions that were named. A definition may name others, so they are copied one after the other
    /// and not inside each other: a long chain would exhaust the stack.
    pub(super) fn finish(&mut self) {
        while let Some((at, target)) = self.pending.pop() {
            let copy = self.copied(target);
            self.definitions.set(at, copy);
        }
    }

    fn problem(&mut self, text: impl FnOnce() -> String) {
        self.problem.get_or_insert_with(text);
    }

    /// Copies a schema of the document. Its references lead to definitions at the root.
    pub(super) fn copied(&mut self, schema: &'s Ordered) -> Ordered {
        let Ordered::Object(members) = schema else {
            return self.copied_value(schema);
        };
        if self.left <= members.len() || self.depth == MAX_JSON_DEPTH {
            self.problem(|| {
                format!(
                    "its references stand for more than {MAX_COPIED} parts, or it nests too deep"
                )
            });
            return Ordered::Bool(true);
        }
        self.left -= members.len() + 1;
        self.depth += 1;
        let mut copy = Vec::with_capacity(members.len());
        for (key, value) in members {
            if let Some(form) = missing_form(key, value) {
                if !is_annotation(key) {
                    self.problem(|| format!("`{}` must be {form}", key.as_str()));
                }
                continue;
            }
            match (key.as_str(), value) {
                ("$ref", Ordered::Text(reference)) => {
                    let reference = self.reference(reference);
                    copy.push((key.clone(), Ordered::text(reference)));
                }
                ("$ref" | "$dynamicRef" | "$recursiveRef", _) => {
                    self.problem(|| format!("`{key}` is no reference to a part of the schema: write `$ref` and a text"));
                    copy.push((key.clone(), value.clone()));
                }
                // References lead to the definitions from the root. An `$id` would make references relative to it.
                ("$defs" | "definitions", Ordered::Object(_))
                | ("$schema" | "$id" | "id" | "$anchor" | "$dynamicAnchor", Ordered::Text(_))
                | ("$recursiveAnchor" | "$vocabulary", _) => {}
                (word, value) => {
                    if let ("pattern", Ordered::Text(pattern)) = (word, value) {
                        self.patterns.push(pattern);
                    }
                    copy.push((key.clone(), self.copied_member(word, value)));
                }
            }
        }
        self.depth -= 1;
        Ordered::Object(copy)
    }

    /// Copies the value of a keyword.
    pub(super) fn copied_member(&mut self, key: &str, value: &'s Ordered) -> Ordered {
        match (key, value) {
            (
                "properties" | "patternProperties" | "dependentSchemas" | "dependencies",
                Ordered::Object(schemas),
            ) => {
                let mut copy = Vec::with_capacity(schemas.len());
                for (name, schema) in schemas {
                    if key == "patternProperties" {
                        self.patterns.push(name);
                    }
                    copy.push((name.clone(), self.copied(schema)));
                }
                Ordered::Object(copy)
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Ordered::Array(schemas)) => {
                Ordered::Array(schemas.iter().map(|schema| self.copied(schema)).collect())
            }
            (
                "items"
                | "additionalItems"
                | "unevaluatedItems"
                | "contains"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "propertyNames"
                | "not"
                | "if"
                | "then"
                | "else",
                schema,
            ) => self.copied(schema),
            (_, value) => self.copied_value(value),
        }
    }

    /// Copies a value that is no schema, such as those of `enum`.
    fn copied_value(&mut self, value: &Ordered) -> Ordered {
        let size = size_of(value, 0);
        if size > self.left {
            self.problem(|| format!("it has more than {MAX_COPIED} parts, or nests too deep"));
            return Ordered::Bool(true);
        }
        self.left -= size;
        value.clone()
    }

    /// Returns a reference to the definition that holds the target of a reference of the document. A reference that
    /// leads nowhere, or into another document, stays as it is.
    fn reference(&mut self, reference: &'s Text) -> String {
        let reference = reference.as_str();
        if let Some((_, name)) = self.names.iter().find(|(held, _)| *held == reference) {
            return format!("{PREFIX}{name}");
        }
        let Some(target) = self.resolve(reference) else {
            self.problem(|| match reference.strip_prefix('#') {
                Some(_) => format!(
                    "the reference {} leads nowhere",
                    describe(&reference.into())
                ),
                None => format!(
                    "the reference {} leads out of the schema, and no other document is read",
                    describe(&reference.into())
                ),
            });
            return reference.to_owned();
        };
        if self.names.len() == MAX_DEFINITIONS {
            self.problem(|| format!("it has more than {MAX_DEFINITIONS} different references"));
            return reference.to_owned();
        }
        let last = reference.rsplit(['/', '#']).next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = match &*unescaped_percents(last) {
            "" => ROOT.to_owned(),
            last => last.replace(|c| !is_plain(c), "_"),
        };
        // The definition is named before it is copied, because it may refer to itself.
        let (name, at) = self.definitions.add(&name, Ordered::Bool(true));
        self.names.push((reference, name.clone()));
        self.pending.push((at, target));
        format!("{PREFIX}{name}")
    }

    /// Returns the schema that a reference leads to, unless it is in another document.
    pub(super) fn resolve(&self, reference: &str) -> Option<&'s Ordered> {
        let pointer = unescaped_percents(reference.strip_prefix('#')?);
        let Some(steps) = pointer.strip_prefix('/') else {
            return match &*pointer {
                "" => Some(self.root),
                anchor => anchored(self.root, anchor),
            };
        };
        steps.split('/').try_fold(self.root, |at, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match at {
                Ordered::Array(items) => items.get(step.parse::<usize>().ok()?),
                at => member(at, &step),
            }
        })
    }
}

/// The member of an object.
pub(super) fn member<'s>(schema: &'s Ordered, key: &str) -> Option<&'s Ordered> {
    let Ordered::Object(members) = schema else {
        return None;
    };
    let found = members.iter().find(|(held, _)| held == key);
    found.map(|(_, value)| value)
}

/// Returns the part of a schema with an `$anchor` of this name.
fn anchored<'s>(schema: &'s Ordered, name: &str) -> Option<&'s Ordered> {
    match schema {
        Ordered::Object(members) => {
            let is_named = |(key, value): &(Text, Ordered)| {
                *key == "$anchor" && matches!(value, Ordered::Text(text) if text == name)
            };
            if members.iter().any(is_named) {
                return Some(schema);
            }
            members.iter().find_map(|(_, part)| anchored(part, name))
        }
        Ordered::Array(parts) => parts.iter().find_map(|part| anchored(part, name)),
        _ => None,
    }
}

/// The number of parts of a value; more than any limit for a value that nests too deep.
fn size_of(value: &Ordered, depth: usize) -> usize {
    if depth > MAX_JSON_DEPTH {
        return usize::MAX;
    }
    let sum = |sum: usize, part: &Ordered| sum.saturating_add(size_of(part, depth + 1));
    match value {
        Ordered::Text(text) => 1 + text.len() / 64,
        Ordered::Array(items) => items.iter().fold(1, sum),
        Ordered::Object(members) => members.iter().map(|(_, part)| part).fold(1, sum),
        _ => 1,
    }
}

/// Sorts the keys of all objects, and writes whole numbers without a fraction.
pub(super) fn sort_keys_of(value: &mut Ordered) {
    /// Up to this number, each whole double stands for exactly one integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Ordered::Object(members) => {
            members.sort_by(|(left, _), (right, _)| left.as_str().cmp(right.as_str()));
            for (_, value) in members {
                sort_keys_of(value);
            }
        }
        Ordered::Array(items) => items.iter_mut().for_each(sort_keys_of),
        Ordered::Number(number) if number.fract() == 0.0 && number.abs() <= EXACT => {
            *value = Ordered::Integer(*number as i128);
        }
        _ => {}
    }
}
