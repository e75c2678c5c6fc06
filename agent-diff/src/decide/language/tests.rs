use super::{Bounds, Found, Language, search};
use proptest::prelude::*;
use serde_json::Value;

const ANY: Bounds = Bounds {
    least: 0,
    most: None,
};

/// Whether the validator finds the pattern in a text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut constraints = agent_spec::Constraints::NONE;
    constraints.pattern = Some(pattern.to_owned().into());
    let ty = agent_spec::Type::new(agent_spec::Kind::Text).with_constraints(constraints);
    ty.validate(&Value::from(text)).is_ok()
}

/// A text that one pattern allows and the other does not.
fn difference(one: &str, other: &str) -> Found {
    let (one, other) = (Language::of(one).unwrap(), Language::of(other).unwrap());
    search(&[one], ANY, Some((&[other], ANY)), |_| true)
}

#[test]
fn the_shortest_text_that_makes_the_difference_is_found() {
    for (one, other, text) in [
        ("^a+$", "^a{1,3}$", "aaaa"),
        ("a", "^a", "aa"),
        ("^.$", "^[a-z]$", "0"),
        ("^\\w$", "^[a-z0-9A-Z]$", "_"),
        ("^\\D$", "^[ -~]$", "\u{0}"),
        ("^.$", "^[\u{0}-\u{7f}]$", "\u{80}"),
        ("", "x", ""),
    ] {
        let Found::Text(found) = difference(one, other) else {
            panic!("{one} {other}");
        };
        assert!(
            matches(one, &found) && !matches(other, &found),
            "{one} {other} {found:?}"
        );
        assert_eq!(
            found.chars().count(),
            text.chars().count(),
            "{one} {other} {found:?}"
        );
    }
}

#[test]
fn what_allows_no_more_has_no_such_text() {
    for (one, other) in [
        ("^(a|b)$", "^[ab]$"),
        ("^a", "a"),
        ("^\\d+$", "^[0-9]+$"),
        ("^é$", "^.$"),
        ("\\S", "[^\\t\\n\\v\\f\\r ]"),
        ("x{2}", "xx"),
    ] {
        assert_eq!(difference(one, other), Found::Nothing, "{one} {other}");
    }
}

#[test]
fn lengths_count_characters() {
    let exactly = |count| Bounds {
        least: count,
        most: Some(count),
    };
    let all = || Language::of("").unwrap();
    let texts = Language::of("^é*$").unwrap();
    assert_eq!(
        search(&[texts], exactly(3), None, |_| true),
        Found::Text("ééé".to_owned())
    );
    let found = search(&[all()], ANY, Some((&[], exactly(0))), |_| true);
    assert!(matches!(found, Found::Text(text) if text.chars().count() == 1));
}

#[test]
fn a_pattern_that_could_be_read_in_two_ways_is_not_read() {
    for pattern in ["(?i)a", "\\bword\\b", "\\p{L}", "[a-z&&[b]]", "(?s:.)"] {
        assert!(Language::of(pattern).is_none(), "{pattern}");
    }
}

#[test]
fn an_automaton_that_would_be_huge_is_not_made() {
    assert!(Language::of("^[ab]*a[ab]{30}$").is_none());
}

/// Patterns of letters, classes and all that goes around them.
fn pattern() -> impl Strategy<Value = String> {
    const ATOMS: [&str; 12] = [
        "a",
        "b",
        ".",
        "[ab]",
        "[^a]",
        "\\d",
        "\\W",
        "é",
        "^",
        "$",
        "\\s",
        "[[:^alpha:]]",
    ];
    let atom = proptest::sample::select(&ATOMS[..]).prop_map(str::to_owned);
    atom.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}{b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}|{b})")),
            inner.clone().prop_map(|a| format!("({a})*")),
            inner.clone().prop_map(|a| format!("({a})?")),
            inner.prop_map(|a| format!("({a}){{1,2}}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    /// The automaton is the validator's reading of the pattern.
    #[test]
    fn a_text_is_in_a_language_just_when_the_validator_finds_the_pattern(
        pattern in pattern(),
        text in "[ab1é \n.]{0,5}",
    ) {
        let language = Language::of(&pattern).expect("it is plain");
        let alone = Language::of_texts([text.as_str()].into_iter()).expect("it is short");
        let found = search(&[alone, language], ANY, None, |_| true);
        prop_assert_eq!(matches(&pattern, &text), found == Found::Text(text));
    }

    #[test]
    fn a_text_that_makes_a_difference_makes_it_for_the_validator((one, other) in (pattern(), pattern())) {
        if let Found::Text(text) = difference(&one, &other) {
            prop_assert!(matches(&one, &text), "{:?}", text);
            prop_assert!(!matches(&other, &text), "{:?}", text);
        }
    }
}

#[test]
fn nested_repetitions_are_too_large_to_be_walked() {
    for pattern in ["^(.{1,300}){1,3}$", "^(.{1,900}a?){1,30}$"] {
        assert!(Language::of(pattern).is_none(), "{pattern}");
    }
}
