//! Tests of `agent_types::compare::order`.

use agent_gram::Value;
use agent_spec::Signature;
use agent_spec::binding::{Policy, mismatches};

const COUNT: usize = 20_000;

/// Numbers in an order without a pattern.
fn shuffled() -> impl Iterator<Item = usize> {
    // The factor has no divisor in common with the count.
    (0..COUNT).map(|at| at * 7_919 % COUNT)
}

fn joined(items: impl Iterator<Item = String>, between: &str) -> String {
    items.collect::<Vec<_>>().join(between)
}

fn parsed(text: &str) -> Signature {
    agent_spec::parse_signature(text).unwrap_or_else(|found| panic!("{:?}", found.iter().next()))
}

#[track_caller]
fn assert_equal(one: &str, other: &str) {
    let (one, other) = (parsed(one), parsed(other));
    let other_ordered = other.in_order_of(&one);
    assert!(*other_ordered == one);
    assert!(other.returns() == one.returns());
    let found = mismatches(("", &one), ("", &other_ordered), Policy::Exact);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn long_lists_in_another_order_are_compared_in_linear_time() {
    let numbers: [Vec<usize>; 2] = [(0..COUNT).collect(), shuffled().collect()];
    let [in_order, in_other] = numbers.map(|numbers| {
        let list = |item: fn(&usize) -> String, between| joined(numbers.iter().map(item), between);
        let params = list(|at| format!("(param{at}::Int)"), "==>");
        let fields = list(|at| format!("field{at}: \"Int\""), ", ");
        let values = list(|at| format!("\"value {at}\""), ", ");
        let record = format!("{{type: \"Object\", fields: {{{fields}}}}}");
        let text = format!("{{type: \"Text\", enum: [{values}]}}");
        format!("{params}==>(::Object {{fields: {{record: {record}, text: {text}}}}})")
    });
    assert_equal(&in_order, &in_other);
}

#[test]
fn tags_of_texts_and_forms_of_numbers_keep_their_meaning() {
    let tagged = |at: usize| format!("tag{at}`x`");
    let list = |items: String| format!("()==>(::Text {{enum: [{items}]}})");
    let in_order = list(joined((0..COUNT).map(tagged), ", "));
    assert_equal(&in_order, &list(joined(shuffled().map(tagged), ", ")));
    let numbers = |end: &'static str| move |at: usize| format!("{at}{end}");
    let list = |items: String| format!("()==>(::Double {{enum: [{items}]}})");
    let in_order = list(joined((0..COUNT).map(numbers("")), ", "));
    assert_equal(
        &in_order,
        &list(joined(shuffled().map(numbers(".0")), ", ")),
    );
}

#[test]
fn finds_the_difference_of_long_lists() {
    let list = |last: &str| {
        let values = shuffled()
            .map(|at| format!("\"{at}\""))
            .chain([last.to_owned()]);
        parsed(&format!(
            "()==>(::Text {{enum: [{}]}})",
            joined(values, ", ")
        ))
    };
    let (one, other) = (list("\"a\""), list("\"b\""));
    assert!(one.returns() != other.returns());
    let ordered = other.in_order_of(&one);
    let values = ordered.returns().ty().constraints().enumeration();
    assert_eq!(values.last(), Some(&Value::String("b".into())));
}

#[test]
fn short_lists_keep_their_order() {
    let one = parsed("(a::Int)==>(b::Text {enum: [\"x\", \"y\"]})==>(::Null)");
    let other = parsed("(b::Text {enum: [\"y\", \"x\"]})==>(a::Int)==>(::Null)");
    assert_eq!(other.in_order_of(&one).params()[0].name(), "b");
}
