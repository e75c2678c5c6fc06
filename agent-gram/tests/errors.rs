//! The errors of texts that are not gram: their spans, their messages, and their number.

use agent_gram::{SyntaxErrorKind as Kind, lower, parse};

/// A mistake: the text, the text at the span of the error, its kind, a part of its message, and a
/// part of its help.
type Case = (&'static str, &'static str, Kind, &'static str, &'static str);

#[track_caller]
fn check(cases: &[Case]) {
    for (source, at, kind, message, help) in cases {
        let errors = parse(source).errors;
        assert_eq!(errors.len(), 1, "{source:?}: {errors:#?}");
        let error = &errors[0];
        assert_eq!(error.span().text(source), *at, "{source:?}: {error:?}");
        assert_eq!(error.kind(), *kind, "{source:?}: {error:?}");
        assert!(error.message().contains(message), "{source:?}: {error:?}");
        let found = error.help().unwrap_or("");
        assert!(found.contains(help), "{source:?}: {error:?}");
        assert_eq!(error.to_string(), error.message());
    }
}

#[test]
fn errors_at_the_top_level() {
    check(&[
        (
            "(a), (b)",
            ",",
            Kind::Unexpected,
            "found `,`, expected a pattern",
            "patterns at the top level have no commas between them",
        ),
        (
            "(a) {k: 1}",
            "{",
            Kind::Unexpected,
            "found `{`, expected a pattern",
            "only at the very beginning",
        ),
        (
            "hello to (you) all",
            "hello",
            Kind::Unexpected,
            "found `hello`, expected a pattern",
            "parentheses",
        ),
        (
            "\"hello\"",
            "\"hello\"",
            Kind::Unexpected,
            "found `\"hello\"`",
            "",
        ),
        (
            "(a) )",
            ")",
            Kind::Unexpected,
            "found `)`",
            "nothing is open",
        ),
        (
            "(a) → (b)",
            "→",
            Kind::BadCharacter,
            "found `→`",
            "plain characters",
        ),
        (
            "(a)\u{a0}(b)",
            "\u{a0}",
            Kind::BadCharacter,
            "found the character U+00A0",
            "ordinary",
        ),
        (
            "# a\n(b)",
            "#",
            Kind::BadCharacter,
            "found `#`",
            "begins with `//`",
        ),
        (
            "(a) /**/",
            "/**/",
            Kind::Unexpected,
            "found `/**/`",
            "`/** … */`",
        ),
        (
            "(a) /* b */ (c)",
            "/* b */",
            Kind::Unexpected,
            "expected `/**` or `//`",
            "",
        ),
        (
            "(a) /** b (c)",
            "/**",
            Kind::Unterminated,
            "expected `*/`",
            "",
        ),
    ]);
}

#[test]
fn errors_in_names_and_labels() {
    check(&[
        (
            "(名::Text)",
            "名",
            Kind::BadCharacter,
            "found `名`, expected a name",
            "in a name in backticks",
        ),
        (
            "@é(1) (a)",
            "é",
            Kind::BadCharacter,
            "found `é`, expected the key",
            "a bare word",
        ),
        (
            "(12px)",
            "12px",
            Kind::Unexpected,
            "found `12px`, expected a name",
            "backticks: `` `12px` ``",
        ),
        (
            "(\"a\")",
            "\"a\"",
            Kind::Unexpected,
            "expected a name",
            "is in backticks",
        ),
        (
            "(a b)",
            "b",
            Kind::Unexpected,
            "found `b`, expected `)`",
            "several words",
        ),
        (
            "(a:)",
            ")",
            Kind::Unexpected,
            "found `)`, expected a label",
            "",
        ),
        (
            "(a:\"L\")",
            "\"L\"",
            Kind::Unexpected,
            "expected a label",
            "backticks",
        ),
        (
            "(a:1)",
            "1",
            Kind::Unexpected,
            "found `1`, expected a label",
            "a letter",
        ),
        (
            "(a:::L)",
            ":::",
            Kind::Unexpected,
            "found `:::`, expected `:` or `::`",
            "",
        ),
        (
            "(a: :L)",
            ":",
            Kind::Unexpected,
            "expected a label",
            "remove it",
        ),
        (
            "(a {} :L)",
            ":",
            Kind::Unexpected,
            "expected `)`",
            "before the record",
        ),
        ("(@a)", "@", Kind::Unexpected, "found `@`", "backticks"),
        (
            "(@k(1) a)",
            "@",
            Kind::Unexpected,
            "found `@`",
            "top level only",
        ),
    ]);
}

