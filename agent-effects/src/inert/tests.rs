//! Which types are inert.

use super::*;
use agent_gram::value::{Nest, Text};

fn text(change: impl FnOnce(&mut Constraints)) -> Type {
    with(Kind::Text, change)
}

fn with(kind: Kind, change: impl FnOnce(&mut Constraints)) -> Type {
    let mut constraints = Constraints::NONE;
    change(&mut constraints);
    Type::new(kind).with_constraints(constraints)
}

fn list(of: Type, most: u64) -> Type {
    with(Kind::Array(Nest::new(of)), |constraints| {
        constraints.max_items = Some(most)
    })
}

fn record(fields: Vec<Type>) -> Type {
    let fields = fields.into_iter().enumerate();
    let fields = fields.map(|(at, ty)| Field::new(format!("field{at}"), ty));
    Type::new(Kind::Object(Shape::Fields(fields.collect())))
}

fn words(words: &[&str]) -> Type {
    let words: Vec<Value> = words
        .iter()
        .map(|word| Value::String(Text::new(word)))
        .collect();
    text(|constraints| constraints.enumeration = words.into())
}

fn format(name: &str) -> Type {
    text(|constraints| constraints.format = Some(Text::new(name)))
}

fn pattern(pattern: &str) -> Type {
    text(|constraints| constraints.pattern = Some(Text::new(pattern)))
}

const BOOL: Type = Type::new(Kind::Bool);

#[test]
fn scalars_without_words_are_inert() {
    for kind in [Kind::Null, Kind::Bool, Kind::Int, Kind::Double] {
        assert!(is_inert(&Type::new(kind.clone())), "{kind:?}");
        assert!(
            is_inert(&Type::new(kind.clone()).with_optional(true)),
            "{kind:?}"
        );
    }
    for kind in [Kind::Any, Kind::Text, Kind::Object(Shape::Open)] {
        assert!(!is_inert(&Type::new(kind.clone())), "{kind:?}");
    }
}

#[test]
fn a_const_can_ask() {
    const BOOLEAN: &Type = &Type::new(Kind::Bool);
    const WORDS: &Type = &Type::new(Kind::Text);
    const INERT: (bool, bool) = (is_inert(BOOLEAN), is_inert(WORDS));
    assert_eq!(INERT, (true, false));
    // A list of letters spells words.
    assert!(!is_inert(&text(
        |constraints| constraints.max_length = Some(1)
    )));
}

#[test]
fn words_of_a_document_are_inert_while_they_are_short() {
    assert!(is_inert(&words(&["urgent", "later"])));
    assert!(is_inert(&words(&["ä".repeat(32).as_str()])));
    assert!(!is_inert(&words(&["a".repeat(33).as_str()])));
    assert!(!is_inert(&words(&["urgent", "a".repeat(33).as_str()])));
}

#[test]
fn formats_without_words_are_inert() {
    for name in ["date-time", "date", "time", "uuid", "ipv4", "ipv6"] {
        assert!(is_inert(&format(name)), "{name}");
    }
    for name in ["email", "uri", "hostname", "Date", "dates", "regex", ""] {
        assert!(!is_inert(&format(name)), "{name}");
    }
}

#[test]
fn patterns_without_letters_are_inert() {
    for own in [
        r"^\d+$",
        "^[0-9]{4}-[0-9]{2}$",
        r"^(\d+|-)$",
        r"^(?:\d{3}[ .-]?)+$",
        "^$",
        r"^\$\d+\.\d\d$",
        r"^[!-/]*$",
        r"^[\d\-]+$",
    ] {
        assert!(is_inert(&pattern(own)), "{own}");
    }
    for other in [
        r"\d+",
        r"^\d+",
        r"\d+$",
        r"^\d+|x$",
        r"^\d+|\d$",
        "^[^a]+$",
        "^.+$",
        r"^\w+$",
        r"^\D+$",
        "^[0-z]+$",
        "^[ -~]+$",
        "^[a]$",
        "^[é]$",
        "^x$",
        "^*$",
        "^{0}$",
        r"^\x41$",
        r"^\pL$",
        "^[[:alpha:]]$",
        "^(?i)[0-9]$",
        "^(?=.)[0-9]$",
        "^([0-9]$",
        "^[0-9]+$|x$",
        r"^[0-9]\$",
        "",
    ] {
        assert!(!is_inert(&pattern(other)), "{other}");
    }
}

