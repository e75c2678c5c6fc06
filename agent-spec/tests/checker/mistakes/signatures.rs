//! Mistakes in signatures: their parameters, results and arrows.

use super::{one_finding, tool};
use agent_spec::Code;
use agent_spec::check::{Options, check, check_signature};

#[test]
fn signatures() {
    for (signature, code, at, help) in [
        (
            "(a::Text)",
            "agent::not-a-signature",
            "(a::Text)",
            "then the result",
        ),
        ("x", "agent::not-a-signature", "x", ""),
        ("(a::Text)==>()", "agent::missing-type", "()", "::Null"),
        ("(a)==>(::String)", "agent::missing-type", "a", "(a::Text)"),
        (
            "()==>(a::Text)==>(::String)",
            "agent::missing-type",
            "()",
            "",
        ),
        (
            "(a::Text::Int)==>(::String)",
            "agent::several-types",
            "::Int",
            "keep one",
        ),
        (
            "(a::Txt)==>(::String)",
            "agent::unknown-type",
            "Txt",
            "`Text`",
        ),
        (
            "(a::text)==>(::String)",
            "agent::unknown-type",
            "text",
            "`Text`",
        ),
        (
            "(a::Banana)==>(::String)",
            "agent::unknown-type",
            "Banana",
            "the types are",
        ),
        (
            "(a::Null)==>(::String)",
            "agent::misplaced-type",
            "Null",
            "optional",
        ),
        (
            "(a::Object {fields: {x: Null}})==>(::String)",
            "agent::misplaced-type",
            "Null",
            "optional",
        ),
        (
            "(a::Object {fields: {x: 'Null'}})==>(::String)",
            "agent::misplaced-type",
            "'Null'",
            "optional",
        ),
        (
            "(a::Array {elementType: Null})==>(::String)",
            "agent::misplaced-type",
            "Null",
            "optional",
        ),
        (
            "()==>(::Object {valueType: Null})",
            "agent::misplaced-type",
            "Null",
            "optional",
        ),
        (
            "(a::Text)==>(a::Text)==>(::String)",
            "agent::duplicate-parameter",
            "a",
            "rename",
        ),
        (
            "(a::Text {paramName: \"b\"})==>(::String)",
            "agent::bad-name",
            "\"b\"",
            "remove",
        ),
        (
            "(`a b`::Text)==>(::String)",
            "agent::bad-parameter-name",
            "`a b`",
            "letters, digits, `_`, `-` or `.`",
        ),
        (
            "(`*`::Int)==>(a::Text)==>(::String)",
            "agent::bad-parameter-name",
            "`*`",
            "before the result",
        ),
        (
            "(`*`::Int {default: 1})==>(::String)",
            "agent::bad-parameter-name",
            "`*`",
            "remove `default`",
        ),
        (
            "(a@b::Text)==>(::String)",
            "agent::bad-parameter-name",
            "a@b",
            "outside ASCII",
        ),
        (
            "(::Text {paramName: \"größe\"})==>(::String)",
            "agent::bad-parameter-name",
            "\"größe\"",
            "outside ASCII",
        ),
        (
            "(::Text {paramName: \"\"})==>(::String)",
            "agent::bad-parameter-name",
            "\"\"",
            "at most 64",
        ),
        (
            "(a23456789_123456789_123456789_123456789_123456789_123456789_12345::Text)==>(::String)",
            "agent::bad-parameter-name",
            "a23456789_123456789_123456789_123456789_123456789_123456789_12345",
            "at most 64",
        ),
        (
            "(a::Text)<==>(::String)",
            "agent::bad-direction",
            "<==>",
            "`==>`",
        ),
        (
            "(a::Text)==>(b::Text)<==(::String)",
            "agent::bad-direction",
            "<==",
            "`==>`",
        ),
        (
            "(a::Text {defalt: \"x\"})==>(::String)",
            "agent::unknown-property",
            "defalt",
            "`default`",
        ),
        (
            "(a::Text {default: 1})==>(::String)",
            "agent::bad-default",
            "1",
            "",
        ),
        (
            "(a::Int {default: 1.5})==>(::String)",
            "agent::bad-default",
            "1.5",
            "",
        ),
        (
            "(a::Text {default: null})==>(::String)",
            "agent::bad-default",
            "null",
            "optional: true",
        ),
        (
            "(a::Text {default: x})==>(::String)",
            "agent::bad-default",
            "x",
            "quote it",
        ),
        (
            "(a::Int {minimum: 2, default: 1})==>(::String)",
            "agent::bad-default",
            "1",
            "",
        ),
        (
            "(a::Text {enum: [\"x\"], default: \"y\"})==>(::String)",
            "agent::bad-default",
            "\"y\"",
            "",
        ),
        (
            "(a::Text {enum: []})==>(::String)",
            "agent::bad-value",
            "[]",
            "",
        ),
        (
            "(a::Text {enum: [1]})==>(::String)",
            "agent::bad-default",
            "1",
            "",
        ),
        (
            "(a::Text {optional: 1})==>(::String)",
            "agent::bad-value",
            "1",
            "",
        ),
        (
            "(a::Text {minimum: 1})==>(::String)",
            "agent::misplaced-keyword",
            "1",
            "",
        ),
        (
            "(a::Int {elementType: \"Text\"})==>(::String)",
            "agent::misplaced-keyword",
            "\"Text\"",
            "",
        ),
        (
            "(a::Text {pattern: \"(\"})==>(::String)",
            "agent::bad-value",
            "\"(\"",
            "",
        ),
        (
            "(a::Text {minLength: -1})==>(::String)",
            "agent::bad-value",
            "-1",
            "",
        ),
        (
            "(a::Int {maximum: 1, minimum: 5})==>(::String)",
            "agent::bad-value",
            "5",
            "",
        ),
        (
            "(a::Text)==>(::String {default: \"x\"})",
            "agent::misplaced-keyword",
            "default",
            "optional",
        ),
    ] {
        one_finding(&tool(r#"description: "d""#, signature), code, at, help);
    }
}

#[test]
fn misplaced_keyword_names_the_types_that_have_it() {
    for (record, types) in [
        ("Int {minLength: 1}", "`Text`"),
        ("Text {minimum: 1}", "`Int` and `Double`"),
        ("Text {minItems: 1}", "`Array`"),
    ] {
        let source = tool(r#"description: "d""#, &format!("(a::{record})==>(::Any)"));
        let found = check(&source, Options::default()).diagnostics;
        let message = found[0].message();
        assert!(
            message.contains(&format!("goes with {types}, and")),
            "{message}"
        );
    }
}

/// Each is several syntax errors for the parser.
#[test]
fn reports_a_type_expression_in_place_of_a_label_once() {
    for (signature, expected) in [
        (
            "(personName::Maybe Text)==>(ids::[Int])",
            &[
                ("Maybe Text", "(personName::Text {optional: true})"),
                ("[Int]", "(ids::Array {elementType: \"Int\"})"),
            ][..],
        ),
        (
            "(a:[Maybe Text] {description: \"x (y::[Int])\"})==>(::String)",
            &[(
                "[Maybe Text]",
                "(a::Array {elementType: {type: \"Text\", optional: true}, description: \"x (y::[Int])\"})",
            )],
        ),
        (
            "( a :: Map Int )==>(::{b: Text})",
            &[
                ("Map Int", "(a::Object {valueType: \"Int\"})"),
                (
                    "{b: Text}",
                    "(::Object {fields: [{name: \"b\", type: \"Text\"}]})",
                ),
            ],
        ),
    ] {
        let found = check_signature(signature).expect_err("the notation has no such label");
        let found: Vec<_> = found
            .diagnostics
            .iter()
            .map(|found| {
                assert_eq!(
                    found.code(),
                    Code::MisplacedType,
                    "{signature}: {}",
                    found.message()
                );
                let help = found.help().unwrap_or_default();
                let form = help
                    .strip_prefix("write `")
                    .and_then(|help| help.strip_suffix('`'));
                (found.span().text(signature), form.unwrap_or(help))
            })
            .collect();
        assert_eq!(found, expected, "{signature}");
        for (_, form) in expected {
            let fixed = format!("{form}==>(::Any)");
            check_signature(&fixed).unwrap_or_else(|error| panic!("{fixed}: {error:?}"));
        }
    }
    // One mistake in a document, too, and the tool after it is read.
    let document = "[a:Tool {description: \"d\"} | (x::[Int])==>(::String)]
[b:Tool {description: \"d\"} | (x::Txt)==>(::String)]";
    let found = check(document, Options::default()).diagnostics;
    let codes: Vec<Code> = found.iter().map(|found| found.code()).collect();
    assert_eq!(codes, [Code::MisplacedType, Code::UnknownType], "{found:?}");
}
