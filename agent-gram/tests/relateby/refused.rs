//! Parts that the other type cannot represent are refused, and the error names the path to them.

use agent_gram::relateby::{ConvertError, Pattern as Theirs, Reason, Subject as TheirSubject};
use agent_gram::{MAX_DEPTH, Pattern, ValueError, parse_patterns};
use pattern_core::{RangeValue, Value as TheirValue};

#[test]
fn refuses_values_that_relateby_cannot_represent() {
    for (text, message) in [
        (
            "(a {n: 9223372036854775808})",
            "`n`, the integer 9223372036854775808: relateby-pattern has 64 bits",
        ),
        (
            "[a | b, [c {list: [1, {deep: -9223372036854775809}]}]]",
            "element 1, `list`, item 1, `deep`, the integer -9223372036854775809: relateby-pattern has 64 bits",
        ),
        (
            "(a {r: 1..2.0})",
            "`r`, the range's end 2.0: relateby-pattern has a float there, from which it cannot be read",
        ),
        (
            "(a {r: ...9007199254740993})",
            "`r`, the range's end 9007199254740993: relateby-pattern has a float there, from which it cannot be read",
        ),
        (
            "(a {r: 5s...})",
            "`r`, the range's end 5s: relateby-pattern has a float there, from which it cannot be read",
        ),
    ] {
        let pattern = &parse_patterns(text).expect(text)[0];
        let found = Theirs::try_from(pattern).map_err(|error| error.to_string());
        assert_eq!(found, Err(message.to_owned()), "{text}");
    }
    for text in [
        "(a {n: 9223372036854775807})",
        "(a {n: -9223372036854775808})",
        "(a {r: 1..2.5})",
        "(a {r: ...9007199254740992})",
        "(a {r: -0.0...})",
    ] {
        let pattern = &parse_patterns(text).expect(text)[0];
        assert!(Theirs::try_from(pattern).is_ok(), "{text}");
    }
}

fn with_value(value: TheirValue) -> Theirs<TheirSubject> {
    let mut subject = TheirSubject::from_id("a");
    subject.properties.insert("k".to_owned(), value);
    Theirs::point(subject)
}

#[test]
fn refuses_values_that_gram_cannot_express() {
    let tagged = |tag: &str| TheirValue::VTaggedString {
        tag: tag.to_owned(),
        content: String::new(),
    };
    let range = |lower, upper| TheirValue::VRange(RangeValue { lower, upper });
    let measurement = |value, unit: &str| TheirValue::VMeasurement {
        unit: unit.to_owned(),
        value,
    };
    for (value, expected) in [
        (TheirValue::VDecimal(f64::NAN), ValueError::NotFinite),
        (TheirValue::VDecimal(f64::INFINITY), ValueError::NotFinite),
        (
            TheirValue::VSymbol("two words".to_owned()),
            ValueError::BadSymbol("two words".to_owned()),
        ),
        (
            TheirValue::VSymbol("true".to_owned()),
            ValueError::BadSymbol("true".to_owned()),
        ),
        (tagged("1"), ValueError::BadSymbol("1".to_owned())),
        (range(None, None), ValueError::EmptyRange),
        (range(Some(f64::NAN), None), ValueError::NotFinite),
        (range(None, Some(f64::NEG_INFINITY)), ValueError::NotFinite),
        (measurement(1.0, "%"), ValueError::BadUnit("%".to_owned())),
        (measurement(f64::NAN, "s"), ValueError::NotFinite),
    ] {
        let in_array = TheirValue::VArray(vec![TheirValue::VBoolean(true), value.clone()]);
        let found = Pattern::try_from(&with_value(in_array)).expect_err("not gram");
        assert_eq!(found.reason(), &Reason::NotGram(expected.clone()));
        assert_eq!(found.to_string(), format!("`k`, item 1, {expected}"));
    }
}

/// A pattern with this depth.
fn nested(levels: usize) -> Theirs<TheirSubject> {
    let mut pattern = Theirs::point(TheirSubject::from_id(""));
    for _ in 1..levels {
        pattern = Theirs::pattern(TheirSubject::from_id(""), vec![pattern]);
    }
    pattern
}

/// An array with this depth.
fn nested_array(levels: usize) -> TheirValue {
    let mut value = TheirValue::VArray(Vec::new());
    for _ in 1..levels {
        value = TheirValue::VArray(vec![value]);
    }
    value
}

fn is_too_deep(result: Result<Pattern, ConvertError>) -> bool {
    result.is_err_and(|error| error.reason() == &Reason::NotGram(ValueError::TooDeep))
}

#[test]
fn refuses_patterns_deeper_than_the_limit_of_texts() {
    let deepest = Pattern::try_from(&nested(MAX_DEPTH)).expect("as deep as can be");
    assert_eq!(Theirs::try_from(&deepest), Ok(nested(MAX_DEPTH)));
    assert_eq!(parse_patterns(&deepest.to_string()), Ok(vec![deepest]));
    assert!(is_too_deep(Pattern::try_from(&nested(MAX_DEPTH + 1))));

    // The node and its record are two levels.
    let deepest = with_value(nested_array(MAX_DEPTH - 2));
    let ours = Pattern::try_from(&deepest).expect("as deep as can be");
    assert_eq!(parse_patterns(&ours.to_string()), Ok(vec![ours]));
    let deeper = with_value(nested_array(MAX_DEPTH - 1));
    assert!(is_too_deep(Pattern::try_from(&deeper)));
}

#[test]
fn deep_pattern_does_not_exhaust_the_stack() {
    // Dropping it would exhaust the stack in `relateby-pattern`.
    let pattern = std::mem::ManuallyDrop::new(nested(100_000));
    assert!(is_too_deep(Pattern::try_from(&*pattern)));
    let value = std::mem::ManuallyDrop::new(with_value(nested_array(100_000)));
    assert!(is_too_deep(Pattern::try_from(&*value)));
}
