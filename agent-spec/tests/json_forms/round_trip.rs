//! Any pattern survives its JSON form.

use agent_gram::value::{Array, Decimal, Measurement, Number, Range, Record, Symbol, Tagged, Text};
use agent_gram::{Pattern, Subject, Value};
use agent_spec::json::json_to_value;
use agent_spec::json::value_to_json;
use agent_spec::json::{pattern_from_json, pattern_to_json, pattern_to_ordered};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn text() -> impl Strategy<Value = Text> {
    let special = select(
        &[
            "type",
            "symbol",
            "tagged",
            "range",
            "measurement",
            "integer",
            "map",
            "value",
            "entries",
        ][..],
    );
    prop_oneof![special.prop_map(Text::from), ".{0,6}".prop_map(Text::from)]
}

fn integer() -> impl Strategy<Value = i128> {
    let ends = [
        i64::MIN.into(),
        i64::MAX.into(),
        u64::MAX.into(),
        i128::MIN,
        i128::MAX,
    ];
    prop_oneof![any::<i128>(), -9_i128..9, select(ends.to_vec())]
}

fn double() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        (-9_i8..9).prop_map(f64::from),
    ]
}

fn decimal() -> impl Strategy<Value = Decimal> {
    double().prop_map(|value| Decimal::new(value).expect("finite"))
}

fn measurement() -> impl Strategy<Value = Measurement> {
    (double(), "[a-wyzA-Z][a-zA-Z]{0,3}")
        .prop_map(|(value, unit)| Measurement::new(value, unit).expect("a measurement"))
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        integer().prop_map(Number::Integer),
        decimal().prop_map(Number::Decimal),
        measurement().prop_map(Number::Measurement),
    ]
}

fn range() -> impl Strategy<Value = Range> {
    let ends = (
        proptest::option::of(number()),
        proptest::option::of(number()),
    );
    ends.prop_filter_map("an end", |(lower, upper)| Range::new(lower, upper).ok())
}

fn value() -> impl Strategy<Value = Value> {
    let symbol = "[a-zA-Z_][a-zA-Z0-9_.@-]{0,5}";
    let leaf = prop_oneof![
        integer().prop_map(Value::Integer),
        decimal().prop_map(Value::Decimal),
        any::<bool>().prop_map(Value::Boolean),
        text().prop_map(Value::String),
        symbol.prop_filter_map("a symbol", |text| Some(Value::Symbol(
            Symbol::new(text).ok()?
        ))),
        (symbol, text()).prop_filter_map("a tag", |(tag, content)| {
            Some(Value::from(Tagged::new(tag, content).ok()?))
        }),
        range().prop_map(Value::from),
        measurement().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3)
                .prop_map(|items| Value::Array(Array::new(items).expect("not deep"))),
            record(inner).prop_map(Value::Map),
        ]
    })
}

fn record(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Record> {
    vec((text(), value), 0..3).prop_map(|entries| Record::from_entries(entries).expect("not deep"))
}

fn subject() -> impl Strategy<Value = Subject> {
    let parts = (text(), vec(text(), 0..3), record(value()));
    parts.prop_map(|(identity, labels, properties)| {
        let subject = Subject {
            properties,
            ..Subject::new(identity)
        };
        labels.into_iter().fold(subject, Subject::with_label)
    })
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let leaf = subject().prop_map(|subject| made(subject, vec![]));
    leaf.prop_recursive(2, 4, 2, |inner| {
        (subject(), vec(inner, 0..3)).prop_map(|(subject, elements)| made(subject, elements))
    })
}

fn made(subject: Subject, elements: Vec<Pattern>) -> Pattern {
    Pattern::new(subject, elements).expect("not deep")
}

/// A plain value compared by what JSON can tell apart: tagged text is text.
fn plain(value: &Value) -> Value {
    match value {
        Value::Tagged(tagged) => Value::String(tagged.content().to_owned().into()),
        Value::Array(items) => {
            let items = items.as_slice().iter().map(plain).collect();
            Value::Array(Array::new(items).expect("not deep"))
        }
        Value::Map(record) => {
            let entries = record.entries().iter();
            let entries = entries.map(|(key, value)| (key.clone(), plain(value)));
            Value::Map(Record::from_entries(entries).expect("not deep"))
        }
        value => value.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_shrink_iters: 300, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn patterns_round_trip_through_json(pattern in pattern()) {
        let json = pattern_to_json(&pattern);
        prop_assert_eq!(pattern_from_json(&json), Ok(pattern.clone()), "{}", json);
        let ordered = pattern_to_ordered(&pattern);
        prop_assert_eq!(ordered.to_value(), json);
    }

    #[test]
    fn plain_values_round_trip_through_json(value in value()) {
        if let Some(json) = value_to_json(&value) {
            prop_assert_eq!(json_to_value(&json), Some(plain(&value)));
        }
    }
}
