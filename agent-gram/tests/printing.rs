//! The canonical layout.

use agent_gram::print::print_with_references;
use agent_gram::print::writer::to_string;
use agent_gram::value::{Decimal, Record, Value};
use agent_gram::{Pattern, Subject, parse_patterns, print, print_pattern};

fn read(text: &str) -> Vec<Pattern> {
    parse_patterns(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"))
}

/// Checks the printed text of a text, and that the printed text is printed in the same way.
#[track_caller]
fn check(text: &str, expected: &str) {
    let patterns = read(text);
    let printed = print(&patterns);
    assert_eq!(printed, expected);
    let again = read(&printed);
    assert_eq!(again, patterns);
    assert_eq!(print(&again), printed);
}

/// Checks texts that are printed unchanged.
#[track_caller]
fn fixed(texts: &[&str]) {
    for text in texts {
        check(text, &format!("{text}\n"));
    }
}

#[test]
fn prints_documents() {
    assert_eq!(print(&[]), "");
    check("{k: 1} (a) [b]", "({k: 1})\n(a)\n(b)\n");
    check("{}", "()\n");
    assert_eq!(print_pattern(&Pattern::default()), "()");
    assert_eq!(Pattern::default().to_string(), "()");
}

#[test]
fn prints_short_patterns_on_one_line() {
    fixed(&[
        "(a)",
        "(::L)",
        "(a::L::M {k: 1, `b c`: 2})",
        "({k: 1})",
        "(a)==>(b)",
        "()==>()",
        "(a)=[r]=>(b)",
        "(a {k: 1})=[r:R:S {k: 1}]=>(::B)",
        "(a)=[:R]=>(b)=[{k: 1}]=>(c)==>(a)",
        "[a | (b)]",
        "[ | (b)]",
        "[:L | (a), (b), (c)==>(d)]",
        "[a | (b)==>(c)==>(d)]",
        "(12)",
        "(-3)",
        "(`01`)",
        "(`a b`::`c\\`d`)",
        "(true {true: true})",
        "(a-)==>(b.c@d)",
        "(::``)",
    ]);
    check("[a]", "(a)\n");
    check("[a | b, c]", "(b)=[a]=>(c)\n");
    check("(a)<-[r]-(b)", "(b)=[r]=>(a)\n");
    check("(a)<--(b)<--(c)", "[ | (b)==>(a), (c)==>(b)]\n");
    check("(:L:M:L)", "(::L::M)\n");
}

#[test]
fn prints_short_values_on_one_line() {
    fixed(&[
        "({a: -0.0, b: 2.0, c: 1.5, d: 100000000000000000000.0})",
        "({a: 10s, b: 1.5kg, c: -0s, d: 0xZZ, e: 1e})",
        "({a: 1..2, b: 1..., c: ...2.5, d: 1s..2s})",
        "({a: [], b: {}, c: [[], {}], d: {e: {f: [1, two, \"3\"]}}})",
        "({a: \"\", b: \"\\\"q\\\" \\\\ \\t \\r\", c: md``, d: md`\\`x\\``})",
        "({a: \"\u{8}\u{c}\u{0}\u{7f} é 😀 //\"})",
        "({a: null, b: true})",
    ]);
    check(
        "({a: 0x1F, b: 010, c: 'x', d: `y`})",
        "({a: 31, b: 8, c: \"x\", d: \"y\"})\n",
    );
}

#[test]
fn breaks_long_brackets() {
    check(
        "[hello:Agent {model: \"OpenAI/x\"} | [sayHello:Tool {description: \"…\"} | (personName::Text {default: \"world\"})==>(::String)], x]",
        r#"[hello:Agent {model: "OpenAI/x"} |
  [sayHello:Tool {description: "…"} |
    (personName::Text {default: "world"})==>(::String)
  ],
  x
]
"#,
    );
    check("[a | [b | c]]", "[a |\n  [b | (c)]\n]\n");
    check("[{k: 1} | a]", "[{k: 1} |\n  (a)\n]\n");
    check("@k(1) (a)-->(b)", "[{k: 1} |\n  (a)==>(b)\n]\n");
    let names: Vec<String> = (0..30).map(|at| format!("(node{at})")).collect();
    check(
        &format!("[many | {}]", names.join(", ")),
        &format!("[many |\n  {}\n]\n", names.join(",\n  ")),
    );
}

#[test]
fn breaks_long_records() {
    let long = "x".repeat(60);
    check(
        &format!("[a:A {{one: \"{long}\", two: \"{long}\"}} | (b)]"),
        &format!("[a:A {{\n  one: \"{long}\",\n  two: \"{long}\"\n}} |\n  (b)\n]\n"),
    );
    check(
        &format!("[a | [b | (c {{one: \"{long}\", two: \"{long}\"}})-->(:D {{k: 1}})]]"),
        &format!(
            "[a |\n  [b |\n    (c {{\n      one: \"{long}\",\n      two: \"{long}\"\n    }})==>(::D {{\n      k: 1\n    }})\n  ]\n]\n"
        ),
    );
    check(
        &format!("({{m: {{a: \"{long}\", b: [1, \"{long}\", {{c: \"{long}\"}}]}}, n: 1}})"),
        &format!(
            "({{\n  m: {{\n    a: \"{long}\",\n    b: [\n      1,\n      \"{long}\",\n      {{c: \"{long}\"}}\n    ]\n  }},\n  n: 1\n}})\n"
        ),
    );
}

