//! The canonical schemas.

use crate::schema_and_validation::making::*;
use agent_gram::Value;
use agent_gram::value::{Symbol, Tagged};
use agent_spec::types::Bound;
use agent_spec::{Constraints, Kind, Returns, Signature, Type};
use serde_json::json;

#[test]
fn every_type_has_one_schema() {
    let days = json!({"enum": ["Mon", "Tue"]});
    for (ty, expected) in [
        (anything(), "{}"),
        (maybe(anything()), "{}"),
        (Type::new(Kind::Null), r#"{"type":"null"}"#),
        (maybe(Type::new(Kind::Null)), r#"{"type":"null"}"#),
        (text(), r#"{"type":"string"}"#),
        (int(), r#"{"type":"integer"}"#),
        (Type::int_in(&(0, 255)), r#"{"type":"integer"}"#),
        (double(), r#"{"type":"number"}"#),
        (Type::new(Kind::Bool), r#"{"type":"boolean"}"#),
        (maybe(text()), r#"{"type":["string","null"]}"#),
        (list(anything()), r#"{"type":"array"}"#),
        (
            list(maybe(int())),
            r#"{"type":"array","items":{"type":["integer","null"]}}"#,
        ),
        (open(), r#"{"type":"object"}"#),
        (
            map(anything()),
            r#"{"type":"object","additionalProperties":{}}"#,
        ),
        (
            map(list(text())),
            r#"{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}"#,
        ),
        (
            record(vec![]),
            r#"{"type":"object","properties":{},"required":[]}"#,
        ),
        (
            any_of(vec![text(), int()]),
            r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#,
        ),
        (
            maybe(any_of(vec![text(), record(vec![field("a", text())])])),
            r#"{"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"null"}]}"#,
        ),
        (
            narrowed(any_of(vec![text(), int()]), json!({"enum": ["a", 1]})),
            r#"{"anyOf":[{"type":"string"},{"type":"integer"}],"enum":["a",1]}"#,
        ),
        (
            maybe(tuple(vec![double(), maybe(text())])),
            r#"{"type":["array","null"],"prefixItems":[{"type":"number"},{"type":["string","null"]}],"items":false,"minItems":2,"maxItems":2}"#,
        ),
        (
            extended(vec![field("a", text())], int()),
            r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":{"type":"integer"}}"#,
        ),
        (
            narrowed(
                double(),
                json!({"exclusiveMinimum": 0, "exclusiveMaximum": 1.5, "multipleOf": 0.1}),
            ),
            r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1.5,"multipleOf":0.1}"#,
        ),
        (
            narrowed(text(), days.clone()),
            r#"{"type":"string","enum":["Mon","Tue"]}"#,
        ),
        (
            list(maybe(narrowed(text(), days))),
            r#"{"type":"array","items":{"type":["string","null"],"enum":["Mon","Tue",null]}}"#,
        ),
    ] {
        assert_eq!(ty.schema().to_string(), expected);
    }
}

#[test]
fn members_have_one_order() {
    let keywords = json!({
        "maxItems": 9, "minItems": 8, "pattern": "^p$", "maxLength": 7, "minLength": 6,
        "maximum": 5.5, "minimum": -4, "format": "date", "enum": ["x"],
    });
    let inner = record(vec![
        field("z", text()),
        field("a", maybe(text())).with_description("second"),
    ]);
    let params = vec![
        field("query", narrowed(text(), keywords))
            .with_description("what to look for")
            .with_default(Value::String("x".into())),
        field("inner", inner),
        field("tags", narrowed(list(text()), json!({"minItems": 1}))),
    ];
    assert_eq!(
        signature(params).schema().to_string(),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""query":{"type":"string","description":"what to look for","default":"x","enum":["x"],"#,
            r#""format":"date","minimum":-4,"maximum":5.5,"minLength":6,"maxLength":7,"#,
            r#""pattern":"^p$","minItems":8,"maxItems":9},"#,
            r#""inner":{"type":"object","properties":{"z":{"type":"string"},"#,
            r#""a":{"type":"string","description":"second"}},"required":["z"]},"#,
            r#""tags":{"type":"array","items":{"type":"string"},"minItems":1}},"#,
            r#""required":["inner","tags"]}"#,
        )
    );
}

#[test]
fn an_optional_field_is_not_required_and_not_null() {
    let schema = signature(vec![
        field("a", maybe(int())),
        field("b", int()).with_default(Value::Integer(1)),
        field("c", int()),
    ])
    .schema();
    assert_eq!(
        schema.to_string(),
        concat!(
            r#"{"type":"object","properties":{"a":{"type":"integer"},"#,
            r#""b":{"type":"integer","default":1},"c":{"type":"integer"}},"required":["c"]}"#,
        )
    );
}

#[test]
fn a_result_has_a_schema() {
    let of = |returns: Returns| Signature::new(vec![], returns).return_schema().to_string();
    for (returns, expected) in [
        (Returns::new(text()), r#"{"type":"string"}"#),
        (
            Returns::new(maybe(text())).with_description("a greeting"),
            r#"{"type":["string","null"],"description":"a greeting"}"#,
        ),
        (Returns::new(Type::new(Kind::Null)), r#"{"type":"null"}"#),
        (Returns::new(anything()), "{}"),
    ] {
        assert_eq!(of(returns), expected);
    }
}

#[test]
fn omits_parts_that_json_cannot_express() {
    let symbol = Value::Symbol(Symbol::from_static("x"));
    let tagged = Value::from(Tagged::from_static("date", "2026-11-21"));
    let mut constraints = Constraints::NONE;
    constraints.enumeration = vec![symbol.clone(), tagged].into();
    let ty = text().with_constraints(constraints);
    let schema = signature(vec![field("a", ty).with_default(symbol)]).schema();
    assert_eq!(
        schema.to_value()["properties"]["a"],
        json!({"type": "string", "enum": ["2026-11-21"]})
    );
}

#[test]
fn wide_bounds_are_exact_in_text_and_rounded_in_values() {
    let mut constraints = Constraints::NONE;
    constraints.maximum = Some(Bound::Int(i128::MAX));
    let schema = int().with_constraints(constraints).schema();
    assert_eq!(
        schema.to_string(),
        format!(r#"{{"type":"integer","maximum":{}}}"#, i128::MAX)
    );
    assert_eq!(schema.to_value()["maximum"], json!(i128::MAX as f64));
}

#[test]
fn value_and_text_are_the_same_schema() {
    let schema = record(vec![field("a", narrowed(int(), json!({"minimum": 1})))]).schema();
    let parsed: serde_json::Value = serde_json::from_str(&schema.to_string()).expect("JSON");
    assert_eq!(schema.to_value(), parsed);
}