#[test]
fn errors_in_brackets() {
    check(&[
        (
            "[a | ]",
            "]",
            Kind::Unexpected,
            "found `]`, expected an element",
            "remove the bar",
        ),
        (
            "[a | (b), ]",
            ",",
            Kind::Unexpected,
            "found `,` before `]`",
            "remove the comma",
        ),
        (
            "[a | , (b)]",
            ",",
            Kind::Unexpected,
            "found `,`, expected an element",
            "remove the comma",
        ),
        (
            "(a {k: 10 s})",
            "s",
            Kind::Unexpected,
            "expected `,` or `}`",
            "no blank between them",
        ),
        (
            "(a {k: 10 \"s\"})",
            "\"s\"",
            Kind::Unexpected,
            "expected `,` or `}`",
            "several words in quotes",
        ),
        (
            "(a {k: b c})",
            "c",
            Kind::Unexpected,
            "expected `,` or `}`",
            "several words in quotes",
        ),
        (
            "[a | {k: 1}]",
            "{",
            Kind::Unexpected,
            "expected an element",
            "write a record in a node",
        ),
        (
            "[a | :L]",
            ":",
            Kind::Unexpected,
            "expected an element",
            "write labels in a node",
        ),
        (
            "(a {k: \"\"\"Hi\"\"\"})",
            "\"Hi\"",
            Kind::Unexpected,
            "expected `,` or `}`",
            "in a fence",
        ),
        (
            "-- note",
            "--",
            Kind::Unexpected,
            "expected a pattern",
            "a comment begins with",
        ),
        (
            "[a | (b) (c)]",
            "(",
            Kind::Unexpected,
            "found `(`, expected `,` or `]`",
            "comma between",
        ),
        (
            "[a (b)]",
            "(",
            Kind::Unexpected,
            "expected `|` or `]`",
            "put `|` before",
        ),
        (
            "[a, b]",
            ",",
            Kind::Unexpected,
            "expected `|` or `]`",
            "after a bar",
        ),
        (
            "[[a], [b]]",
            "[",
            Kind::Unexpected,
            "found `[`",
            "put `|` before",
        ),
        (
            "[a | (b) | (c)]",
            "|",
            Kind::Unexpected,
            "expected `,` or `]`",
            "one bar",
        ),
        (
            "[a | b:L]",
            ":",
            Kind::Unexpected,
            "expected `,` or `]`",
            "is a reference",
        ),
        (
            "[a | b {k: 1}]",
            "{",
            Kind::Unexpected,
            "expected `,` or `]`",
            "is a reference",
        ),
        (
            "[a | b ==> c]",
            "==>",
            Kind::Unexpected,
            "expected `,` or `]`",
            "(a)-->(b)",
        ),
        (
            "[a | \"b\"]",
            "\"b\"",
            Kind::Unexpected,
            "expected an element",
            "backticks",
        ),
        (
            "[a | @k(1) (b)]",
            "@",
            Kind::Unexpected,
            "expected an element",
            "top level only",
        ),
        (
            "(a | b)",
            "|",
            Kind::Unexpected,
            "expected `)`",
            "only brackets have elements",
        ),
        (
            "(a::Int, b::Text)==>(::Text)",
            ",",
            Kind::Unexpected,
            "expected `)`",
            "each node has its own parentheses",
        ),
    ]);
}

#[test]
fn properties_without_the_brace_before_them() {
    const PUT: &str = "put `{` before them";
    for (source, at, help) in [
        ("[a:L k: \"v\"} | (b)]", "k", PUT),
        ("[a:L\n  k: \"v\",\n  m: 1\n} |\n  (b)\n]", "k", PUT),
        ("[a:L k: \"v\"]", "k", PUT),
        ("[a k: 1}]", "k", PUT),
        ("[a:L k: true, m: 1} | b, c]", "k", PUT),
        ("[:L k: [1, 2]}]", "k", PUT),
        ("[a::L k: {m: 1}}]", "k", PUT),
        ("[a:L \"k\": 1}]", "\"k\"", PUT),
        ("[a:L `k`: 1}]", "`k`", PUT),
        ("[a:L k // a comment\n: -1}]", "k", PUT),
        ("(a::Text default: \"x\"})==>(::Int)", "default", PUT),
        ("(a::Text default: \"x\")==>(::Int)", "default", PUT),
        (
            "(a::Array elementType: Text})==>(::Int)",
            "elementType",
            PUT,
        ),
        ("(a)-[r:L since: 2020}]->(b)", "since", PUT),
        ("[a:L {k: 1} m: 2]", "m", "has one record; move"),
        (
            "[hello world:L {k: 1}]",
            "world",
            "several words in backticks",
        ),
        ("[hello L {k: 1}]", "L", "a label with a colon before it"),
        ("(a::Text b::Int)", "b", "several words in backticks"),
    ] {
        let errors = parse(source).errors;
        assert_eq!(errors.len(), 1, "{source:?}: {errors:#?}");
        assert_eq!(errors[0].span().text(source), at, "{source:?}");
        let found = errors[0].help().unwrap_or_default();
        assert!(found.contains(help), "{source:?}: {found}");
    }
}

