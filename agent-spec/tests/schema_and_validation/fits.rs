//! Whether gram values fit types.

use crate::schema_and_validation::making::*;
use agent_gram::Value;
use agent_gram::value::{Measurement, Number, Range, Symbol, Tagged};
use agent_spec::Type;
use agent_spec::validate::{fits_value, is_valid_pattern};
use serde_json::json;

fn measurement() -> Value {
    Value::from(Measurement::new(10.0, "s").expect("a measurement"))
}

fn range() -> Value {
    Value::from(Range::new(Some(Number::Integer(1)), None).expect("a range"))
}

#[test]
fn accepts_values_that_fit() {
    for (ty, value) in [
        (text(), Value::String("x".into())),
        (
            text(),
            Value::from(Tagged::from_static("date", "2026-11-21")),
        ),
        (int(), Value::Integer(5)),
        (int(), Value::Decimal(decimal(5.0))),
        (double(), Value::Integer(5)),
        (list(int()), array(vec![Value::Integer(1)])),
        (list(int()), array(vec![])),
        (anything(), gram(&json!({"a": [true]}))),
        (record(vec![field("a", int())]), gram(&json!({"a": 1}))),
        (narrowed(int(), json!({"minimum": 1})), Value::Integer(1)),
    ] {
        assert_eq!(fits_value(&ty, &value), Ok(()), "{ty:?}");
    }
}

#[test]
fn values_that_do_not_fit_have_a_reason() {
    let small = narrowed(int(), json!({"maximum": 9}));
    for (ty, value, expected) in [
        (
            int(),
            Value::String("x".into()),
            "expected Int, found the text \"x\"",
        ),
        (
            int(),
            Value::Decimal(decimal(5.5)),
            "expected Int, found the number 5.5",
        ),
        (
            Type::int_in(&(0, 255)),
            Value::Integer(256),
            "expected Int from 0 to 255, found the number 256",
        ),
        (
            int(),
            Value::Integer(i128::MAX),
            "expected Int, found 170141183460469231731687303715884105727, which does not fit 64 bits",
        ),
        (
            small,
            Value::Integer(10),
            "expected at most 9, found the number 10",
        ),
        (
            text(),
            Value::Symbol(Symbol::from_static("blue")),
            "expected Text, found the symbol `blue` (write \"blue\" for a text)",
        ),
        (anything(), range(), "expected Any, found a range"),
        (
            anything(),
            measurement(),
            "expected Any, found a measurement",
        ),
        (
            list(text()),
            array(vec![measurement()]),
            "expected Array, found a measurement inside",
        ),
        (
            list(text()),
            array(vec![Value::Integer(1)]),
            "expected Text at `$[0]`, found the number 1",
        ),
        (
            record(vec![field("a", int())]),
            gram(&json!({})),
            "expected Int at `$.a`, found nothing; `a` is required",
        ),
    ] {
        assert_eq!(fits_value(&ty, &value), Err(expected.to_owned()), "{ty:?}");
    }
}

#[test]
fn rejects_patterns_that_do_not_compile() {
    for good in ["", "^a+$", r"\d{3}-[a-z]", "é|ü"] {
        assert_eq!(is_valid_pattern(good), Ok(()), "{good}");
    }
    for bad in ["(", "[", "a{2,1}", "(?=a)", r"(a)\1"] {
        assert!(is_valid_pattern(bad).is_err(), "{bad}");
    }
}
