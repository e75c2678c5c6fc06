//! The parts of a tool's own JSON Schema in the places where a spec allows any value.
//!
//! A spec may say `Any` where the tool has a schema that no gram type expresses. The model gets that schema
//! there, because the tool refuses what does not satisfy it.

use super::read::unescaped_percents;
use super::{Definitions, Members, PREFIX, Schema};
use crate::json_value::Ordered;
use agent_gram::value::Text;
use serde_core::Deserialize as _;
use serde_json::Value;

/// The maximum number of references that are followed from one schema to the next, because they may form a
/// circle.
const MOST_REFERENCES: usize = 32;

/// Returns the schema of the arguments of a spec, with the parts of `own`, the schema of the tool, where it
/// allows any value. A part brings the definitions that it refers to along.
pub(crate) fn with_own(schema: Schema, own: &Value) -> Schema {
    let Ok(root) = Ordered::deserialize(own) else {
        return schema;
    };
    let mut members = schema.members;
    let mut definitions = Definitions::default();
    definitions.take_from(&mut members);
    let mut walk = Walk {
        root: &root,
        definitions,
        names: Vec::new(),
    };
    walk.fill(&mut members, &root);
    let definitions = walk.definitions;
    Schema::from_members(definitions.added_to(members))
}

struct Walk<'s> {
    /// The tool's schema.
    root: &'s Ordered,
    definitions: Definitions,
    /// The names of definitions by the references to them in the tool's schema.
    names: Vec<(&'s str, String)>,
}

impl<'s> Walk<'s> {
    /// Fills the places of a schema that says its type. `own` is the tool's schema of the same values.
    fn fill(&mut self, members: &mut Members, own: &'s Ordered) {
        let own = self.target(own);
        let has = |members: &Members, key: &str| members.iter().any(|(held, _)| held == key);
        let is_list = |(key, value): &(Text, Ordered)| *key == "type" && is_word(value, "array");
        // A list of any values has no schema for them.
        if members.iter().any(is_list) && !has(members, "items") && !has(members, "prefixItems") {
            for key in ["prefixItems", "items"] {
                if let Some(items) = member(own, key) {
                    let items = self.rewritten_member(key, items);
                    members.push((key.into(), items));
                }
            }
            return;
        }
        for (key, value) in members {
            let Some(own) = member(own, key) else {
                continue;
            };
            match (key.as_str(), value, own) {
                ("properties", Ordered::Object(properties), _) => {
                    for (name, schema) in properties {
                        if let Some(own) = member(own, name) {
                            self.place(schema, own);
                        }
                    }
                }
                ("prefixItems", Ordered::Array(schemas), Ordered::Array(own)) => {
                    for (schema, own) in schemas.iter_mut().zip(own) {
                        self.place(schema, own);
                    }
                }
                ("items" | "additionalProperties", schema, _) => self.place(schema, own),
                _ => {}
            }
        }
    }

    /// Puts the tool's schema into a place that allows any value, or into the places of this kind inside it.
    fn place(&mut self, schema: &mut Ordered, own: &'s Ordered) {
        let Ordered::Object(members) = schema else {
            return;
        };
        // Each of these says what the values are. So does an `anyOf`, the schema of a union.
        const TYPED: [&str; 5] = ["type", "anyOf", "oneOf", "allOf", "$ref"];
        let is_any = |members: &Members| {
            members
                .iter()
                .all(|(key, _)| TYPED.iter().all(|typed| key != typed))
        };
        if !is_any(members) {
            self.fill(members, own);
            return;
        }
        let Ordered::Object(taken) = self.rewritten(own) else {
            return;
        };
        // The spec's description of a value, its default and its limits come before the tool's.
        for (key, value) in taken {
            if members.iter().all(|(held, _)| *held != key) {
                members.push((key, value));
            }
        }
    }

