//! Tests of the errors that a model reads when a value is of no variant of an enum.

use super::call;
use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::{GramType, Tool, tool};
use std::collections::HashMap;

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
enum Shape {
    Nothing,
    Point,
    Circle { radius: f64 },
    Square(f64),
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
enum Data {
    Number(i64),
    Text(String),
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", untagged)]
enum Place {
    Address { street: String, zip: u32 },
    Point { latitude: f64, longitude: f64 },
    Id(u32),
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
enum Tail {
    Off,
    Level(u8),
    #[serde(untagged)]
    Percent(f64),
}

/// Gives back its argument
#[tool(inline)]
fn shape(value: Shape) -> Shape {
    value
}

/// Gives back its argument
#[tool(inline)]
fn data(value: Data) -> Data {
    value
}

/// Gives back its argument
#[tool(inline)]
fn place(value: Place) -> Place {
    value
}

/// Gives back its argument
#[tool(inline)]
fn tail(value: Tail) -> Tail {
    value
}

/// Gives back its argument
#[tool(inline)]
fn counts(value: HashMap<u8, bool>) -> HashMap<u8, bool> {
    value
}

fn check(tool: &dyn Tool, cases: &[(Value, &str)]) {
    for (value, expected) in cases {
        let error = call(tool, &json!({ "value": value })).expect_err("it is of no variant");
        assert!(error.ends_with(expected), "{value}:\n{error}\n{expected}");
        assert!(!error.contains("expected value"), "{error}");
    }
}

#[test]
fn a_value_of_no_variant_names_the_variants() {
    let all = r#"`$.value`: expected one of "Nothing", "Point", or an object with one of the keys "Circle", "Square", found"#;
    let with = |found: &str| format!("{all} {found}");
    check(
        &shape {},
        &[
            (json!({}), &with("an object without keys")),
            (json!("Dot"), &with(r#"the text "Dot""#)),
            (
                json!("Pont"),
                &with(r#"the text "Pont"; did you mean "Point"?"#),
            ),
            (
                json!("Circle"),
                &with(r#"the text "Circle"; "Circle" has a value: {"Circle": …}"#),
            ),
            (
                json!({"Circel": {"radius": 1}}),
                &with(r#"an object with the key "Circel"; did you mean "Circle"?"#),
            ),
            (
                json!({"Circle": {"radius": 1}, "Square": 2}),
                &with(r#"an object with the keys "Circle", "Square""#),
            ),
            (
                json!({"type": "Circle", "radius": 1}),
                &with(r#"an object with the keys "radius", "type""#),
            ),
            (json!(7), &with("the number 7")),
            (
                json!({"Circle": {}}),
                "`$.value.Circle.radius`: expected Double, found nothing; `radius` is required",
            ),
            (
                json!({"Square": "x"}),
                r#"`$.value.Square`: expected Double, found the text "x""#,
            ),
        ],
    );
    check(
        &data {},
        &[
            (
                json!({}),
                r#"`$.value`: expected an object with one of the keys "Number", "Text", found an object without keys"#,
            ),
            (
                json!("Number"),
                r#"found the text "Number"; "Number" has a value: {"Number": …}"#,
            ),
        ],
    );
    check(
        &tail {},
        &[
            (
                json!(true),
                r#"`$.value`: expected "Off", or an object with the key "Level", or Double, found true"#,
            ),
            (json!("on"), r#"or Double, found the text "on""#),
            (
                json!({"Level": 256}),
                "`$.value.Level`: expected Int from 0 to 255, found the number 256",
            ),
        ],
    );
}

#[test]
fn a_unit_variant_written_as_an_object_is_explained_where_the_call_is_validated() {
    use agent_runtime::spec::{Field, Returns, Signature};
    let param = Field::new("value", <Shape as GramType>::TYPE.clone());
    let signature = Signature::new(vec![param], Returns::new(<Shape as GramType>::TYPE.clone()));
    let error = signature
        .check_arguments(r#"{"value": {"Point": null}}"#, None)
        .expect_err("it is a text");
    let help = r#""Point" has no value: write the text "Point""#;
    assert_eq!(error.first().help(), Some(help));
}

#[test]
fn a_value_of_no_alternative_names_the_nearest() {
    check(
        &place {},
        &[
            (
                json!({"street": "a"}),
                "`$.value.zip`: expected Int, found nothing; `zip` is required",
            ),
            (
                json!({"latitude": 1, "longitude": "x"}),
                r#"`$.value.longitude`: expected Double, found the text "x""#,
            ),
            (
                json!(-1),
                "`$.value`: expected Int from 0 to 4294967295, found the number -1",
            ),
            (
                json!("a"),
                r#"`$.value`: expected Object or Int, found the text "a""#,
            ),
        ],
    );
}

#[test]
fn a_key_that_is_no_number_is_named() {
    let error = call(&counts {}, &json!({"value": {"one": true}})).expect_err("no number");
    assert!(
        error.contains("$.value") && error.contains("a number in quotes"),
        "{error}"
    );
}

#[test]
fn an_object_keeps_the_keys_of_another_variant_that_it_fits() {
    #[derive(Deserialize, Serialize, GramType)]
    #[serde(crate = "agent_runtime::serde", untagged)]
    enum Closed {
        Short(Short),
        Long { a: u8, b: u8 },
    }
    #[derive(Deserialize, Serialize, GramType)]
    #[serde(crate = "agent_runtime::serde", deny_unknown_fields)]
    struct Short {
        a: u8,
    }
    /// Gives back its argument
    #[tool(inline)]
    fn closed(value: Closed) -> Closed {
        value
    }
    let long = json!({"a": 1, "b": 2});
    let written = call(&closed {}, &json!({"value": {"a": 1.0, "b": 2}}));
    assert_eq!(written, Ok(long));
}
