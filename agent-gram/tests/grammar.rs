//! Texts that are gram and texts that are not, production by production.

use agent_gram::syntax::{
    CommentKind, Direction, Document, Element, Family, NameForm, NumberKind, Separator, StringForm,
    Value, ValueKind,
};
use agent_gram::{MAX_DEPTH, ParseOptions, SyntaxErrorKind, parse, parse_with};

#[track_caller]
fn accept(inputs: &[&str]) {
    for input in inputs {
        let errors = parse(input).errors;
        assert!(errors.is_empty(), "{input:?} is gram, but: {errors:?}");
    }
}

#[track_caller]
fn refuse(inputs: &[&str]) {
    for input in inputs {
        assert!(!parse(input).errors.is_empty(), "{input:?} is no gram");
    }
}

#[test]
fn accepts_documents() {
    accept(&[
        "",
        " \t\r\n\u{b}\u{c}",
        "\u{feff}",
        "\u{feff}{k: 1} (a)",
        "{}",
        "{k: 1}",
        "{k: 1}\n(a) [b] (c)-->(d)",
        "(a)(b)[c]@k(1)(d)",
        "(a)\n\n\n(b)",
    ]);
    refuse(&[
        "(a), (b)",
        "(a) {k: 1}",
        "{} {}",
        "a",
        "(a) b",
        "\u{a0}(a)",
        "(a)\u{2028}(b)",
        "(a) \u{feff}",
    ]);
}

#[test]
fn accepts_comments() {
    accept(&[
        "// only this",
        "//",
        "(a) // end",
        "(/** d */ a /***/ :L // x\n)",
        "/** a * b ** c **/ (a)",
        "(a)-/** in */[r]/** an */-> // arrow\n(b)",
        "({k: 1 /** a */ .. // b\n 2})",
        "({u: \"//cdn\", v: '/* no */', w: `//`})",
    ]);
    refuse(&[
        "/**/ (a)",
        "/* a */ (a)",
        "/** open (a)",
        "/ (a)",
        "(// a)",
        "# a\n(b)",
    ]);
    let source = "// one\r\n(a /** two */) // three";
    let found: Vec<_> = parse(source)
        .document
        .comments()
        .iter()
        .map(|comment| (comment.span.text(source), comment.kind))
        .collect();
    assert_eq!(
        found,
        [
            ("// one", CommentKind::Line),
            ("/** two */", CommentKind::Doc),
            ("// three", CommentKind::Line),
        ]
    );
}

#[test]
fn accepts_subjects_and_names() {
    accept(&[
        "()",
        "(a)",
        "(_)",
        "(a-b.c@d_9)",
        "(a-)-->(b--)",
        "(`any thing`)",
        "(``)",
        "(`a\\`b\\\\c\\n`)",
        "(0)",
        "(-17)",
        "(123456789012345678901234567890123456789012345678901234567890)",
        "(true)",
        "(a:L)",
        "(a::L)",
        "(a : L :: M)",
        "(:L)",
        "(::`L 1`)",
        "(a {})",
        "(a:L{k:1})",
        "({k: 1})",
        "(1:A)",
        "(null)",
    ]);
    refuse(&[
        "(\"a\")",
        "('a')",
        "(a b)",
        "(é)",
        "(@a)",
        "(12px)",
        "(01)",
        "(0x1F)",
        "(1.5)",
        "(+1)",
        "(a:)",
        "(a:1)",
        "(a:\"L\")",
        "(a:::L)",
        "(a: :L)",
        "(a {} :L)",
        "(a {} {})",
        "(a | b)",
        "(a, b)",
        "(a @k(1))",
        "(`a\nb`)",
        "(```a```)",
    ]);
}

#[test]
fn accepts_brackets_and_elements() {
    accept(&[
        "[]",
        "[a]",
        "[42]",
        "[a:L {k: 1}]",
        "[ | a]",
        "[a | b]",
        "[a | b, 1, `c d`, (e), (f)-->(g), [h | i]]",
        "[|[|[|[]]]]",
        "[a |\n(b)\n,\n(c)]",
    ]);
    refuse(&[
        "[a | ]",
        "[ | ]",
        "[a | b, ]",
        "[a | , b]",
        "[a | b c]",
        "[a b]",
        "[a, b]",
        "[[a]]",
        "[\"a\"]",
        "[a | \"b\"]",
        "[a | {k: 1}]",
        "[a | b:L]",
        "[a | b {k: 1}]",
        "[a | @k(1) (b)]",
        "[a | (b) | (c)]",
        "[a]-->(b)",
        "[a | b-->c]",
    ]);
}

