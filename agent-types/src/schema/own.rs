//! The parts of a tool's own JSON Schema in the places where a spec allows any value.
//!
//! A spec may say `Any` where the tool has a schema that no gram type expresses. The model gets that schema
//! there, because the tool refuses what does not satisfy it.

use super::extract::{Extract, member};
use super::{Members, Schema};
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
    let mut members = schema.members.to_vec();
    // The tool's schema. A reference that leads nowhere stays as it is.
    let mut walk = Walk(Extract::new(&root));
    walk.0.definitions.take_from(&mut members);
    walk.fill(&mut members, &root);
    walk.0.finish();
    Schema::from_members(walk.0.definitions.added_to(members))
}

struct Walk<'s>(Extract<'s>);

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
                    let items = self.0.copied_member(key, items);
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
        let Ordered::Object(taken) = self.0.copied(own) else {
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
                (Some(Ordered::Text(reference)), _) => self.0.resolve(reference),
                (_, part) => part,
            };
            match next {
                Some(next) => at = next,
                None => return at,
            }
        }
        at
    }
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
                "all": {"$ref": "#/$defs/root"},
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
                "leaf": {"type": "string"},
                "root": {
                    "type": "object",
                    "properties": {
                        "tree": {"$ref": "#/$defs/a_1Node"},
                        "again": {"anyOf": [{"$ref": "#/$defs/a_1Node"}, {"$ref": "other.json"}]},
                        "all": {"$ref": "#/$defs/root"},
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
