//! Patterns of every kind, for property tests.

use agent_gram::value::{
    Array, Decimal, Measurement, Number, Range, Record, Symbol, Tagged, Value,
};
use agent_gram::{Pattern, Subject};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r"),
        Just("\r\n"),
        Just("\t"),
        Just(" "),
        Just("`"),
        Just("```"),
        Just("\""),
        Just("'"),
        Just("\\"),
        Just("//"),
        Just("/**"),
        Just("\u{0}"),
        Just("\u{8}"),
        Just("\u{feff}"),
        Just("\u{2028}"),
        Just("é"),
        Just("😀"),
        Just("a"),
        Just("true"),
        Just("-"),
        Just("@"),
        Just("."),
        Just("1"),
        Just("{"),
        Just(")"),
        Just("]"),
    ];
    prop_oneof![
        4 => proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat()),
        2 => "[a-z]{1,6}",
        1 => any::<String>(),
        1 => "[a-z ]{100,130}",
        1 => "-?[0-9]{1,3}",
    ]
}

fn symbol() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z_][0-9A-Za-z_.@-]{0,5}", Just("true".to_owned())]
}

fn float() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        -1000.0..1000.0,
        (-5_i32..5).prop_map(f64::from),
        Just(-0.0),
    ]
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i128>().prop_map(Number::Integer),
        (-100_i128..100).prop_map(Number::Integer),
        float().prop_map(|value| Number::Decimal(Decimal::new(value).expect("finite"))),
        (float(), prop_oneof!["[a-zA-Z]{1,4}", "x[a-zA-F]{0,3}"])
            .prop_filter_map("unit", |(value, unit)| Measurement::new(value, unit).ok())
            .prop_map(Number::Measurement),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        number().prop_map(|number| match number {
            Number::Integer(value) => Value::Integer(value),
            Number::Decimal(value) => Value::Decimal(value),
            Number::Measurement(value) => Value::from(value),
        }),
        any::<bool>().prop_map(Value::Boolean),
        text().prop_map(|text| Value::String(text.into())),
        symbol()
            .prop_filter_map("symbol", |text| Symbol::new(text).ok())
            .prop_map(Value::Symbol),
        (symbol(), text())
            .prop_map(|(tag, text)| Value::from(Tagged::new(tag, text).expect("a tag"))),
        (
            proptest::option::of(number()),
            proptest::option::of(number())
        )
            .prop_filter_map("range", |(lower, upper)| Range::new(lower, upper).ok())
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| Value::Array(Array::new(items).expect("not deep"))),
            proptest::collection::vec((text(), inner), 0..4)
                .prop_map(|entries| { Value::Map(record(entries)) }),
        ]
    })
}

fn record(entries: Vec<(String, Value)>) -> Record {
    let entries = entries.into_iter().map(|(key, value)| (key.into(), value));
    Record::from_entries(entries).expect("not deep")
}

/// Any subject.
pub(crate) fn subject() -> impl Strategy<Value = Subject> {
    let labels = proptest::collection::vec(text(), 0..3);
    let identity = prop_oneof![Just(String::new()), text()];
    let properties = prop_oneof![
        2 => Just(Vec::new()),
        1 => proptest::collection::vec((text(), value()), 0..4),
    ];
    let full = (identity, labels, properties).prop_map(|(identity, labels, entries)| Subject {
        identity: identity.into(),
        labels: labels.into_iter().collect(),
        properties: record(entries),
    });
    // The names are few, so that several relationships have equal nodes.
    let simple = "[ab]?".prop_map(Subject::new);
    prop_oneof![3 => simple, 1 => full]
}

/// Any pattern.
pub(crate) fn pattern() -> impl Strategy<Value = Pattern> {
    let leaf = subject().prop_map(|subject| Pattern::new(subject, Vec::new()).expect("flat"));
    leaf.prop_recursive(3, 12, 3, |inner| {
        (subject(), proptest::collection::vec(inner, 0..4))
            .prop_map(|(subject, elements)| Pattern::new(subject, elements).expect("not deep"))
    })
}