#[test]
fn a_bar_after_a_word_has_no_help() {
    let errors = parse("(a {k: b | c})").errors;
    assert_eq!(errors[0].message(), "found `|`, expected `,` or `}`");
    assert_eq!(errors[0].help(), None);
}

#[test]
fn errors_in_arrows() {
    check(&[
        (
            "(a) -> (b)",
            "->",
            Kind::BadArrow,
            "found `->`",
            "write `-->`",
        ),
        (
            "(a)<-(b)",
            "<-",
            Kind::BadArrow,
            "found `<-`",
            "write `<--`",
        ),
        (
            "(a)=>(b)",
            "=>",
            Kind::BadArrow,
            "found `=>`",
            "write `==>`",
        ),
        (
            "(a)--->(b)",
            "--->",
            Kind::BadArrow,
            "found `--->`",
            "write `-->`",
        ),
        (
            "(a)<->(b)",
            "<->",
            Kind::BadArrow,
            "found `<->`",
            "write `<-->`",
        ),
        ("(a)-(b)", "-", Kind::BadArrow, "found `-`", "write `--`"),
        (
            "(a)-=>(b)",
            "-=>",
            Kind::BadArrow,
            "found `-=>`",
            "write `-->`",
        ),
        (
            "(a)--[r]->(b)",
            "--",
            Kind::BadArrow,
            "found `--`",
            "write `-[` before",
        ),
        (
            "(a)-[r]=>(b)",
            "=>",
            Kind::BadArrow,
            "found `=>`, expected `-` or `->`",
            "alike",
        ),
        (
            "(a)=[r](b)",
            "(",
            Kind::Unexpected,
            "expected `=` or `=>`",
            "",
        ),
        (
            "(a)-[r | s]->(b)",
            "|",
            Kind::Unexpected,
            "expected `]`",
            "no elements",
        ),
        (
            "(a)-->b",
            "b",
            Kind::Unexpected,
            "expected a node",
            "parentheses",
        ),
        (
            "(a)-->[b]",
            "[",
            Kind::Unexpected,
            "expected a node",
            "not brackets",
        ),
        (
            "(a)-->",
            "",
            Kind::Unexpected,
            "found the end of the text, expected a node",
            "",
        ),
        (
            "(a-->(b)",
            ">",
            Kind::Unclosed,
            "found `>`, expected `)`",
            "before the arrow",
        ),
        (
            "(a ==>(b)",
            "==>",
            Kind::Unclosed,
            "found `==>`, expected `)`",
            "before the arrow",
        ),
    ]);
}

#[test]
fn errors_in_annotations() {
    check(&[
        (
            "@@ (a)",
            "(",
            Kind::Unexpected,
            "expected a name or a label after `@@`",
            "",
        ),
        (
            "@k(1)",
            "",
            Kind::Unexpected,
            "expected a pattern after the annotations",
            "",
        ),
        (
            "@k(1) a",
            "a",
            Kind::Unexpected,
            "expected a pattern after the annotations",
            "parentheses",
        ),
        ("@k() (a)", ")", Kind::Unexpected, "expected a value", ""),
        (
            "@k(1, 2) (a)",
            ",",
            Kind::Unexpected,
            "expected `)`",
            "one value",
        ),
        (
            "@k: 1 (a)",
            ":",
            Kind::Unexpected,
            "expected `(`",
            "@key(value)",
        ),
        (
            "@k \"v\" (a)",
            "\"v\"",
            Kind::Unexpected,
            "expected `(`",
            "@key(value)",
        ),
        (
            "@\"k\"(1) (a)",
            "\"k\"",
            Kind::Unexpected,
            "key of an annotation",
            "bare word",
        ),
        (
            "@k(1) @@i (a)",
            "@@",
            Kind::Unexpected,
            "found `@@`",
            "before all other",
        ),
        (
            "@@i {k: 1} (a)",
            "{",
            Kind::Unexpected,
            "found `{`",
            "@key(value)",
        ),
    ]);
}

