//! Mistakes in what is said about types inside of types.

use super::{one_finding, tool};
use agent_spec::check::{Options, check};

#[test]
fn types_in_types() {
    for (signature, code, at, help) in [
        (
            "(a::Array {elementType: \"Txt\"})==>(::String)",
            "agent::unknown-type",
            "\"Txt\"",
            "`Text`",
        ),
        (
            "(a::Object {fields: [{name: b, type: \"Int\"}]})==>(::String)",
            "agent::bad-value",
            "b",
            "quote it: \"b\"",
        ),
        (
            "(a::Any {anyOf: [\"Text\", {type: \"Object\", fields: [{name: 1, type: \"Int\"}]}]})==>(::String)",
            "agent::bad-value",
            "1",
            "",
        ),
        (
            "(a::Int {multipleOf: 0})==>(::String)",
            "agent::bad-value",
            "0",
            "",
        ),
        (
            "(a::Int {exclusiveMinimum: 5, maximum: 5})==>(::String)",
            "agent::bad-value",
            "5",
            "raise the other",
        ),
        (
            "(a::Text {exclusiveMinimum: 5})==>(::String)",
            "agent::misplaced-keyword",
            "5",
            "",
        ),
        (
            "(a::Int {const: \"x\"})==>(::String)",
            "agent::bad-default",
            "\"x\"",
            "",
        ),
        (
            "(a::Int {enum: [1], const: 1})==>(::String)",
            "agent::misplaced-keyword",
            "1",
            "one value",
        ),
        (
            "(a::Any {anyOf: [\"Text\"]})==>(::String)",
            "agent::bad-value",
            "[\"Text\"]",
            "`type`",
        ),
        (
            "(a::Any {anyOf: \"Text\"})==>(::String)",
            "agent::bad-value",
            "\"Text\"",
            "",
        ),
        (
            "(a::Any {anyOf: [\"Text\", \"Itn\"]})==>(::String)",
            "agent::unknown-type",
            "\"Itn\"",
            "`Int`",
        ),
        (
            "(a::Any {anyOf: [\"Text\", \"Int\"], fields: []})==>(::String)",
            "agent::misplaced-keyword",
            "[]",
            "",
        ),
        (
            "(a::Text {anyOf: [\"Text\", \"Int\"]})==>(::String)",
            "agent::misplaced-keyword",
            "[\"Text\", \"Int\"]",
            "",
        ),
        (
            "(a::Any {anyOf: [\"Text\", \"Int\"], minLength: 1})==>(::String)",
            "agent::misplaced-keyword",
            "1",
            "",
        ),
        (
            "(a::Array {elementType: {type: \"Text | Int\", anyOf: [\"Text\", \"Int\"]}})==>(::String)",
            "agent::misplaced-keyword",
            "[\"Text\", \"Int\"]",
            "keep one",
        ),
        (
            "(a::Any {anyOf: [\"Null\", \"Null\"]})==>(::String)",
            "agent::misplaced-type",
            "Any",
            "optional: true",
        ),
        (
            "(a::Any {anyOf: [\"Text\", \"Int\"], default: true})==>(::String)",
            "agent::bad-default",
            "true",
            "",
        ),
        (
            "(a::Array {items: []})==>(::String)",
            "agent::bad-value",
            "[]",
            "maxItems",
        ),
        (
            "(a::Array {items: [\"Text\", \"Null\"]})==>(::String)",
            "agent::misplaced-type",
            "\"Null\"",
            "optional: true",
        ),
        (
            "(a::Array {items: [\"Text\"], elementType: \"Text\"})==>(::String)",
            "agent::misplaced-keyword",
            "\"Text\"",
            "fixes their number",
        ),
        (
            "(a::Array {items: [\"Text\"], minItems: 1})==>(::String)",
            "agent::misplaced-keyword",
            "1",
            "fixes their number",
        ),
        (
            "(a::Object {items: [\"Text\"]})==>(::String)",
            "agent::misplaced-keyword",
            "[\"Text\"]",
            "",
        ),
        (
            "(a::Object {fields: [{type: \"Text\"}]})==>(::String)",
            "agent::missing-name",
            "{type: \"Text\"}",
            "",
        ),
        (
            "(a::Object {fields: [{nmae: \"x\", type: \"Text\"}]})==>(::String)",
            "agent::unknown-property",
            "nmae",
            "`name`",
        ),
        (
            "(a::Object {fields: [{name: \"x\", tipe: \"Text\"}]})==>(::String)",
            "agent::unknown-property",
            "tipe",
            "`type`",
        ),
        (
            "(a::Object {fields: {x: {typ: \"Text\"}}})==>(::String)",
            "agent::unknown-property",
            "typ",
            "`type`",
        ),
        (
            "(a::Object {fields: [{name: \"x\"}]})==>(::String)",
            "agent::missing-type",
            "{name: \"x\"}",
            "",
        ),
        (
            "(a::Object {fields: [1]})==>(::String)",
            "agent::bad-value",
            "1",
            "",
        ),
        (
            "(a::Object {fields: {x: \"Txt\"}})==>(::String)",
            "agent::unknown-type",
            "\"Txt\"",
            "`Text`",
        ),
        (
            "(a::Object {fields: [{name: \"x\", type: \"Text\"}, {name: \"x\", type: \"Text\"}]})==>(::String)",
            "agent::duplicate-parameter",
            "\"x\"",
            "rename",
        ),
        (
            "(a::Array {elementType: {type: \"{x: Text}\", valueType: \"Int\"}})==>(::String)",
            "agent::misplaced-keyword",
            "\"Int\"",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", minLength: 1}, minLength: 2}})==>(::Any)",
            "agent::misplaced-keyword",
            "2",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", minLength: 4}, maxLength: 3}})==>(::Any)",
            "agent::bad-value",
            "3",
            "",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", enum: [\"ab\"]}, enum: [\"c\"]}})==>(::Any)",
            "agent::misplaced-keyword",
            "[\"c\"]",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", enum: [\"a\", \"abc\"]}, maxLength: 2}})==>(::Any)",
            "agent::bad-default",
            "2",
            "fewer values",
        ),
        (
            "(a::Array {elementType: {type: \"{a: Text}\", fields: {b: \"Int\"}}})==>(::Any)",
            "agent::misplaced-keyword",
            "{b: \"Int\"}",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: \"Map Int\", fields: {b: \"Int\"}}})==>(::Any)",
            "agent::misplaced-keyword",
            "{b: \"Int\"}",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: \"[Text]\", elementType: \"Int\"}})==>(::Any)",
            "agent::misplaced-keyword",
            "\"Int\"",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: \"[Maybe Any]\", elementType: \"Int\"}})==>(::Any)",
            "agent::misplaced-keyword",
            "\"Int\"",
            "keep one",
        ),
        (
            "(a::Object {valueType: {type: \"Map Text\", valueType: \"Int\"}})==>(::Any)",
            "agent::misplaced-keyword",
            "\"Int\"",
            "keep one",
        ),
        (
            "(a::Object {fields: [{name: \"b\", type: \"{a: Text}\", valueType: \"Int\"}]})==>(::Any)",
            "agent::misplaced-keyword",
            "\"Int\"",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: \"Text\", description: \"d\"}})==>(::Any)",
            "agent::misplaced-keyword",
            "description",
            "a field",
        ),
        (
            "(a::Object {fields: [{name: \"b\", type: {type: \"Text\", description: \"d\"}}]})==>(::Any)",
            "agent::misplaced-keyword",
            "description",
            "a field",
        ),
        (
            "(a::Object {fields: {b: {type: {type: \"Text\", description: \"d\"}}}})==>(::Any)",
            "agent::misplaced-keyword",
            "description",
            "a field",
        ),
        (
            "(a::Object {fields: {b: {type: \"Int\", default: \"x\"}}})==>(::Any)",
            "agent::bad-default",
            "\"x\"",
            "",
        ),
        (
            "(a::Object {fields: {b: {optional: true}}})==>(::Any)",
            "agent::missing-type",
            "{optional: true}",
            "",
        ),
        (
            "(a::Object {fields: {b: {name: \"b\", type: \"Int\"}}})==>(::Any)",
            "agent::unknown-property",
            "name",
            "",
        ),
        (
            "(a::Array {elementType: {type: \"Int\", default: 1}})==>(::Any)",
            "agent::unknown-property",
            "default",
            "",
        ),
    ] {
        one_finding(&tool(r#"description: "d""#, signature), code, at, help);
    }
}

/// The places of both, since either may be the one to change.
#[test]
fn duplicates_have_a_label_at_the_first_place() {
    for (signature, places) in [
        (
            "(a::Array {elementType: {type: \"[Text]\", elementType: \"Int\"}})==>(::Any)",
            ["\"Int\"", "\"[Text]\""],
        ),
        (
            "(a::Array {elementType: {type: {type: \"Int\", minimum: 1}, minimum: 2}})==>(::Any)",
            ["2", "{type: \"Int\", minimum: 1}"],
        ),
    ] {
        let source = tool(r#"description: "d""#, signature);
        let found = check(&source, Options::default()).diagnostics;
        let labels = found[0].labels().map(|(span, _)| span);
        let shown: Vec<&str> = [found[0].span()]
            .into_iter()
            .chain(labels)
            .map(|span| span.text(&source))
            .collect();
        assert_eq!(shown, places, "{signature}");
    }
}

#[test]
fn patterns_that_are_too_large_to_match_are_refused_once() {
    let groups = format!("\"{}\"", "(a*)*".repeat(1_000));
    let repeated = "\".{1,100000}\"".to_owned();
    for pattern in [groups, repeated, "\"(\"".to_owned()] {
        let signature = format!("(p::Text {{pattern: {pattern}, default: \"aab\"}})==>(::String)");
        let source = tool("description: \"d\"", &signature);
        one_finding(&source, "agent::bad-value", &pattern, "");
    }
    for pattern in ["^(\\\\w{400}|.{1,5000})$", &"(a|b)".repeat(50)] {
        let signature = format!("(p::Text {{pattern: \"{pattern}\"}})==>(::String)");
        let source = tool("description: \"d\"", &signature);
        assert_eq!(
            check(&source, Options::default()).diagnostics.len(),
            0,
            "{pattern}"
        );
    }
}
