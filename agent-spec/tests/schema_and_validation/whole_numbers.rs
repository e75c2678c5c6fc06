//! Whole numbers that a double would round: those beyond 2^53 with a fraction or an exponent, and those
//! beyond 64 bits.

use agent_spec::{GramType, Kind, Param, Returns, Signature, Type};

/// The text that a tool with one parameter of a Rust type reads, or the violations.
fn check<T: GramType>(argument: &str) -> Result<String, String> {
    let param = Param::new("n", T::TYPE.clone());
    check_text(param, &format!("{{\"n\":{argument}}}"))
}

fn check_text(param: Param, text: &str) -> Result<String, String> {
    let signature = Signature::new(vec![param], Returns::new(Type::new(Kind::Null)));
    match signature.check_arguments(text, None) {
        Ok(arguments) => Ok(arguments.into_text()),
        Err(violations) => Err(violations.to_string()),
    }
}

fn reads<T: GramType>(argument: &str, expected: &str) {
    let expected = format!("{{\"n\":{expected}}}");
    assert_eq!(check::<T>(argument), Ok(expected), "{argument}");
}

fn refuses<T: GramType>(argument: &str, expected: &str) {
    let found = check::<T>(argument).expect_err(argument);
    assert!(found.contains(expected), "{argument}: {found}");
}

#[test]
fn integers_are_read_without_rounding() {
    reads::<i64>("9007199254740993.0", "9007199254740993");
    reads::<i64>("-9007199254740993e0", "-9007199254740993");
    reads::<i64>("-9223372036854775808.0", "-9223372036854775808");
    reads::<u64>("18446744073709551615.0", "18446744073709551615");
    reads::<u64>("18446744073709551615", "18446744073709551615");
    reads::<i128>("1e20", "100000000000000000000");
    reads::<u128>("1E+23", "100000000000000000000000");
    reads::<i128>(
        "170141183460469231731687303715884105727",
        "170141183460469231731687303715884105727",
    );
    reads::<i128>(
        "-170141183460469231731687303715884105728.0",
        "-170141183460469231731687303715884105728",
    );
    reads::<Vec<i128>>("[1, 1e20]", "[1,100000000000000000000]");
    reads::<f64>("1e20", "1e20");
    reads::<f64>("9007199254740993.5", "9007199254740993.5");
}

#[test]
fn integers_beyond_the_rust_type_are_refused() {
    let of_i128 = "expected Int from -170141183460469231731687303715884105728 to \
                   170141183460469231731687303715884105727";
    refuses::<i128>("170141183460469231731687303715884105728", of_i128);
    refuses::<i128>("-170141183460469231731687303715884105729", of_i128);
    refuses::<i128>("1e39", of_i128);
    refuses::<u128>("170141183460469231731687303715884105728", "Int from 0 to");
    refuses::<i64>("9223372036854775808.0", "expected Int from");
    refuses::<i64>("-9223372036854775809", "expected Int from");
    refuses::<u64>("18446744073709551616", "expected Int from 0");
    refuses::<i64>("9007199254740993.5", "expected Int");
    refuses::<Vec<i128>>("[1, 1e39]", "`$.n[1]`");
}

#[test]
fn bounds_beyond_64_bits_are_compared_without_rounding() {
    let spec = "(n::Int {minimum: 1, maximum: 100000000000000000000})==>(::Null)";
    let signature = agent_spec::parse_signature(spec).expect("a signature");
    for (argument, fits) in [
        ("100000000000000000000", true),
        ("1e20", true),
        ("100000000000000000001", false),
        ("-100000000000000000001", false),
    ] {
        let text = format!("{{\"n\":{argument}}}");
        let found = signature.check_arguments(&text, None);
        assert_eq!(found.is_ok(), fits, "{argument}: {found:?}");
    }
    let spec = "(n::Int {enum: [9007199254740993]})==>(::Null)";
    let signature = agent_spec::parse_signature(spec).expect("a signature");
    let check = |text| signature.check_arguments(text, None).is_ok();
    assert!(check("{\"n\": 9007199254740993.0}"));
    assert!(!check("{\"n\": 9007199254740992.0}"));
}

#[test]
fn dropped_arguments_do_not_round_the_others() {
    let text = "{\"extra\": true, \"n\": 100000000000000000001, \"other\": 1e20}";
    assert_eq!(
        check_text(Param::new("n", <u128 as GramType>::TYPE.clone()), text).as_deref(),
        Ok("{\"n\":100000000000000000001}")
    );
}