/// All patterns of a few characters, against all short texts: an inert one matches no text with a letter.
#[test]
fn no_inert_pattern_matches_a_letter() {
    const ATOMS: [&str; 18] = [
        "1", "a", "-", ".", "|", "(", ")", "(?:", "[", "]", "^", "$", "\\d", "\\w", "\\", "*", "+",
        "é",
    ];
    let texts = texts(&['a', '1', '-', 'é', '\n'], 3);
    let letters: Vec<_> = texts
        .iter()
        .filter(|text| text.contains(char::is_alphabetic))
        .collect();
    let mut inert = 0;
    for inner in sequences(&ATOMS, 4) {
        let own = format!("^{inner}$");
        if !is_inert(&pattern(&own)) {
            continue;
        }
        inert += 1;
        // One that cannot be compiled matches no text.
        let Ok(compiled) = regex_lite::Regex::new(&own) else {
            continue;
        };
        for text in &letters {
            assert!(!compiled.is_match(text), "{own} matches {text:?}");
        }
    }
    assert!(inert > 500, "{inert} patterns");
}

fn sequences(atoms: &[&str], most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..most {
        last = last
            .iter()
            .flat_map(|text| atoms.iter().map(move |atom| format!("{text}{atom}")))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn texts(characters: &[char], most: usize) -> Vec<String> {
    let atoms: Vec<String> = characters.iter().map(char::to_string).collect();
    let atoms: Vec<&str> = atoms.iter().map(String::as_str).collect();
    sequences(&atoms, most)
}

#[test]
fn lists_records_and_unions_of_inert_types_are_inert_up_to_64_scalars() {
    assert!(is_inert(&list(BOOL, 16)));
    assert!(!is_inert(&list(BOOL, 17)));
    assert!(!is_inert(&Type::new(Kind::Array(Nest::new(BOOL)))));
    assert!(!is_inert(&list(Type::new(Kind::Text), 2)));
    assert!(is_inert(&list(list(BOOL, 4), 16)));
    assert!(!is_inert(&list(list(BOOL, 5), 16)));
    assert!(!is_inert(&list(
        list(list(list(list(BOOL, 16), 16), 16), 16),
        16
    )));
    assert!(is_inert(&record(vec![BOOL; 64])));
    assert!(!is_inert(&record(vec![BOOL; 65])));
    assert!(!is_inert(&record(vec![BOOL, Type::new(Kind::Text)])));
    assert!(is_inert(&record(vec![
        list(BOOL, 16),
        list(BOOL, 16),
        words(&["yes"])
    ])));
    assert!(is_inert(&Type::new(Kind::Tuple(
        vec![BOOL, Type::new(Kind::Int)].into()
    ))));
    assert!(!is_inert(&Type::new(Kind::Tuple(
        vec![BOOL, Type::new(Kind::Text)].into()
    ))));
    let union = |types: [Type; 2]| Type::any_of(types).expect("two types");
    assert!(is_inert(&union([
        list(list(BOOL, 4), 16),
        Type::new(Kind::Int)
    ])));
    assert!(!is_inert(&union([BOOL, Type::new(Kind::Text)])));
}

#[test]
fn what_has_free_keys_or_values_is_not_inert() {
    let map = Kind::Object(Shape::Map(Nest::new(BOOL)));
    let extended = Shape::Extended(vec![Field::new("known", BOOL)].into(), Nest::new(BOOL));
    for kind in [
        map,
        Kind::Object(extended),
        Kind::Media(agent_types::MediaKind::Image),
    ] {
        assert!(!is_inert(&Type::new(kind.clone())), "{kind:?}");
    }
}
