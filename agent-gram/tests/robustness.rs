//! No text makes the parser panic, overflow its stack, or take more than linear time.

use agent_gram::{
    Span, SyntaxErrorKind, format, format_source, lower, parse, parse_patterns, print,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

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
    "// c\r\n{}\r\n@a(1) @b([true, \"x\"])\r\n[ | [x:`a b`::C | 42, `q`, (n {k: ...5, l: -1.5s})], y]\r\n",
    "({a: [], b: [[1], {c: {}}], d: {e: [t`x`, {f: 'g'}]}, \"h i\": 0755, j: 1.5...})~[:R]~>()<=[]=>(z)\n",
    "[a | [b | [c | [d {e: {f: [{g: [[]]}]}} | (h)<--(i)]]]]\n[\n  // x\n  j |\n  k, /** l */ m\n]\n",
];

/// Parses a text, and checks the properties that hold for every text.
fn check(source: &str) -> Result<(), TestCaseError> {
    let parse = parse(source);
    prop_assert!(parse.errors.is_sorted_by_key(|error| error.span().start));
    // Each character gives at most one error, and the end of the text may give one more.
    prop_assert!(parse.errors.len() <= source.len() + 1);
    for error in &parse.errors {
        prop_assert!(stands_in(source, error.span()), "{source:?}: {error:?}");
        prop_assert!(!error.message().is_empty());
        prop_assert!(error.help() != Some(""));
        if let Some((span, label)) = error.related() {
            prop_assert!(stands_in(source, span), "{source:?}: {error:?}");
            prop_assert!(!label.is_empty());
        }
    }
    // A tree with errors can be lowered and formatted, too, although parts of the text may be
    // missing.
    let formatted = format(&parse.document);
    let patterns = lower(&parse.document);
    if !parse.errors.is_empty() {
        prop_assert_eq!(parse_patterns(source), Err(parse.errors), "{:?}", source);
        return Ok(());
    }
    let meant = parse_patterns(&formatted);
    prop_assert_eq!(meant.as_ref(), Ok(&patterns), "{:?}", source);
    prop_assert_eq!(format_source(&formatted), Ok(formatted), "{:?}", source);
    let printed = print(&patterns);
    let back = parse_patterns(&printed);
    prop_assert!(back.is_ok(), "{source:?}: {printed:?}: {back:?}");
    let back = back.unwrap_or_default();
    prop_assert_eq!(print(&back), printed, "{:?}", source);
    prop_assert_eq!(&back, &patterns, "{:?}", source);
    prop_assert_eq!(parse_patterns(source), Ok(patterns), "{:?}", source);
    Ok(())
}

fn stands_in(source: &str, span: Span) -> bool {
    source.get(span.start..span.end).is_some()
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A change to a text: a place, the number of characters removed there, and the text inserted.
type Change = (Index, usize, &'static str);

fn change() -> impl Strategy<Value = Change> {
    (any::<Index>(), 0..3_usize, select(TOKENS))
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (place, removed, inserted) in changes {
        let at = place.index(text.len() + 1);
        let end = (at + removed).min(text.len());
        text.splice(at..end, inserted.chars());
    }
    text.into_iter().collect()
}

/// Bytes that gram uses, and a few others.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        12 => select(b"()[]{}|,:@.-=~<>`'\"\\/* \n" as &[u8]),
        6 => select(b"abtrue_019xs" as &[u8]),
        1 => any::<u8>(),
    ]
}

// More than 20,000 texts of all kinds.
proptest! {
    #![proptest_config(config(8_000))]

    #[test]
    fn parses_random_tokens(tokens in vec(select(TOKENS), 0..24)) {
        check(&tokens.concat())?;
    }

    #[test]
    fn parses_mutated_documents(document in select(DOCUMENTS), changes in vec(change(), 1..5)) {
        check(&changed(document, &changes))?;
    }
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn parses_random_bytes(bytes in vec(byte(), 0..48)) {
        check(&String::from_utf8_lossy(&bytes))?;
    }

    /// Joins the beginning of one document and the end of another.
    #[test]
    fn parses_spliced_documents(
        (first, second) in (select(DOCUMENTS), select(DOCUMENTS)),
        (cut, go_on) in (any::<Index>(), any::<Index>()),
    ) {
        let first: Vec<char> = first.chars().collect();
        let second: Vec<char> = second.chars().collect();
        let first = &first[..cut.index(first.len() + 1)];
        let second = &second[go_on.index(second.len() + 1)..];
        check(&first.iter().chain(second).collect::<String>())?;
    }
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn parses_any_text(text in any::<String>()) {
        check(&text)?;
    }
}

#[test]
fn documents_have_no_errors() {
    for document in DOCUMENTS {
        assert_eq!(parse(document).errors, [], "{document:?}");
    }
}

#[test]
fn parses_every_prefix_of_a_document() {
    for document in DOCUMENTS {
        for (end, _) in document.char_indices() {
            let errors = parse(&document[..end]).errors;
            // A token cut in two is a mistake of its own, besides the brackets left open.
            assert!(errors.len() <= 2, "{:?}: {errors:#?}", &document[..end]);
            let unclosed = errors
                .iter()
                .filter(|e| e.kind() == SyntaxErrorKind::Unclosed);
            assert!(unclosed.count() <= 1, "{:?}: {errors:#?}", &document[..end]);
        }
    }
}

#[test]
fn long_texts_with_one_mistake_repeated_take_linear_time() {
    let check = |unit: &str, bytes: usize| {
        let errors = parse(&unit.repeat(bytes / unit.len())).errors;
        assert!(!errors.is_empty(), "{unit:?}");
    };
    for unit in ["[", "{a:", "[a|", "```\n", "/**", "-"] {
        check(unit, 10_000_000);
    }
    // Quadratic time would take minutes even here.
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