#[test]
fn errors_in_records() {
    check(&[
        (
            "({k: [\"a\" 1]})",
            "1",
            Kind::Unexpected,
            "found `1`",
            "put a comma between the values",
        ),
        (
            // The bracket of the first pattern is closed.
            "[a] ({k: 1]})",
            "]",
            Kind::Unexpected,
            "found `]`",
            "remove it",
        ),
        (
            "({a: 1,})",
            ",",
            Kind::Unexpected,
            "found `,` before `}`",
            "remove the comma",
        ),
        (
            "({,a: 1})",
            ",",
            Kind::Unexpected,
            "found `,`, expected a key",
            "remove the comma",
        ),
        (
            "({a: 1,, b: 2})",
            ",",
            Kind::Unexpected,
            "found `,`, expected a key",
            "remove the comma",
        ),
        (
            "({a: [1,]})",
            ",",
            Kind::Unexpected,
            "found `,` before `]`",
            "remove the comma",
        ),
        (
            "({a = \"x\"})",
            "=",
            Kind::Unexpected,
            "found `=`, expected `:`",
            "write `:`",
        ),
        (
            "({a \"x\"})",
            "\"x\"",
            Kind::Unexpected,
            "expected `:`",
            "write `:`",
        ),
        (
            "({a > 1})",
            ">",
            Kind::Unexpected,
            "expected `:`",
            "write `:`",
        ),
        (
            "({a})",
            "}",
            Kind::Unexpected,
            "expected `:` and a value",
            "",
        ),
        (
            "({a: })",
            "}",
            Kind::Unexpected,
            "found `}`, expected a value: ",
            "",
        ),
        (
            "({: 1})",
            ":",
            Kind::Unexpected,
            "found `:`, expected a key",
            "",
        ),
        (
            "({'a': 1})",
            "'a'",
            Kind::Unexpected,
            "expected a key",
            "double quotes",
        ),
        (
            "({1: 1})",
            "1",
            Kind::Unexpected,
            "expected a key",
            "double quotes",
        ),
        (
            "({a: {b:: 1}})",
            "::",
            Kind::Unexpected,
            "found `::`, expected `:`",
            "not in a map",
        ),
        (
            "({a: 1 b: 2})",
            "b",
            Kind::Unexpected,
            "found `b`, expected `,` or `}`",
            "comma between",
        ),
        (
            "({a: 1; b: 2})",
            ";",
            Kind::BadCharacter,
            "found `;`",
            "write `,`",
        ),
        (
            "({a: A friendly agent})",
            "friendly",
            Kind::Unexpected,
            "expected `,` or `}`",
            "quotes",
        ),
        (
            "({a: OpenAI/gpt-6-sol})",
            "/",
            Kind::BadCharacter,
            "expected `,` or `}`",
            "quotes",
        ),
        ("({a: x | y, b: 2})", "|", Kind::Unexpected, "found `|`", ""),
        ("({a: (b)})", "(", Kind::Unexpected, "expected a value", ""),
        (
            "({a: [new york, x]})",
            "york",
            Kind::Unexpected,
            "expected `,` or `]`",
            "quotes",
        ),
        (
            "({a: “b”})",
            "“",
            Kind::BadCharacter,
            "found `“`",
            "straight",
        ),
    ]);
}

#[test]
fn errors_in_numbers() {
    check(&[
        (
            "({k: 08})",
            "08",
            Kind::BadNumber,
            "found `08`, expected a number",
            "octal",
        ),
        (
            "({k: 1e5})",
            "1e5",
            Kind::BadNumber,
            "found `1e5`",
            "no exponents",
        ),
        (
            "({k: 5.})",
            "5.",
            Kind::BadNumber,
            "found `5.`",
            "after the point",
        ),
        (
            "({k: .5})",
            ".5",
            Kind::BadNumber,
            "found `.5`",
            "before the point",
        ),
        (
            "({k: +5})",
            "+5",
            Kind::BadNumber,
            "found `+5`",
            "remove the `+`",
        ),
        (
            "({k: 1_000})",
            "1_000",
            Kind::BadNumber,
            "found `1_000`",
            "without `_`",
        ),
        (
            "({k: 2026-11-21})",
            "2026-11-21",
            Kind::BadNumber,
            "found `2026-11-21`",
            "a date",
        ),
        (
            "({k: 0.0xA})",
            "0.0xA",
            Kind::BadNumber,
            "found `0.0xA`",
            "",
        ),
        (
            "({k: 170141183460469231731687303715884105728})",
            "170141183460469231731687303715884105728",
            Kind::BadNumber,
            "up to 128 bits",
            "quotes",
        ),
        (
            "({k: 1..})",
            "..",
            Kind::BadNumber,
            "found `..`, expected a number",
            "`1...`",
        ),
        (
            "({k: ..1})",
            "..",
            Kind::BadNumber,
            "found `..`, expected `...`",
            "",
        ),
        ("({k: ...})", "...", Kind::BadNumber, "at least one end", ""),
        (
            "({k: 1...9})",
            "...",
            Kind::BadNumber,
            "found `...`, expected `..`",
            "`1..10`",
        ),
    ]);
}