    /// Returns the schema that says the parts of the values: the target of a reference, the only part of an
    /// `allOf`, or the schema beside `null`.
    fn target(&self, own: &'s Ordered) -> &'s Ordered {
        let mut at = own;
        for _ in 0..MOST_REFERENCES {
            let has_parts = ["properties", "items", "prefixItems", "additionalProperties"];
            if has_parts.iter().any(|key| member(at, key).is_some()) {
                return at;
            }
            let next = match (member(at, "$ref"), only_part(at)) {
                (Some(Ordered::Text(reference)), _) => self.resolve(reference),
                (_, part) => part,
            };
            match next {
                Some(next) => at = next,
                None => return at,
            }
        }
        at
    }

    /// Returns the schema that a reference leads to, unless it is in another document.
    fn resolve(&self, reference: &str) -> Option<&'s Ordered> {
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

    /// Copies a schema of the tool. Its references lead to definitions at the root.
    fn rewritten(&mut self, schema: &'s Ordered) -> Ordered {
        let Ordered::Object(members) = schema else {
            return schema.clone();
        };
        let mut copy = Vec::new();
        for (key, value) in members {
            match (key.as_str(), value) {
                ("$ref", Ordered::Text(reference)) => {
                    let reference = self.reference(reference);
                    copy.push((key.clone(), Ordered::text(reference)));
                }
                // References lead to them from the root. An `$id` would make references relative to it.
                ("$defs" | "definitions", Ordered::Object(_))
                | ("$schema" | "$id" | "id", Ordered::Text(_)) => {}
                (word, value) => copy.push((key.clone(), self.rewritten_member(word, value))),
            }
        }
        Ordered::Object(copy)
    }

    /// Copies the value of a keyword.
    fn rewritten_member(&mut self, key: &str, value: &'s Ordered) -> Ordered {
        match (key, value) {
            ("properties" | "patternProperties" | "dependentSchemas", Ordered::Object(schemas)) => {
                let schemas = schemas.iter();
                let copies = schemas.map(|(name, schema)| (name.clone(), self.rewritten(schema)));
                Ordered::Object(copies.collect())
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Ordered::Array(schemas)) => {
                Ordered::Array(
                    schemas
                        .iter()
                        .map(|schema| self.rewritten(schema))
                        .collect(),
                )
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
            ) => self.rewritten(schema),
            (_, value) => value.clone(),
        }
    }

    /// Returns a reference to the definition that holds the target of a reference of the tool's schema. One
    /// that leads nowhere, or into another document, stays as it is.
    fn reference(&mut self, reference: &'s Text) -> String {
        let reference = reference.as_str();
        if let Some((_, name)) = self.names.iter().find(|(held, _)| *held == reference) {
            return format!("{PREFIX}{name}");
        }
        let Some(target) = self.resolve(reference) else {
            return reference.to_owned();
        };
        let last = reference.rsplit(['/', '#']).next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = match last {
            "" => "arguments".to_owned(),
            last => last.replace(|c| !is_plain(c), "_"),
        };
        let is_taken = |name: &str| self.definitions.0.iter().any(|(held, _)| held == name);
        let name = match is_taken(&name) {
            true => self.definitions.free_name(&name.into()),
            false => name,
        };
        self.names.push((reference, name.clone()));
        // Named before it is copied, because it may refer to itself.
        let at = self.definitions.0.len();
        let place = (name.clone().into(), Ordered::Bool(true));
        self.definitions.0.push(place);
        let copy = self.rewritten(target);
        self.definitions.0[at].1 = copy;
        format!("{PREFIX}{name}")
    }
}

/// The member of an object.
fn member<'s>(schema: &'s Ordered, key: &str) -> Option<&'s Ordered> {
    let Ordered::Object(members) = schema else {
        return None;
    };
    let found = members.iter().find(|(held, _)| held == key);
    found.map(|(_, value)| value)
}

/// Whether the value of `type` is a word, or a list with it.
fn is_word(value: &Ordered, word: &str) -> bool {
    match value {
        Ordered::Array(words) => words.iter().any(|value| is_word(value, word)),
        Ordered::Text(text) => text == word,
        _ => false,
    }
}

