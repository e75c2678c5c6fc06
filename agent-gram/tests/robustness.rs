//! No text makes the parser panic, overflow its stack, or take more than linear time.

use agent_gram::{SyntaxErrorKind, lower, parse, parse_patterns, print};
use proptest::prelude::*;

const TOKENS: &[&str] = &[
    "(", ")", "[", "]", "{", "}", ",", ":", "::", "|", "@", "@@", "..", "...", "-", "->", "<-",
    "=", "=>", "<=", "~", "~>", "--", "-->", "<==", "a", "b-", "true", "x.y", "1", "0", "-1",
    "1.5", "0x1F", "08", "10s", "\"s\"", "'s'", "`s`", "``", "```", "```\n", "\"", "'", "`", "\\",
    "\\\"", "/", "//", "/**", "*/", "/*", "é", "😀", "\u{a0}", "\u{0}", " ", "\n", "\r\n", "\t",
    "k:", "k: 1", "@k(1)", "[x |", "(a)", "\n(b)", "\n[c]", "\n  [d", ";", "=", "1..2", "\u{feff}",
];

const DOCUMENTS: &[&str] = &[
    "{k: 1, j: \"x\"}\n// c\n[a:Agent {description: \"é\", n: [1, {b: 2}]} |\n  [t:Tool {d: 'x'} |\n    (p::Text {default: \"w\"})==>(::String)\n  ],\n  (b), c\n]\n",
    "@@i:L @k(md`x`) (a)-[r:R {k: 1..2}]->(b)<~~(c)==(d)\n/** doc */ ({f: ```ts\nlet x = 1;\n```, g: 0x1F, h: 10s})\n",
];

/// Reads a text, and checks what holds for every text.
fn check(source: &str) -> Result<(), TestCaseError> {
    let parse = parse(source);
    prop_assert!(parse.errors.is_sorted_by_key(|error| error.span().start));
    for error in &parse.errors {
        let span = error.span();
        prop_assert!(
            source.get(span.start..span.end).is_some(),
            "{source:?}: {error:?}"
        );
        prop_assert!(!error.message().is_empty());
        if let Some((span, _)) = error.related() {
            prop_assert!(source.get(span.start..span.end).is_some());
        }
    }
    // A tree with errors can be lowered, too, though it may say less than the text.
    let patterns = lower(&parse.document);
    if parse.errors.is_empty() {
        let printed = print(&patterns);
        prop_assert_eq!(parse_patterns(&printed), Ok(patterns), "{:?}", source);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3_000) })]

    #[test]
    fn token_soup(tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..24)) {
        check(&tokens.concat())?;
    }

    #[test]
    fn mutated_documents(
        document in proptest::sample::select(DOCUMENTS),
        changes in proptest::collection::vec(
            (any::<prop::sample::Index>(), 0..3_usize, proptest::sample::select(TOKENS)),
            1..5,
        ),
    ) {
        let mut text: Vec<char> = document.chars().collect();
        for (place, removed, inserted) in changes {
            let at = place.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, inserted.chars());
        }
        check(&text.into_iter().collect::<String>())?;
    }

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text)?;
    }
}

#[test]
fn every_prefix_of_a_document_can_be_read() {
    for document in DOCUMENTS {
        for (end, _) in document.char_indices() {
            let errors = parse(&document[..end]).errors;
            // A token cut in two is a mistake of its own, next to what it leaves open.
            assert!(errors.len() <= 2, "{:?}: {errors:#?}", &document[..end]);
            let unclosed = errors
                .iter()
                .filter(|e| e.kind() == SyntaxErrorKind::Unclosed);
            assert!(unclosed.count() <= 1, "{:?}: {errors:#?}", &document[..end]);
        }
    }
}

#[test]
fn long_texts_of_the_same_mistake_return() {
    let check = |unit: &str, bytes: usize| {
        let errors = parse(&unit.repeat(bytes / unit.len())).errors;
        assert!(!errors.is_empty(), "{unit:?}");
    };
    for unit in ["[", "{a:", "[a|", "```\n", "/**", "-"] {
        check(unit, 10_000_000);
    }
    // Quadratic time would take minutes here, too.
    for unit in [
        "(",
        "{",
        "@",
        "`",
        "\"",
        "'",
        "\"\\",
        "/*",
        "(a)-",
        "(a)-[",
        ",",
        "]",
        "[a | b c, ",
        "({k: [1 2], ",
        "\"\n",
        "(\n",
    ] {
        check(unit, 1_000_000);
    }
}