#[test]
fn errors_in_strings() {
    check(&[
        (
            "({k: \"ab})\n(c)",
            "\"ab})",
            Kind::Unterminated,
            "end of the line inside quotes, expected `\"`",
            "close the text",
        ),
        (
            "({k: \"ab\ncd\"})",
            "\"ab",
            Kind::Unterminated,
            "end of the line",
            "is a fence",
        ),
        (
            // No escape continues a text on the next line.
            "({k: \"ab\\\ncd\"})",
            "\"ab\\",
            Kind::Unterminated,
            "end of the line",
            "is a fence",
        ),
        (
            "({k: \"ab', j: 1})",
            "\"ab', j: 1})",
            Kind::Unterminated,
            "expected `\"`",
            "not with `'`",
        ),
        (
            "({k: 'it's'})",
            "s",
            Kind::Unexpected,
            "expected `,` or `}`",
            "is written `\\'`",
        ),
        (
            "({k: \"a\\qb\"})",
            "\\q",
            Kind::BadEscape,
            "found `\\q`",
            "backslash itself",
        ),
        (
            "({k: \"\\'\"})",
            "\\'",
            Kind::BadEscape,
            "found `\\'`",
            "no backslash",
        ),
        (
            "({k: \"\\u0041\"})",
            "\\u",
            Kind::BadEscape,
            "found `\\u`",
            "write the character itself",
        ),
        (
            "({k: ```a\n```})\n(b",
            "",
            Kind::Unclosed,
            "found the end of the text",
            "",
        ),
        (
            "({k: ```\na",
            "```",
            Kind::Unterminated,
            "three backticks",
            "",
        ),
        (
            "({k: ```a b\nc\n```})",
            "b",
            Kind::Unexpected,
            "expected the end of the line",
            "the line after",
        ),
        (
            "({k: ```abc```})",
            "```",
            Kind::Unexpected,
            "expected the end of the line",
            "the line after",
        ),
        (
            "({k: ````\na\n````})",
            "````",
            Kind::Unexpected,
            "found 4 backticks",
            "",
        ),
        (
            "({k: ```\na\n````})",
            "`",
            Kind::Unexpected,
            "found a backtick",
            "remove it",
        ),
        (
            "({k: md```\na\n```})",
            "```",
            Kind::Unexpected,
            "found `` ``` ``",
            "after its three backticks",
        ),
    ]);
}

#[test]
fn reports_unclosed_bracket_once_with_its_opener() {
    let cases = [
        // The text, the text at the error, and the offset of the unclosed bracket.
        ("[x | (a, (b)]", ",", 5),
        ("(a", "", 0),
        ("[a", "", 0),
        ("[a | (b)", "", 0),
        ("({a: 1", "", 1),
        ("({a: [1", "", 5),
        ("@k(1", "", 2),
        ("(a]", "]", 0),
        ("[a | (b]", "]", 5),
        ("[a | (b}, (c)]", "}", 5),
        ("(a {k: 1)", ")", 3),
        ("(a {k: [1, 2})", "}", 7),
        ("[a {k: 1 | (b)]", "|", 3),
        ("[a {k: 1) | (b)]", ")", 3),
        ("(a)-[r->(b)", ">", 4),
        ("(a)-[r {k: 1]->(b)", "]", 7),
        ("[a | (b)\n[c]\n[d]", "[", 0),
        ("(a {k: 1\n(b)", "(", 3),
        ("[a\n@k(1) (b)", "@", 0),
        ("[a |\n  [b | (c)\n  [d | (e)]\n]\n(f)", "[", 7),
        ("({\n  a: [1,\n  b: 2\n})", "b", 8),
    ];
    for (source, at, opener) in cases {
        let errors = parse(source).errors;
        assert_eq!(errors.len(), 1, "{source:?}: {errors:#?}");
        assert_eq!(errors[0].kind(), Kind::Unclosed, "{source:?}");
        assert_eq!(errors[0].span().text(source), at, "{source:?}");
        let (span, label) = errors[0].related().expect("the opening one");
        assert_eq!(span.start, opener, "{source:?}");
        assert!(label.contains("is not closed"));
    }
}

