//! JSON that is not the form of a pattern.

use agent_spec::json::pattern_from_json;
use serde_json::{Value, json};

#[test]
fn errors_name_the_path_and_the_expected_value() {
    for (json, expected) in [
        (
            json!([]),
            r#"`$`: expected a pattern, `{"subject", "elements"}`, found the list []"#,
        ),
        (
            json!({"label": "A"}),
            "`$.label`: expected only the members `subject`, `elements`, found a member of another name",
        ),
        (
            json!({"subject": {"identity": 1}}),
            "`$.subject.identity`: expected a text, found the number 1",
        ),
        (
            json!({"subject": {"labels": ["A", 1]}}),
            "`$.subject.labels[1]`: expected a label, found the number 1",
        ),
        (
            json!({"elements": [{"elements": {}}]}),
            "`$.elements[0].elements`: expected a list of patterns, found the object {}",
        ),
        (
            property(json!([1, null])),
            "`$.subject.properties.p[1]`: expected a value (gram has no null), found null",
        ),
        (
            property(json!({"type": "symbol"})),
            "`$.subject.properties.p.value`: expected the symbol's text, found nothing",
        ),
        (
            property(json!({"type": "symbol", "value": "x", "tag": "y"})),
            "`$.subject.properties.p.tag`: expected only the members `type`, `value`, found a member of another name",
        ),
        (
            property(json!({"type": "tagged", "tag": 1, "content": ""})),
            "`$.subject.properties.p.tag`: expected the tag, found the number 1",
        ),
        (
            property(json!({"type": "map", "entries": {"type": "map"}, "value": 1})),
            "`$.subject.properties.p.value`: expected only the members `type`, `entries`, found a member of another name",
        ),
        (
            property(json!({"type": "range", "lower": "1"})),
            "`$.subject.properties.p.lower`: expected a number, a measurement or null, found the text \"1\"",
        ),
        (
            property(json!({"type": "range"})),
            "`$.subject.properties.p`: expected what gram can say, found a range needs at least one end",
        ),
        (
            property(json!({"type": "measurement", "unit": "s"})),
            "`$.subject.properties.p`: expected a measurement with a number as its `value`, found the object {\"type\":\"measurement\",\"unit\":\"s\"}",
        ),
        (
            property(json!({"type": "integer", "value": "1.5"})),
            "`$.subject.properties.p`: expected an integer of 128 bits, found the digits 1.5",
        ),
    ] {
        let error = pattern_from_json(&json).expect_err("an error");
        assert_eq!(error.to_string(), expected);
    }
    let error = pattern_from_json(&property(json!({"type": "symbol", "value": "a b"})));
    assert_eq!(
        error.expect_err("no symbol").path(),
        "$.subject.properties.p"
    );
}

#[test]
fn rejects_deep_json_without_overflow() {
    for depth in [129, 600] {
        let elements = nested(depth, |inner| object("elements", Value::Array(vec![inner])));
        let values = nested(depth, |inner| Value::Array(vec![inner]));
        let maps = nested(depth, |inner| {
            let mut map = object("entries", object("a", inner));
            map["type"] = json!("map");
            map
        });
        let in_property = |value| object("subject", object("properties", object("p", value)));
        for json in [elements, in_property(values), in_property(maps)] {
            assert!(pattern_from_json(&json).is_err());
        }
    }
}

fn nested(depth: usize, around: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(json!({}), |inner, _| around(inner))
}

/// An object of one member. The macro `json!` would copy the member, all its depth.
fn object(key: &str, member: Value) -> Value {
    Value::Object([(key.to_owned(), member)].into_iter().collect())
}

fn property(value: Value) -> Value {
    json!({"subject": {"properties": {"p": value}}})
}