#[test]
fn accepts_records_arrays_and_maps() {
    accept(&[
        "({a: 1, `b c`: 2, \"d e\": 3, true: 4})",
        "({a :: 1, b::2})",
        "({a: 1, a: 2})",
        "({\"\": 1, ``: 2})",
        // The official grammar does not accept the following.
        "({a: []})",
        "({a: [[1, 2], [], {b: 1}]})",
        "({a: {b: {c: {d: [{e: 1}]}}}})",
        "@k([{a: {b: []}}]) (c)",
    ]);
    refuse(&[
        "({a: 1,})",
        "({,})",
        "({a: [1,]})",
        "({a: [,]})",
        "({a 1})",
        "({a})",
        "({a:})",
        "({: 1})",
        "({a = 1})",
        "({'a': 1})",
        "({1: 1})",
        "({a: 1 b: 2})",
        "({a::: 1})",
        "({a: : 1})",
        "({a: {b:: 1}})",
        "({a: [{b:: 1}]})",
        "({a: (b)})",
    ]);
}

#[test]
fn accepts_paths() {
    accept(&[
        "(a)-->(b)",
        "(a)\n-->\n(b)",
        "(a)- ->(b)",
        "(a)<- -(b)",
        "(a)= =>(b)",
        "(a)-[]->(b)",
        "(a)- [ r:R {k: 1} ] ->(b)",
        "(a)-->(b)<--(c)--(d)<-->(e)",
        "[x | (a)-->(b)]",
    ]);
    refuse(&[
        "(a)->(b)",
        "(a)<-(b)",
        "(a)=>(b)",
        "(a)-(b)",
        "(a)---(b)",
        "(a)--->(b)",
        "(a)-- >(b)",
        "(a)< --(b)",
        "(a)-=>(b)",
        "(a)=->(b)",
        "(a)-[r]=>(b)",
        "(a)~[r]->(b)",
        "(a)--[r]-->(b)",
        "(a)-[r]>(b)",
        "(a)-[r | s]->(b)",
        "(a)-[@k(1) r]->(b)",
        "(a)-->",
        "-->(b)",
        "(a)-->b",
        "(a)-->[b]",
        "(a-->(b)",
    ]);
}

#[test]
fn arrows_keep_their_kind_and_family() {
    let families = [
        ('-', Family::Dash),
        ('=', Family::Double),
        ('~', Family::Wave),
    ];
    let directions = [
        ("", ">", Direction::Right),
        ("<", "", Direction::Left),
        ("", "", Direction::Undirected),
        ("<", ">", Direction::Both),
    ];
    for (shaft, family) in families {
        for (left, right, direction) in directions {
            for middle in ["", "[]", "[r]", " [ r:R ] "] {
                let arrow = format!("{left}{shaft}{middle}{shaft}{right}");
                let source = format!("(a){arrow}(b)");
                let parse = parse(&source);
                assert!(parse.errors.is_empty(), "{source}");
                let Element::Path(path) = first(&parse.document) else {
                    panic!("{source} is a path");
                };
                let read = path.arrows().next().expect("an arrow");
                assert_eq!(read.family(), family, "{source}");
                assert_eq!(read.direction(), direction, "{source}");
                assert_eq!(read.is_bracketed(), !middle.is_empty(), "{source}");
                assert_eq!(read.subject().is_some(), middle.contains('r'), "{source}");
                assert_eq!(read.span().text(&source), arrow);
            }
        }
    }
}

#[test]
fn accepts_annotations() {
    accept(&[
        "@k(1) (a)",
        "@k(1)@j(\"x\")\n[a | b]",
        "@@i (a)",
        "@@i:L::M (a)-->(b)",
        "@@:L (a)",
        "@@ 7 @ k ( 1 ) (a)",
        "@@p@k(1)",
        "@@1@k(2) (a)",
        "@@-0@k(2)()",
        "@@ 1@ k(2) (a)",
    ]);
    refuse(&[
        "@@ (a)",
        "@k (a)",
        "@k() (a)",
        "@k(1, 2) (a)",
        "@k(1)",
        "@k(1) a",
        "@k(1) @@i (a)",
        "@@i @@j (a)",
        "@@i {k: 1} (a)",
        "@\"k\"(1) (a)",
        "@1(1) (a)",
        "@ @k(1) (a)",
        "@@i",
    ]);
}

