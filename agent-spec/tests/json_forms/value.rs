//! Plain JSON.

use agent_gram::MAX_DEPTH;
use agent_gram::Value;
use agent_gram::value::{Array, Decimal, Measurement, Number, Range, Record, Symbol, Tagged};
use agent_spec::json::{json_to_value, value_to_json};
use serde_json::{Value as Json, json};

fn decimal(value: f64) -> Value {
    Value::Decimal(Decimal::new(value).expect("finite"))
}

fn list(items: Vec<Value>) -> Value {
    Value::Array(Array::new(items).expect("flat"))
}

fn map(key: &'static str, value: Value) -> Value {
    Value::Map(Record::from_entries([(key.into(), value)]).expect("flat"))
}

#[test]
fn plain_values_round_trip() {
    for (value, json) in [
        (Value::Integer(5), json!(5)),
        (Value::Integer(u64::MAX.into()), json!(u64::MAX)),
        (Value::Integer(i64::MIN.into()), json!(i64::MIN)),
        (decimal(2.0), json!(2.0)),
        (decimal(-0.5), json!(-0.5)),
        (Value::Boolean(true), json!(true)),
        (Value::String("x".into()), json!("x")),
        (list(vec![Value::Integer(1), decimal(1.0)]), json!([1, 1.0])),
        (map("a b", list(vec![])), json!({"a b": []})),
        (
            map("type", Value::String("symbol".into())),
            json!({"type": "symbol"}),
        ),
    ] {
        assert_eq!(value_to_json(&value), Some(json.clone()));
        assert_eq!(json_to_value(&json), Some(value));
    }
    assert_eq!(
        value_to_json(&decimal(2.0)).expect("plain").to_string(),
        "2.0"
    );
    let tagged = Value::from(Tagged::from_static("date", "2026-11-21"));
    assert_eq!(value_to_json(&tagged), Some(json!("2026-11-21")));
}

#[test]
fn other_values_have_no_plain_form() {
    let symbol = || Value::Symbol(Symbol::from_static("x"));
    for value in [
        symbol(),
        list(vec![symbol()]),
        map("a", list(vec![symbol()])),
        Value::from(Range::new(Some(Number::Integer(1)), None).expect("a range")),
        Value::from(Measurement::new(10.0, "s").expect("a measurement")),
        Value::Integer(i128::MAX),
        Value::Integer(i128::from(i64::MIN) - 1),
    ] {
        assert_eq!(value_to_json(&value), None, "{value:?}");
    }
}

#[test]
fn rejects_json_that_gram_cannot_express() {
    for json in [json!(null), json!([null]), json!({"a": {"b": null}})] {
        assert_eq!(json_to_value(&json), None, "{json}");
    }
    assert!(json_to_value(&nested(MAX_DEPTH)).is_some());
    assert_eq!(json_to_value(&nested(MAX_DEPTH + 1)), None);
    assert_eq!(json_to_value(&nested(5_000)), None);
}

fn nested(depth: usize) -> Json {
    (1..depth).fold(json!([]), |inner, _| Json::Array(vec![inner]))
}
