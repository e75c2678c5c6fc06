//! Values of results in arguments: what is found, and what is not.

use super::TracedValues;
use serde_json::{Value, json};

fn found(result: &str, arguments: &Value) -> Option<String> {
    TracedValues::of_result(result).found_in(arguments)
}

#[test]
fn finds_values_however_they_are_written() {
    let result = r#"{"amount": 1250.5, "on": "2026-03-01", "level": "Very High", "ids": [4711]}"#;
    for (arguments, path) in [
        (json!({"a": 1250.5}), Some("a")),
        (json!({"a": "1250.50"}), Some("a")),
        (json!({"a": " 1,250.5 "}), Some("a")),
        (json!({"a": {"b": [1, 4711]}}), Some("a.b[1]")),
        (json!({"a": "{\"b\": 4711}"}), Some("a.b")),
        (json!({"a": "very  high"}), Some("a")),
        (json!({"on": "2026-03-01"}), Some("on")),
        // A part of a value is another value.
        (json!({"a": 471}), None),
        (json!({"a": "on 2026-03-01"}), None),
        (json!({"a": "2026"}), None),
        // The name of a field is no value.
        (json!({"amount": "amount", "ids": "ids"}), None),
        (json!({}), None),
    ] {
        let expected = path.map(str::to_owned);
        assert_eq!(found(result, &arguments), expected, "{arguments}");
    }
}

#[test]
fn finds_the_words_of_a_sentence() {
    let result = "The customer wants 99.90 euros (order 4711).";
    for (arguments, is_found) in [
        (json!({"a": 99.9}), true),
        (json!({"a": 4711}), true),
        (json!({"a": "4711"}), true),
        (json!({"a": 4712}), false),
        (json!({"a": "customers"}), false),
    ] {
        assert_eq!(found(result, &arguments).is_some(), is_found, "{arguments}");
    }
}

#[test]
fn booleans_and_small_numbers_are_not_traced() {
    let result = r#"{"urgent": true, "count": 3, "none": null, "ratio": 0.5}"#;
    for arguments in [
        json!({"a": true}),
        json!({"a": 3}),
        json!({"a": "3"}),
        json!({"a": null}),
    ] {
        assert_eq!(found(result, &arguments), None, "{arguments}");
    }
    assert!(found(result, &json!({"a": 0.5})).is_some());
}
