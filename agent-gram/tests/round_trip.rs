//! Every pattern can be printed, and the printed text reads back as the same pattern.

use crate::any::pattern;
use agent_gram::value::{Array, Decimal, Value};
use agent_gram::{Pattern, Subject, format_source, parse_patterns, print};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn printed_patterns_read_back(patterns in proptest::collection::vec(pattern(), 0..3)) {
        let printed = print(&patterns);
        let back = parse_patterns(&printed);
        prop_assert!(back.is_ok(), "{printed:?}: {back:?}");
        let back = back.unwrap_or_default();
        prop_assert_eq!(&back, &patterns, "{}", printed);
        prop_assert_eq!(print(&back), &*printed);
        prop_assert_eq!(format_source(&printed), Ok(printed));
    }
}

#[test]
fn deepest_pattern_reads_back() {
    let mut pattern = Pattern::default();
    while let Ok(deeper) = Pattern::new(Subject::new("a"), vec![pattern.clone()]) {
        pattern = deeper;
    }
    let printed = print(std::slice::from_ref(&pattern));
    assert_eq!(parse_patterns(&printed), Ok(vec![pattern]));

    let mut value = Value::Boolean(true);
    while let Ok(array) = Array::new(vec![value.clone()]) {
        value = Value::Array(array);
    }
    // The deepest value is too deep for a record in a node, so it is two levels less deep.
    for _ in 0..2 {
        value = match value {
            Value::Array(array) => array.into_vec().remove(0),
            other => other,
        };
    }
    let mut subject = Subject::default();
    subject.properties.insert("k", value).expect("not deep");
    let pattern = Pattern::new(subject, vec![]).expect("not deep");
    let printed = print(std::slice::from_ref(&pattern));
    assert_eq!(parse_patterns(&printed), Ok(vec![pattern]));
}

#[test]
fn decimals_keep_their_sign_and_digits() {
    for value in [-0.0, 0.1 + 0.2, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e21] {
        let mut subject = Subject::default();
        let decimal = Value::Decimal(Decimal::new(value).expect("finite"));
        subject.properties.insert("k", decimal).expect("not deep");
        let printed = Pattern::new(subject, vec![]).expect("flat").to_string();
        let back = parse_patterns(&printed).expect("gram");
        match back[0].subject().properties.get("k") {
            Some(Value::Decimal(found)) => assert_eq!(found.value().to_bits(), value.to_bits()),
            other => panic!("{printed}: {other:?}"),
        }
    }
}
