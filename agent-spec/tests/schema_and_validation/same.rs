//! Comparing schemas.

use agent_spec::schema::same_schema;
use serde_json::{Value, json};

#[test]
fn equal_schemas_may_differ_in_notation() {
    for (left, right) in [
        (json!({}), json!({})),
        (json!(true), json!(true)),
        (
            json!({"type": "object"}),
            json!({"required": [], "type": "object"}),
        ),
        (
            json!({"required": ["a", "b"]}),
            json!({"required": ["b", "a"]}),
        ),
        (
            json!({"type": ["string", "null"]}),
            json!({"type": ["null", "string"]}),
        ),
        (json!({"minimum": 1}), json!({"minimum": 1.0})),
        (
            json!({"properties": {"a": {"type": "object", "required": []}}}),
            json!({"properties": {"a": {"type": "object"}}}),
        ),
        (json!({"items": {"required": []}}), json!({"items": {}})),
        (json!({"items": [{"required": []}]}), json!({"items": [{}]})),
        (
            json!({"additionalProperties": {"required": ["a", "b"]}}),
            json!({"additionalProperties": {"required": ["b", "a"]}}),
        ),
        (
            json!({"anyOf": [{"required": []}, {}]}),
            json!({"anyOf": [{}, {}]}),
        ),
        (
            json!({"$defs": {"A": {"required": []}}}),
            json!({"$defs": {"A": {}}}),
        ),
    ] {
        assert!(both_ways(&left, &right), "{left} {right}");
    }
}

#[test]
fn different_schemas_are_not_equal() {
    for (left, right) in [
        (json!({}), json!(true)),
        (json!({"type": "string"}), json!({"type": "integer"})),
        (json!({"type": "string"}), json!({})),
        (json!({"required": ["a"]}), json!({})),
        (json!({"required": ["a"]}), json!({"required": ["a", "b"]})),
        (
            json!({"properties": {"a": {}}}),
            json!({"properties": {"b": {}}}),
        ),
        (
            json!({"properties": {"a": {}}}),
            json!({"properties": {"a": {}, "b": {}}}),
        ),
        (
            json!({"anyOf": [{}, {"type": "null"}]}),
            json!({"anyOf": [{}]}),
        ),
        (
            json!({"additionalProperties": false}),
            json!({"additionalProperties": {}}),
        ),
        // Not places where schemas stand: here `required` is a word like any other.
        (json!({"default": {"required": []}}), json!({"default": {}})),
        (json!({"const": {"required": []}}), json!({"const": {}})),
        (json!({"enum": [{"required": []}]}), json!({"enum": [{}]})),
        (
            json!({"properties": {"required": {"type": "null"}}}),
            json!({"properties": {}}),
        ),
    ] {
        assert!(!both_ways(&left, &right), "{left} {right}");
    }
}

fn both_ways(left: &Value, right: &Value) -> bool {
    let same = same_schema(left, right);
    assert_eq!(same, same_schema(right, left), "{left} {right}");
    same
}
