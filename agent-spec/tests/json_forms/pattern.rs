//! Patterns in their JSON form.

use agent_gram::value::{Array, Decimal, Measurement, Number, Range, Record, Symbol, Tagged};
use agent_gram::{Pattern, Subject, Value};
use agent_spec::json::{PatternJson, pattern_from_json, pattern_to_json, pattern_to_ordered};
use serde_json::json;

fn with(value: Value) -> Pattern {
    let mut subject = Subject::new("x");
    subject.properties.insert("p", value).expect("flat");
    Pattern::new(subject, vec![]).expect("flat")
}

fn map(entries: &[(&'static str, Value)]) -> Value {
    let entries = entries
        .iter()
        .map(|(key, value)| ((*key).into(), value.clone()));
    Value::Map(Record::from_entries(entries).expect("flat"))
}

fn text(text: &'static str) -> Value {
    Value::String(text.into())
}

fn decimal(value: f64) -> Decimal {
    Decimal::new(value).expect("finite")
}

fn measurement(value: f64, unit: &'static str) -> Measurement {
    Measurement::new(value, unit).expect("a measurement")
}

fn range(lower: Option<Number>, upper: Option<Number>) -> Value {
    Value::from(Range::new(lower, upper).expect("a range"))
}

#[test]
fn writes_every_kind_of_value() {
    let symbol = Value::Symbol(Symbol::from_static("Person"));
    for (value, expected) in [
        (Value::Integer(5), "5"),
        (Value::Integer(i64::MIN.into()), "-9223372036854775808"),
        (Value::Integer(u64::MAX.into()), "18446744073709551615"),
        (
            Value::Integer(i128::from(u64::MAX) + 1),
            r#"{"type":"integer","value":"18446744073709551616"}"#,
        ),
        (
            Value::Integer(i128::MIN),
            r#"{"type":"integer","value":"-170141183460469231731687303715884105728"}"#,
        ),
        (Value::Decimal(decimal(2.0)), "2.0"),
        (Value::Boolean(false), "false"),
        (text("x"), r#""x""#),
        (symbol.clone(), r#"{"type":"symbol","value":"Person"}"#),
        (
            Value::from(Tagged::from_static("date", "2026-11-21")),
            r#"{"type":"tagged","tag":"date","content":"2026-11-21"}"#,
        ),
        (
            range(
                Some(Number::Integer(1)),
                Some(Number::Decimal(decimal(10.0))),
            ),
            r#"{"type":"range","lower":1,"upper":10.0}"#,
        ),
        (
            range(None, Some(Number::Measurement(measurement(1.5, "kg")))),
            r#"{"type":"range","lower":null,"upper":{"type":"measurement","value":1.5,"unit":"kg"}}"#,
        ),
        (
            range(Some(Number::Integer(i128::MAX)), None),
            concat!(
                r#"{"type":"range","lower":{"type":"integer","#,
                r#""value":"170141183460469231731687303715884105727"},"upper":null}"#,
            ),
        ),
        (
            Value::from(measurement(10.0, "s")),
            r#"{"type":"measurement","value":10,"unit":"s"}"#,
        ),
        (
            Value::Array(Array::new(vec![symbol.clone(), text("a")]).expect("flat")),
            r#"[{"type":"symbol","value":"Person"},"a"]"#,
        ),
        (
            map(&[("z", Value::Integer(1)), ("a", Value::Integer(2))]),
            r#"{"z":1,"a":2}"#,
        ),
        (map(&[("type", text("Text"))]), r#"{"type":"Text"}"#),
        (
            map(&[("type", symbol)]),
            r#"{"type":{"type":"symbol","value":"Person"}}"#,
        ),
        (
            map(&[("type", text("symbol")), ("value", text("x"))]),
            r#"{"type":"map","entries":{"type":"symbol","value":"x"}}"#,
        ),
        (
            map(&[("type", text("map"))]),
            r#"{"type":"map","entries":{"type":"map"}}"#,
        ),
        (
            map(&[("type", text("integer"))]),
            r#"{"type":"map","entries":{"type":"integer"}}"#,
        ),
    ] {
        let pattern = with(value);
        let expected = format!(
            r#"{{"subject":{{"identity":"x","labels":[],"properties":{{"p":{expected}}}}},"elements":[]}}"#
        );
        assert_eq!(pattern_to_ordered(&pattern).to_string(), expected);
        let written = serde_json::to_string(&PatternJson(&pattern)).expect("JSON");
        assert_eq!(written, expected);
        let json = pattern_to_json(&pattern);
        let parsed: serde_json::Value = serde_json::from_str(&expected).expect("JSON");
        assert_eq!(json, parsed);
        assert_eq!(pattern_from_json(&json), Ok(pattern));
    }
}

#[test]
fn writes_subject_and_elements() {
    let leaf = Pattern::new(Subject::default().with_label("B").with_label("A"), vec![]);
    let pattern = Pattern::new(Subject::new("a b"), vec![leaf.expect("flat")]).expect("flat");
    let expected = concat!(
        r#"{"subject":{"identity":"a b","labels":[],"properties":{}},"elements":["#,
        r#"{"subject":{"identity":"","labels":["B","A"],"properties":{}},"elements":[]}]}"#,
    );
    assert_eq!(pattern_to_ordered(&pattern).to_string(), expected);
    let written = serde_json::to_string(&PatternJson(&pattern)).expect("JSON");
    assert_eq!(written, expected);
}

#[test]
fn missing_members_are_empty() {
    for json in [
        json!({}),
        json!({"subject": {}}),
        json!({"subject": null, "elements": []}),
    ] {
        assert_eq!(pattern_from_json(&json), Ok(Pattern::default()));
    }
    let json = json!({"subject": {"labels": ["A", "A"]}});
    let pattern = pattern_from_json(&json).expect("a pattern");
    assert_eq!(pattern.subject().labels, ["A"]);
}
