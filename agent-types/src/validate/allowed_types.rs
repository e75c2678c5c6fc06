//! The types of values that a schema allows, as far as its words for types show.

use serde_json::{Map, Value};
use std::cell::Cell;

/// The maximum number of schemas inside each other that are read, because the references of an MCP server's schema may
/// form a circle.
const MOST_NESTED: usize = 32;

/// The maximum number of schemas, properties and values that are read for one call, because references to references
/// multiply, and a hostile server could write many alternatives.
const MOST_READ: usize = 1_000_000;

/// Reads the words for types of a schema and of the schemas inside it.
pub struct AllowedTypes<'s> {
    root: &'s Value,
    /// The number of schemas, properties and values that were read.
    read: Cell<usize>,
}

impl<'s> AllowedTypes<'s> {
    /// Creates a reader of types. `root` is the document that references lead into.
    pub fn new(root: &'s Value) -> Self {
        let read = Cell::new(0);
        Self { root, read }
    }

    /// Counts `count` more schemas, properties or values. Returns whether they may be read for the call.
    pub fn may_read(&self, count: usize) -> bool {
        self.read.set(self.read.get().saturating_add(count));
        self.read.get() < MOST_READ
    }

    /// Whether a value that a schema allows may be given as its JSON text: the value is a list or an object, and no text is
    /// allowed.
    pub fn reads_json_text(&self, schema: &Value) -> bool {
        !self.allows(schema, "string")
            && (self.allows(schema, "array") || self.allows(schema, "object"))
    }

    /// Whether a schema allows values of a type.
    pub fn allows(&self, schema: &Value, word: &str) -> bool {
        self.allows_within(schema, word, MOST_NESTED)
    }

    /// `depth` is the number of schemas inside each other that are read.
    fn allows_within(&self, schema: &Value, word: &str, depth: usize) -> bool {
        let may_read = self.may_read(1);
        let Some(members) = schema.as_object() else {
            return schema.as_bool() != Some(false);
        };
        let Some(depth) = depth.checked_sub(1).filter(|_| may_read) else {
            return true;
        };
        let allows = |schema: &Value| self.allows_within(schema, word, depth);
        let is_word = |found: &Value| match found.as_str() {
            Some("number") => matches!(word, "number" | "integer"),
            found => found == Some(word),
        };
        let own = match members.get("type") {
            None => true,
            Some(Value::Array(words)) => words.iter().any(is_word),
            Some(found) => is_word(found),
        };
        let list = |key| members.get(key).and_then(Value::as_array);
        own && self.target(members).is_none_or(allows)
            && list("allOf").is_none_or(|all| all.iter().all(allows))
            && list("anyOf").is_none_or(|any| any.iter().any(allows))
            && list("oneOf").is_none_or(|one| one.iter().any(allows))
    }

    /// Returns the target of a reference.
    pub fn target(&self, schema: &Map<String, Value>) -> Option<&'s Value> {
        let reference = schema.get("$ref").and_then(Value::as_str)?;
        self.root.pointer(reference.strip_prefix('#')?)
    }
}
