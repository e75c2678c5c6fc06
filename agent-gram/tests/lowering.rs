//! The patterns that each notation is lowered to.

use agent_gram::value::{Number, Record, Value};
use agent_gram::{Pattern, Subject, lower_header, lower_items, parse, parse_patterns};

/// Checks that each two texts have the same meaning. The second has the plainest notation: brackets
/// and nodes.
#[track_caller]
fn same(cases: &[(&str, &str)]) {
    for (text, plain) in cases {
        let patterns = parse_patterns(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let expected = parse_patterns(plain).unwrap_or_else(|errors| panic!("{plain}: {errors:?}"));
        assert_eq!(patterns, expected, "{text} means {plain}");
    }
}

fn one(text: &str) -> Pattern {
    let mut patterns = parse_patterns(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    assert_eq!(patterns.len(), 1, "{text}");
    patterns.remove(0)
}

#[test]
fn lowers_nodes_brackets_and_references() {
    let node = one("(a:L:M {k: 1})");
    assert_eq!(node.subject().identity, "a");
    assert_eq!(node.subject().labels, ["L", "M"]);
    assert_eq!(node.subject().properties.get("k"), Some(&Value::Integer(1)));
    assert!(node.elements().is_empty());

    let bracket = one("[s | a, (b:L)]");
    assert_eq!(bracket.subject(), &Subject::new("s"));
    assert_eq!(bracket.elements().len(), 2);
    assert_eq!(bracket.elements()[0].subject(), &Subject::new("a"));
    same(&[
        ("(n)", "[n]"),
        ("[s | a]", "[s | (a)]"),
        ("[s | 1, `b c`]", "[s | (1), (`b c`)]"),
        ("(a::L)", "(a:L)"),
        ("({})", "()"),
    ]);
}

#[test]
fn lowers_arrows_to_relationships() {
    same(&[
        ("(a)-[r]->(b)", "[r | a, b]"),
        ("(a)<-[r]-(b)", "[r | b, a]"),
        ("(a)-[r]-(b)", "[r | a, b]"),
        ("(a)<-[r]->(b)", "[r | a, b]"),
        ("(a)-->(b)", "[ | a, b]"),
        ("(a)<~~(b)", "[ | b, a]"),
        ("(a)=[r:R {k: 1}]=>(b:B)", "[r:R {k: 1} | a, (b:B)]"),
    ]);
}

#[test]
fn lowers_longer_paths_to_patterns_of_relationships() {
    same(&[
        ("(a)-[r]->(b)-[s]->(c)", "[ | [r | a, b], [s | b, c]]"),
        ("(a)<-[r]-(b)-[s]->(c)", "[ | [r | b, a], [s | b, c]]"),
        (
            "(a)-->(b:B {k: 1})-->(c)",
            "[ | [ | a, (b:B {k: 1})], [ | (b:B {k: 1}), c]]",
        ),
        ("[x | (a)--(b)--(c)]", "[x | [ | [ | a, b], [ | b, c]]]"),
    ]);
}

#[test]
fn lowers_annotations_to_a_pattern_around_the_body() {
    same(&[
        ("@k(1) @j(2) (p)", "[{k: 1, j: 2} | p]"),
        ("@@i:L @k(1) (p)", "[i:L {k: 1} | p]"),
        ("@@:L [p | q]", "[:L | [p | q]]"),
        (
            "@@t:Tool @description(\"x\") (a)==>(b)",
            "[t:Tool {description: \"x\"} | (a)==>(b)]",
        ),
        ("@k(1) @k(2) (p)", "[{k: 2} | p]"),
    ]);
}

#[test]
fn lowers_leading_record_to_first_pattern_or_separately() {
    let source = "{k: 1} (a)";
    same(&[(source, "({k: 1}) (a)")]);
    let document = parse(source).document;
    assert_eq!(lower_items(&document).len(), 1);
    let header: Record = lower_header(&document).expect("a header");
    assert_eq!(header.get("k"), Some(&Value::Integer(1)));
    assert!(lower_header(&parse("(a)").document).is_none());
}

#[test]
fn keeps_last_value_of_doubled_keys_and_one_of_doubled_labels() {
    let keys = one("({b: 1, a: 2, b: 3})");
    let entries: Vec<_> = keys.subject().properties.iter().collect();
    assert_eq!(
        entries,
        [("b", &Value::Integer(3)), ("a", &Value::Integer(2))]
    );
    assert_eq!(one("(:L:M::L)").subject().labels, ["L", "M"]);
}

#[test]
fn lowers_values() {
    let node = one(
        "({i: 0x10, o: 010, d: 2.50, t: true, n: null, s: \"x\", g: md`y`, a: [1, [2]], m: {x: 1}, \
         r: 1..2s, l: 1.5..., u: ...3, q: 10s})",
    );
    let record = &node.subject().properties;
    let text = |key: &str| {
        agent_gram::print::writer::to_string(|w| w.value(record.get(key).expect("a value")))
    };
    for (key, expected) in [
        ("i", "16"),
        ("o", "8"),
        ("d", "2.5"),
        ("t", "true"),
        ("n", "null"),
        ("s", "\"x\""),
        ("g", "md`y`"),
        ("a", "[1, [2]]"),
        ("m", "{x: 1}"),
        ("r", "1..2s"),
        ("l", "1.5..."),
        ("u", "...3"),
        ("q", "10s"),
    ] {
        assert_eq!(text(key), expected);
    }
    assert!(matches!(record.get("r"), Some(Value::Range(range))
        if matches!(range.upper(), Some(Number::Measurement(_)))));
    assert!(matches!(record.get("n"), Some(Value::Symbol(_))));
}

#[test]
fn large_records_and_label_sets_take_linear_time() {
    let count = 100_000;
    let keys: String = (0..count).map(|at| format!("k{at}: {at}, ")).collect();
    let node = one(&format!("({{{keys}k0: 7}})"));
    let record = &node.subject().properties;
    assert_eq!(record.len(), count);
    assert_eq!(record.entries()[0], ("k0".into(), Value::Integer(7)));
    assert_eq!(one(&node.to_string()), node);

    let labels: String = (0..count).map(|at| format!(":L{}", at % 50_000)).collect();
    let node = one(&format!("({labels})"));
    assert_eq!(node.subject().labels.len(), 50_000);
    assert_eq!(one(&node.to_string()), node);
}

#[test]
fn returns_errors_instead_of_patterns() {
    let errors = parse_patterns("(a), (b c)").expect_err("two mistakes");
    assert_eq!(errors.len(), 2);
}
