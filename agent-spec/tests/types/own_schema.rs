//! Tests of `agent_types::schema::own`.

use agent_types::__private::with_own;
use serde_json::{Value, json};

/// Checks the properties and the definitions of the schema of a signature over that of a tool.
#[track_caller]
fn check(signature: &str, own: Value, properties: Value, definitions: Value) {
    let schema = agent_spec::parse_signature(signature)
        .expect("a signature")
        .schema();
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
