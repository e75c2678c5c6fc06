//! Values of results in arguments: what is found, and what is not.

use super::TracedValues;
use serde_json::{Value, json};

fn found(result: &str, arguments: &Value) -> Option<String> {
    TracedValues::of_result(result).found_in(arguments)
}

#[test]
fn finds_values_however_they_are_written() {
    let result = r#"{"amount": 1250.5, "on": "2026-03-01", "at": "203.0.113.9", "level": "Very High", "ids": [4711]}"#;
    for (arguments, path) in [
        (json!({"a": 1250.5}), Some("a")),
        (json!({"a": -1250.5}), Some("a")),
        (json!({"a": "1250.50"}), Some("a")),
        (json!({"a": " 1,250.5 "}), Some("a")),
        (json!({"a": "1250,50"}), Some("a")),
        (json!({"a": "EUR 1.250,50"}), Some("a")),
        (json!({"a": {"b": [1, 4711]}}), Some("a.b[1]")),
        (json!({"a": "{\"b\": 4711}"}), Some("a.b")),
        (json!({"a": "\"{\\\"b\\\": 4711}\""}), Some("a.b")),
        (json!({"a": {"4711": true}}), Some("a.4711")),
        (json!({"a": "#4711"}), Some("a")),
        (json!({"a": "order-4711"}), Some("a")),
        (json!({"a": "order 4711 please"}), Some("a")),
        (json!({"a": "4711\u{200b}"}), Some("a")),
        (json!({"a": "４７１１"}), Some("a")),
        (json!({"a": "http://203.0.113.9/x"}), Some("a")),
        (json!({"a": "2026-03-01T00:00:00Z"}), Some("a")),
        (json!({"a": "very  high"}), Some("a")),
        // A word in a text is there by chance, and a part of a value is another value.
        (json!({"a": "a very high tower"}), None),
        (json!({"a": 471}), None),
        (json!({"a": "47110"}), None),
        (json!({"a": "2026"}), None),
        // The names of fields, and of the arguments, are no values.
        (json!({"amount": "amount", "ids": "ids", "4711": 1}), None),
        (json!({}), None),
    ] {
        let expected = path.map(str::to_owned);
        assert_eq!(found(result, &arguments), expected, "{arguments}");
    }
}

#[test]
fn a_result_can_be_one_value() {
    assert!(found("4711", &json!({"a": 4711})).is_some());
    assert!(found("high", &json!({"a": "High"})).is_some());
    assert!(found("high", &json!({"a": "highest"})).is_none());
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