/// Returns the body of the first item.
fn first<'t>(document: &'t Document<'_>) -> Element<'t> {
    document.items().next().expect("an item").body()
}

/// Calls `test` with the value in `({k: …})`.
#[track_caller]
fn with_value<T>(text: &str, test: impl Fn(Value<'_>) -> T) -> T {
    let source = format!("({{k: {text}}})");
    let parse = parse(&source);
    assert!(parse.errors.is_empty(), "{source:?}: {:?}", parse.errors);
    let Element::Path(path) = first(&parse.document) else {
        panic!("a path");
    };
    let subject = path.nodes().next().and_then(|node| node.subject());
    let record = subject.expect("a subject").record().expect("a record");
    let value = record.properties().next().expect("a property").value();
    assert_eq!(value.span().text(&source), text);
    test(value)
}

#[test]
fn accepts_numbers() {
    let integers = [
        ("0", 0),
        ("-0", 0),
        ("42", 42),
        ("-7", -7),
        ("0x1f", 31),
        ("0xFF", 255),
        ("0755", 493),
        ("00", 0),
        ("170141183460469231731687303715884105727", i128::MAX),
        ("-170141183460469231731687303715884105728", i128::MIN),
    ];
    for (text, expected) in integers {
        with_value(text, |value| match value.kind() {
            ValueKind::Number(number) => match number.kind() {
                NumberKind::Integer(found) => assert_eq!(found, expected, "{text}"),
                other => panic!("{text}: {other:?}"),
            },
            ref other => panic!("{text}: {other:?}"),
        });
    }
    for (text, expected) in [("1.50", 1.5), ("-0.0", 0.0), ("0.1", 0.1), ("12.25", 12.25)] {
        with_value(text, |value| match value.kind() {
            ValueKind::Number(number) => match number.kind() {
                NumberKind::Decimal(found) => {
                    assert_eq!(found, expected, "{text}");
                    assert_eq!(found.is_sign_negative(), text.starts_with('-'));
                }
                other => panic!("{text}: {other:?}"),
            },
            ref other => panic!("{text}: {other:?}"),
        });
    }
    let measurements = [
        ("10s", 10.0, "s"),
        ("-3kg", -3.0, "kg"),
        ("0xZZ", 0.0, "xZZ"),
        ("0x", 0.0, "x"),
        ("0xfs", 0.0, "xfs"),
        ("1e", 1.0, "e"),
        ("1.50usd", 1.5, "usd"),
        ("-0xA", 0.0, "xA"),
    ];
    for (text, expected, unit) in measurements {
        with_value(text, |value| match value.kind() {
            ValueKind::Number(number) => {
                let expected = NumberKind::Measurement {
                    value: expected,
                    unit,
                };
                assert_eq!(number.kind(), expected, "{text}");
            }
            ref other => panic!("{text}: {other:?}"),
        });
    }
    let wrong = [
        "08",
        "0o77",
        "0b1x1",
        "01.5",
        "1e5",
        "1_000",
        "5.",
        ".5",
        "+5",
        "-",
        "--1",
        "1.2.3",
        "1 s",
        "0x1fs",
        "07s",
        "-07",
        "1s2",
        "0.0xA",
        "2026-11-21",
        "17:35",
        "170141183460469231731687303715884105728",
        "0xffffffffffffffffffffffffffffffff",
    ];
    for text in wrong {
        refuse(&[&format!("({{k: {text}}})")]);
    }
    refuse(&[&format!("({{k: 1{}.0}})", "0".repeat(400))]);
}

#[test]
fn accepts_ranges() {
    for text in [
        "1..10", "1 .. 10", "-5..-1", "1.5..2.5", "0x1..0xF", "1s..2s", "1...", "1.5...", "...10",
        "... 10", "1 ...",
    ] {
        with_value(text, |value| {
            assert!(matches!(value.kind(), ValueKind::Range { .. }), "{text}");
        });
    }
    for text in [
        "1..", "..10", "...", "1...10", "1....10", "1. .10", "a..b..", "1..b", "1..2..3",
    ] {
        let source = format!("({{k: {text}}})");
        let is_symbol = text.starts_with('a');
        assert_eq!(parse(&source).errors.is_empty(), is_symbol, "{source}");
    }
}

#[test]
fn accepts_words() {
    for (text, expected) in [
        ("true", Some(true)),
        ("false", Some(false)),
        ("trueish", None),
    ] {
        with_value(text, |value| match value.kind() {
            ValueKind::Boolean(found) => assert_eq!(Some(found), expected),
            ValueKind::Symbol(found) => assert_eq!((found, expected), (text, None)),
            ref other => panic!("{text}: {other:?}"),
        });
    }
    accept(&["({k: null, l: a..b, m: a-, n: _, o: a@b.c})"]);
}

#[test]
fn accepts_strings() {
    let cases = [
        ("\"a\"", "a", StringForm::Double),
        ("'a'", "a", StringForm::Single),
        ("`a`", "a", StringForm::Backtick),
        ("``", "", StringForm::Backtick),
        ("\" a \"", " a ", StringForm::Double),
        ("\"it's `b`\"", "it's `b`", StringForm::Double),
        (
            "\"\\\" \\b \\f \\n \\r \\t \\/ \\\\\"",
            "\" \u{8} \u{c} \n \r \t / \\",
            StringForm::Double,
        ),
        ("'\\''", "'", StringForm::Single),
        ("`\\``", "`", StringForm::Backtick),
        ("\"tab\there\"", "tab\there", StringForm::Double),
        ("\"//cdn\"", "//cdn", StringForm::Double),
        ("\"é😀\\né\"", "é😀\né", StringForm::Double),
        ("```\n```", "", StringForm::Fence),
        ("```\n\n```", "", StringForm::Fence),
        ("```\na\n```", "a", StringForm::Fence),
        ("```\na```", "a", StringForm::Fence),
        ("```\na\n\n```", "a\n", StringForm::Fence),
        ("```\na\n \t```", "a", StringForm::Fence),
        ("```\na  ```", "a  ", StringForm::Fence),
        (
            "```  \t\n a \\n `b` ``c``\n```",
            " a \\n `b` ``c``",
            StringForm::Fence,
        ),
        ("```\r\na\r\nb\r\n```", "a\nb", StringForm::Fence),
        ("```\r\n\r\na\r\n\r\n\t```", "\na\n", StringForm::Fence),
        ("```\na\r\r\nb\r\r\n```", "a\nb", StringForm::Fence),
        ("```\na\rb\r\nc\r```", "a\rb\nc\r", StringForm::Fence),
        ("\"a\\r\\nb\"", "a\r\nb", StringForm::Double),
        (
            "```\n// no comment\n/* nor this\n```",
            "// no comment\n/* nor this",
            StringForm::Fence,
        ),
    ];
    for (text, expected, form) in cases {
        with_value(text, |value| match value.kind() {
            ValueKind::String {
                text: found,
                form: found_form,
            } => {
                assert_eq!(found, expected, "{text:?}");
                assert_eq!(found_form, form, "{text:?}");
            }
            other => panic!("{text}: {other:?}"),
        });
    }
    for text in [
        "\"a",
        "'a",
        "\"a\nb\"",
        "\"\\q\"",
        "\"\\'\"",
        "'\\\"'",
        "`\\'`",
        "\"\\u0041\"",
        "\"\\\n\"",
        "```a```",
        "```\na",
        "````\na\n````",
        "```\na\n````",
        "```a b\nc\n```",
        "\"a\" \"b\"",
    ] {
        refuse(&[&format!("({{k: {text}}})")]);
    }
}

#[test]
fn accepts_tagged_strings() {
    let cases = [
        ("date`2026-11-21`", "date", "2026-11-21"),
        ("md ``", "md", ""),
        ("re`a\\`b\\\\`", "re", "a`b\\"),
        ("true`x`", "true", "x"),
        ("```md\n# a\n```", "md", "# a"),
        ("``` ts \n1\n```", "ts", "1"),
    ];
    for (text, tag, content) in cases {
        with_value(text, |value| match value.kind() {
            ValueKind::Tagged {
                tag: found,
                text: found_text,
                ..
            } => {
                assert_eq!((found.text(), found_text), (tag, content));
            }
            other => panic!("{text}: {other:?}"),
        });
    }
    refuse(&["({k: md```\nx\n```})", "({k: `a`b`c`})", "({k: \"md\"`x`})"]);
}

#[test]
fn tree_keeps_separators_and_forms_of_names() {
    let source = "[a::L:M {\"k\":: 1} | `b`]";
    let parse = parse(source);
    let Element::Bracket(bracket) = first(&parse.document) else {
        panic!("a bracket");
    };
    let subject = bracket.subject().expect("a subject");
    assert_eq!(subject.span().text(source), "a::L:M {\"k\":: 1}");
    let separators: Vec<_> = subject.labels().map(|label| label.separator()).collect();
    assert_eq!(separators, [Separator::Double, Separator::Single]);
    let label = subject.labels().next().expect("a label");
    assert_eq!(label.span().text(source), "::L");
    let record = subject.record().expect("a record");
    let property = record.properties().next().expect("a property");
    assert_eq!(property.separator(), Separator::Double);
    assert_eq!(property.key().form(), NameForm::DoubleQuoted);
    assert_eq!(property.span().text(source), "\"k\":: 1");
    assert_eq!(bracket.bar().expect("a bar").text(source), "|");
    assert!(
        matches!(bracket.elements().next(), Some(Element::Reference(name)) if name.form() == NameForm::Backtick)
    );
    let item = parse.document.items().next().expect("an item");
    assert_eq!(item.span().text(source), source);
}

#[test]
fn rejects_text_beyond_the_depth_limit() {
    let array = |depth: usize| format!("({{k: {}{}}})", "[".repeat(depth), "]".repeat(depth));
    let bracket = |depth: usize| format!("{}(a){}", "[x | ".repeat(depth), "]".repeat(depth));
    let reference = |depth: usize| format!("{}a{}", "[x | ".repeat(depth), "]".repeat(depth));
    let annotated = |depth: usize| format!("@k(1) {}", bracket(depth));
    let header = |depth: usize| format!("{{k: {}{}}}", "[".repeat(depth), "]".repeat(depth));
    // Each construct, and the number of levels of it that the limit allows.
    let cases: [(&dyn Fn(usize) -> String, usize); 5] = [
        (&array, MAX_DEPTH - 2),
        (&bracket, MAX_DEPTH - 1),
        (&reference, MAX_DEPTH - 1),
        (&annotated, MAX_DEPTH - 2),
        (&header, MAX_DEPTH - 2),
    ];
    for (text, fits) in cases {
        accept(&[&text(fits)]);
        let source = text(fits + 1);
        let errors = parse(&source).errors;
        assert_eq!(errors.len(), 1, "{source}");
        assert_eq!(errors[0].kind(), SyntaxErrorKind::TooDeep);
    }
    // A path to the left nests one level deeper when it is lowered and printed.
    let path =
        |depth: usize, path: &str| format!("{}{path}{}", "[x | ".repeat(depth), "]".repeat(depth));
    accept(&[&path(MAX_DEPTH - 1, "(a)-->(b)-->(c)")]);
    accept(&[&path(MAX_DEPTH - 1, "(a)<--(b)")]);
    refuse(&[&path(MAX_DEPTH - 1, "(a)<--(b)<--(c)")]);
    accept(&[&path(MAX_DEPTH - 2, "(a)<--(b)<--(c)")]);
}

#[test]
fn depth_limit_can_be_lowered() {
    let errors =
        |source, depth| parse_with(source, ParseOptions::default().max_depth(depth)).errors;
    assert!(errors("({k: [1]})", 3).is_empty());
    let found = errors("({k: [1]}) (b c)", 2);
    assert_eq!(found.len(), 1, "nothing after it is read");
    assert_eq!(found[0].kind(), SyntaxErrorKind::TooDeep);
    assert_eq!(found[0].span().start, 5);
    let deep = format!("{}(a){}", "[x | ".repeat(500), "]".repeat(500));
    assert_eq!(errors(&deep, 1_000)[0].kind(), SyntaxErrorKind::TooDeep);
}

#[test]
fn length_limit_can_be_lowered() {
    let options = ParseOptions::default().max_bytes(7);
    assert!(parse_with("(a) (b)", options).errors.is_empty());
    let parse = parse_with("(a) (b) oops", options);
    assert_eq!(parse.document.items().count(), 0, "nothing of it is read");
    assert_eq!(parse.errors.len(), 1);
    assert_eq!(parse.errors[0].kind(), SyntaxErrorKind::TooLong);
    assert_eq!(
        parse.errors[0].message(),
        "the text has 12 bytes, expected at most 7"
    );
}
