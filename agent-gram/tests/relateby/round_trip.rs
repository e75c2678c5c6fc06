//! Conversion there and back gives an equal pattern.

use crate::any::pattern;
use agent_gram::relateby::{Pattern as Theirs, Reason, Subject as TheirSubject};
use agent_gram::value::{Number, Value};
use agent_gram::{Pattern, parse_patterns};
use pattern_core::{RangeValue, Symbol, Value as TheirValue};
use proptest::collection::{hash_map, hash_set, vec};
use proptest::prelude::*;

/// Whether `relateby-pattern` can represent the value.
fn fits(value: &Value) -> bool {
    let end = |end: Option<&Number>| match end {
        None => true,
        Some(Number::Integer(value)) => {
            let float = *value as f64;
            float.abs() < 2_f64.powi(127) && float as i128 == *value
        }
        // Whole numbers come back as integers, if integers can represent them.
        Some(Number::Decimal(value)) => {
            let is_integer = value.value() % 1.0 == 0.0 && value.text() != "-0.0";
            !is_integer || value.value().abs() >= 2_f64.powi(127)
        }
        Some(Number::Measurement(_)) => false,
    };
    match value {
        Value::Integer(value) => i64::try_from(*value).is_ok(),
        Value::Array(array) => array.as_slice().iter().all(fits),
        Value::Map(record) => record.iter().all(|(_, value)| fits(value)),
        Value::Range(range) => end(range.lower()) && end(range.upper()),
        _ => true,
    }
}

fn all_fit(pattern: &Pattern) -> bool {
    pattern.fold(true, |fitting, subject| {
        fitting && subject.properties.iter().all(|(_, value)| fits(value))
    })
}

fn float() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        (-9_i8..9).prop_map(f64::from),
        Just(-0.0),
        Just(1e30),
        Just(1e300),
    ]
}

fn their_value() -> impl Strategy<Value = TheirValue> {
    let word = "[a-z_][a-zA-Z0-9_.@-]{0,5}";
    let range = |(lower, upper): (Option<f64>, Option<f64>)| {
        (lower.is_some() || upper.is_some())
            .then_some(TheirValue::VRange(RangeValue { lower, upper }))
    };
    let ends = (proptest::option::of(float()), proptest::option::of(float()));
    let leaf = prop_oneof![
        any::<i64>().prop_map(TheirValue::VInteger),
        float().prop_map(TheirValue::VDecimal),
        any::<bool>().prop_map(TheirValue::VBoolean),
        any::<String>().prop_map(TheirValue::VString),
        word.prop_filter("a boolean", |text| text != "true" && text != "false")
            .prop_map(TheirValue::VSymbol),
        (word, any::<String>())
            .prop_map(|(tag, content)| TheirValue::VTaggedString { tag, content }),
        ends.prop_filter_map("an end", range),
        (float(), "[a-wyzA-Z]{1,4}")
            .prop_map(|(value, unit)| TheirValue::VMeasurement { unit, value }),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(TheirValue::VArray),
            hash_map(".{0,4}", inner, 0..4).prop_map(TheirValue::VMap),
        ]
    })
}

fn their_subject() -> impl Strategy<Value = TheirSubject> {
    let parts = (
        ".{0,4}",
        hash_set(".{0,4}", 0..3),
        hash_map(".{0,4}", their_value(), 0..3),
    );
    parts.prop_map(|(identity, labels, properties)| TheirSubject {
        identity: Symbol(identity),
        labels,
        properties,
    })
}

fn their_pattern() -> impl Strategy<Value = Theirs<TheirSubject>> {
    let leaf = their_subject().prop_map(Theirs::point);
    leaf.prop_recursive(3, 8, 3, |inner| {
        (their_subject(), vec(inner, 0..3))
            .prop_map(|(subject, elements)| Theirs::pattern(subject, elements))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn pattern_comes_back_equal_or_is_refused(pattern in pattern()) {
        match Theirs::try_from(&pattern) {
            Ok(theirs) => {
                prop_assert!(all_fit(&pattern), "{}", pattern);
                prop_assert_eq!(Pattern::try_from(&theirs), Ok(pattern));
            }
            Err(error) => {
                prop_assert!(!all_fit(&pattern), "{}: {}", pattern, error);
                prop_assert!(!matches!(error.reason(), Reason::NotGram(_)), "{}", error);
            }
        }
    }

    #[test]
    fn relateby_pattern_comes_back_equal(theirs in their_pattern()) {
        let ours = Pattern::try_from(&theirs).expect("gram can say it");
        prop_assert_eq!(Theirs::try_from(&ours), Ok(theirs));
        let printed = ours.to_string();
        prop_assert_eq!(parse_patterns(&printed), Ok(vec![ours]));
    }
}

#[test]
fn both_parsers_give_the_same_patterns() {
    for text in [
        "(a)",
        "[greet:Tool {description: \"Says hello\"} | (name:Text)-->(:String)]",
        "[a:Agent {stop: [\"x\", \"y\"], size: 1..10, ready: true, share: 0.5} | b, c]",
        "@@greet:Tool @description(\"Says hello\") (name:Text)-->(:String)",
        "(x {tagged: md`some *text*`})<-[r:KNOWS]-(y)",
    ] {
        let theirs = gram_codec::parse_gram(text).expect(text);
        let ours = parse_patterns(text).expect(text);
        assert_eq!(theirs.len(), ours.len(), "{text}");
        for (theirs, ours) in theirs.iter().zip(&ours) {
            assert_eq!(Pattern::try_from(theirs).as_ref(), Ok(ours), "{text}");
        }
    }
}