#[test]
fn breaks_lines_after_a_hundred_columns() {
    // Columns are counted in characters, and the text after the record counts, too.
    let text = |length: usize| format!("({{k: \"{}\"}})", "é".repeat(length));
    check(&text(91), &format!("{}\n", text(91)));
    let broken = format!("({{\n  k: \"{}\"\n}})\n", "é".repeat(92));
    check(&text(92), &broken);

    let head = |length: usize| format!("[a {{k: \"{}\"}} |\n  (b)\n]\n", "x".repeat(length));
    check(&head(88), &head(88));
    assert_eq!(head(88).lines().next().map(str::len), Some(100));
    let broken = format!("[a {{\n  k: \"{}\"\n}} |\n  (b)\n]\n", "x".repeat(89));
    check(&head(89), &broken);

    let element = |length: usize| {
        format!(
            "[a:L {{k: 1}} |\n  ({{k: \"{}\"}}),\n  (b),\n  (c)\n]\n",
            "x".repeat(length)
        )
    };
    check(&element(88), &element(88));
    assert!(print(&read(&element(89))).contains("({\n    k: "));
}

#[test]
fn prints_long_texts_as_fences() {
    check(
        "({a: \"one\\ntwo\", b: md`three\\n`})",
        "({\n  a: ```\none\ntwo\n```,\n  b: ```md\nthree\n\n```\n})\n",
    );
    let long = "x".repeat(121);
    check(
        &format!("({{a: \"{long}\"}})"),
        &format!("({{\n  a: ```\n{long}\n```\n}})\n"),
    );
    let short = "x".repeat(120);
    check(
        &format!("({{a: \"{short}\"}})"),
        &format!("({{\n  a: \"{short}\"\n}})\n"),
    );
    // In arrays and maps, a fence breaks every list around it.
    check(
        "[p | (q)=[r {a: [1, {b: \"x\\ny\"}], c: 1}]=>(s)]",
        "[p |\n  (q)=[r {\n    a: [\n      1,\n      {\n        b: ```\nx\ny\n```\n      }\n    ],\n    c: 1\n  }]=>(s)\n]\n",
    );
    // A text that a fence would change stays in quotes.
    fixed(&["({a: \"x\\n```\\ny\", b: \"x\\n\\r\"})"]);
    check("({a: \"x\\n\\ry\"})", "({\n  a: ```\nx\n\ry\n```\n})\n");
}

#[test]
fn prints_subjects_with_doubled_labels() {
    let subject = Subject {
        labels: ["L", "M", "L"].into_iter().collect(),
        ..Subject::new("")
    };
    let pattern = Pattern::new(subject, vec![]).expect("a pattern");
    assert_eq!(print_pattern(&pattern), "(::L::M)");
    assert_eq!(read("(:M:L)"), [pattern]);
}

#[test]
fn lays_out_records_without_a_pattern() {
    let mut record = Record::new();
    for (key, value) in [("a", 1.0), ("b", 2.5)] {
        let value = Value::Decimal(Decimal::new(value).expect("finite"));
        record.insert(key, value).expect("not deep");
    }
    let at = |column| to_string(|writer| writer.record_in_lines(&record, 2, column, 2));
    assert_eq!(at(10), "{a: 1.0, b: 2.5}");
    assert_eq!(at(90), "{\n    a: 1.0,\n    b: 2.5\n  }");
    let empty = to_string(|writer| writer.broken_record(&Record::new(), 4));
    assert_eq!(empty, "{}");
}

#[test]
fn prints_the_elements_of_an_agent_as_a_list() {
    for (text, expected) in [
        ("[a:Agent | b, c]", "[a:Agent | b, c]"),
        ("(b)=[a:Agent]=>(c)", "[a:Agent | b, c]"),
        ("[a:Agent | b]", "[a:Agent | b]"),
        ("[a:Agent | b, c, d]", "[a:Agent | b, c, d]"),
        ("[a:Agent {k: 1} | b, c]", "[a:Agent {k: 1} |\n  b,\n  c\n]"),
        (
            "[x | [a:Agent {k: 1} | b, (c:L)]]",
            "[x |\n  [a:Agent {k: 1} |\n    b,\n    (c::L)\n  ]\n]",
        ),
        (
            "[ | [a:Agent | b, c], [d:Agent | c, e]]",
            "[ |\n  [a:Agent | b, c],\n  [d:Agent | c, e]\n]",
        ),
        ("(a:Agent)", "(a::Agent)"),
        ("(b)-[r:agent]->(c)", "(b)=[r:agent]=>(c)"),
    ] {
        let pattern = &read(text)[0];
        let printed = print_pattern(pattern);
        assert_eq!(printed, expected);
        assert_eq!(read(&printed), read(text));
    }
}

#[test]
fn prints_references_of_a_bracket() {
    for (text, expected) in [
        ("[a | b]", "[a | b]"),
        ("[a | (b), (`c d`)]", "[a | b, `c d`]"),
        ("(b)=[a:L]=>(c)", "[a:L | b, c]"),
        (
            "[a {k: 1} | b, (c:L), [d | e]]",
            "[a {k: 1} |\n  b,\n  (c:L),\n  [d | (e)]\n]",
        ),
        ("(a)", "(a)"),
    ] {
        let pattern = &read(text)[0];
        let printed = print_with_references(pattern);
        assert_eq!(printed, expected.replace("(c:L)", "(c::L)"));
        assert_eq!(read(&printed), read(text));
    }
}

#[test]
fn a_writer_panics_with_its_text_alone() {
    let panicked = std::panic::catch_unwind(|| {
        let mut buffer = [0; 8];
        let mut writer = agent_gram::print::writer::Writer::new(&mut buffer);
        writer.text("it");
        writer.panic()
    });
    let message: Box<String> = panicked.expect_err("a panic").downcast().expect("a text");
    assert_eq!(*message, "it");
}