#[test]
fn reports_every_mistake_once_in_source_order() {
    let cases: &[(&str, &[&str])] = &[
        ("(a), (b), (c)", &[",", ","]),
        (
            "(a {k: })\n(b c)\n[d | ]\n(e)->(f)\n@@ (g)",
            &["}", "c", "]", "->", "("],
        ),
        (
            "(a {k: !, l: ?, m: 08, n: .5, o: })",
            &["!", "?", "08", ".5", "}"],
        ),
        ("{a: 1\n b: 2\n c: 3}", &["b", "c"]),
        ("(a {k: \"x\\qy\\z\", j: \"\\w\"})", &["\\q", "\\z", "\\w"]),
        ("(a)-[r x]->(b y)", &["x", "y"]),
        ("[x | (a b, (c), (d)]\n(e f)", &["b", "f"]),
        ("[a | (b)\n[c | (d)]\n(e {k: })", &["[", "}"]),
        ("(a {k: 1\n(b {k: 2\n(c)", &["(", "("]),
        ("(a {k: 1})\n)\n(b)\n]\n(c)", &[")", "]"]),
        ("name: \"x\"\nother: \"y\"", &["name", "other"]),
        ("({d: Don't do it, m: 1, n: })", &["'", "}"]),
        ("({k: \"ab', j: })", &["\"ab', j: })", "}"]),
        ("[a {k: [1, 2} | (b)]\n(c {k: })", &["}", "}"]),
        (
            "[a:Agent {d: \"x\" m: \"y\"} | (b), (c)==>(d {k:}), [e | ]]",
            &["m", "}", "]"],
        ),
        (
            "[a:Agent {description: \"abc} |\n  [b:Tool {description: ! } | (x)==>(y)],\n]\n(c {k: })",
            &["\"abc} |", "!", ",", "}"],
        ),
        (
            "[a:Agent {\n  description: \"abc,\n  model: \"x\"\n  n: 1,\n  m = 2,\n  o: 08\n} |\n  (x)->(y),\n]\n(c), (d)",
            &["\"abc,", "n", "=", "08", "->", ",", ","],
        ),
        (
            "[a:Agent {\n  instruction: \"You are\n   helpful: always.\",\n  model: \"x\",\n  bad: ,\n}]",
            &["\"You are", ","],
        ),
    ];
    for (source, expected) in cases {
        let errors = parse(source).errors;
        let found: Vec<_> = errors.iter().map(|e| e.span().text(source)).collect();
        assert_eq!(found, *expected, "{source:?}: {errors:#?}");
        assert!(errors.is_sorted_by_key(|error| error.span().start));
    }
}

#[test]
fn tree_of_text_with_errors_has_the_valid_parts() {
    let source = "(a {k: , l: 2 m})\n[b | (c d), [e]\n(f)";
    let parse = parse(source);
    assert_eq!(parse.errors.len(), 4, "{:#?}", parse.errors);
    assert_eq!(parse.document.items().count(), 3);
    let patterns = lower(&parse.document);
    assert_eq!(patterns[0].subject().properties.len(), 2);
    assert_eq!(patterns[1].elements().len(), 2);
    assert_eq!(patterns[2].subject().identity, "f");
    // The stray word contains `@k`, which is no annotation then.
    let parse = agent_gram::parse("x@k(1) (a)");
    assert_eq!(parse.errors.len(), 1, "{:#?}", parse.errors);
    assert_eq!(parse.document.items().count(), 2);
}

#[test]
fn reports_each_of_many_mistakes() {
    let counts = |text: &str| {
        let parse = parse(text);
        (parse.errors.len(), parse.more_errors)
    };
    for (count, expected) in [(10_000, (10_000, 0)), (100_000, (10_000, 90_000))] {
        assert_eq!(counts(&"(a b)\n".repeat(count)), expected);
        let record = format!("({{{}z: 1}})", "k: !, ".repeat(count));
        assert_eq!(counts(&record), expected);
    }
}