/// Returns the one schema in an `allOf`, or the one beside `null` in an `anyOf` or `oneOf`.
fn only_part(schema: &Ordered) -> Option<&Ordered> {
    let is_null =
        |part: &&Ordered| member(part, "type").is_some_and(|ty| *ty == Ordered::text("null"));
    for key in ["allOf", "anyOf", "oneOf"] {
        if let Some(Ordered::Array(parts)) = member(schema, key) {
            let mut parts = parts.iter().filter(|part| key == "allOf" || !is_null(part));
            let only = parts.next();
            return only.filter(|_| parts.next().is_none());
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use crate::{Signature, schema::own::with_own};
    use serde_json::{Value, json};

    /// Checks the properties and the definitions of the schema of a signature over that of a tool.
    #[track_caller]
    fn check(signature: &str, own: Value, properties: Value, definitions: Value) {
        let schema = Signature::parse(signature).expect("a signature").schema();
        let schema = with_own(schema, &own).to_value();
        assert_eq!(schema["properties"], properties);
        assert_eq!(schema["$defs"], definitions);
        assert!(schema["required"].is_array() && schema["type"] == "object");
    }

    fn either() -> Value {
        json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
    }

    #[test]
    fn any_gets_the_schema_of_the_tool_at_every_depth() {
        check(
            "(filter::Any {description: \"Which ones\"})==>(names::[Any])==>(byName::Map Any)==>\
             (deep::{a: {b: Any, c: Text}})==>(::Any)"
                .replace("names::[Any]", "names::Array")
                .replace("byName::Map Any", "byName::Object {valueType: \"Any\"}")
                .replace(
                    "deep::{a: {b: Any, c: Text}}",
                    "deep::Object {fields: {a: \"{b: Any, c: Text}\"}}",
                )
                .as_str(),
            json!({
                "type": "object",
                "properties": {
                    "filter": {"description": "not this", "oneOf": either()["oneOf"]},
                    "names": {"type": "array", "items": either(), "maxItems": 3},
                    "byName": {"type": "object", "additionalProperties": either()},
                    "deep": {"anyOf": [
                        {"type": "object", "properties": {"a": {"allOf": [
                            {"type": "object", "properties": {"b": either(), "c": either()}},
                        ]}}},
                        {"type": "null"},
                    ]},
                    "more": either(),
                },
            }),
            json!({
                "filter": {"description": "Which ones", "oneOf": either()["oneOf"]},
                "names": {"type": "array", "items": either()},
                "byName": {"type": "object", "additionalProperties": either()},
                "deep": {
                    "type": "object",
                    "properties": {"a": {
                        "type": "object",
                        "properties": {"b": either(), "c": {"type": "string"}},
                        "required": ["b", "c"],
                    }},
                    "required": ["a"],
                },
            }),
            Value::Null,
        );
    }

    #[test]
    fn references_bring_their_definitions_along() {
        let node = json!({
            "type": "object",
            "properties": {
                "children": {"type": "array", "items": {"$ref": "#/definitions/a~1Node"}},
                "$ref": {"$ref": "#leaf"},
            },
            "default": {"$ref": "#/definitions/unused"},
        });
        check(
            "(tree::Any)==>(again::Any)==>(all::Any)==>(::Any)",
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {
                    "tree": {"$ref": "#/definitions/a~1Node"},
                    "again": {"anyOf": [{"$ref": "#/definitions/a~1Node"}, {"$ref": "other.json"}]},
                    "all": {"$ref": "#", "$id": "https://example.com/all"},
                },
                "definitions": {
                    "a/Node": node,
                    "Leaf": {"$anchor": "leaf", "type": "string"},
                    "unused": {"type": "string"},
                },
            }),
            json!({
                "tree": {"$ref": "#/$defs/a_1Node"},
                "again": {"anyOf": [{"$ref": "#/$defs/a_1Node"}, {"$ref": "other.json"}]},
                "all": {"$ref": "#/$defs/arguments"},
            }),
            json!({
                "a_1Node": {
                    "type": "object",
                    "properties": {
                        "children": {"type": "array", "items": {"$ref": "#/$defs/a_1Node"}},
                        "$ref": {"$ref": "#/$defs/leaf"},
                    },
                    "default": {"$ref": "#/definitions/unused"},
                },
                "leaf": {"$anchor": "leaf", "type": "string"},
                "arguments": {
                    "type": "object",
                    "properties": {
                        "tree": {"$ref": "#/$defs/a_1Node"},
                        "again": {"anyOf": [{"$ref": "#/$defs/a_1Node"}, {"$ref": "other.json"}]},
                        "all": {"$ref": "#/$defs/arguments"},
                    },
                },
            }),
        );
    }

    #[test]
    fn circles_and_references_to_nothing_end() {
        check(
            "(a::Any)==>(b::Object {fields: {c: \"Any\"}})==>(::Any)",
            json!({
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/gone"}, "b": {"$ref": "#/$defs/Circle"}},
                "$defs": {"Circle": {"$ref": "#/$defs/Circle"}},
            }),
            json!({
                "a": {"$ref": "#/$defs/gone"},
                "b": {"type": "object", "properties": {"c": {}}, "required": ["c"]},
            }),
            Value::Null,
        );
        for own in [json!(true), json!(3), json!({"properties": []})] {
            check("(a::Any)==>(::Any)", own, json!({"a": {}}), Value::Null);
        }
    }
}
