//! Mistakes in the keyword `schema` of `Any`.

use super::{one_finding, tool};
use agent_gram::print::writer::{Writer, to_string};
use agent_spec::check::{Options, check};
use agent_spec::schema::MAX_SCHEMA_TEXT;

fn quoted(text: &str) -> String {
    to_string(|writer: &mut Writer<'_>| writer.quoted(text, b'"'))
}

fn parameter(schema: &str) -> String {
    tool(
        "description: \"d\"",
        &format!("(a::Any {{schema: {}}})==>(::String)", quoted(schema)),
    )
}

/// Checks that a text is refused on its token, with a reason.
#[track_caller]
fn refused(schema: &str, reason: &str) {
    let source = parameter(schema);
    one_finding(&source, "agent::bad-value", &quoted(schema), "");
    let found = check(&source, Options::default()).diagnostics;
    let message = found[0].message();
    assert!(message.contains(reason), "{schema}\n{message}");
}

#[test]
fn rejects_a_schema_that_is_no_json_schema() {
    refused("", "is not JSON");
    refused("{type: 'object'}", "is not JSON");
    refused("{} {}", "is not JSON");
    refused("3", "found the number 3");
    refused("null", "found null");
    refused("[{}]", "expected an object");
    refused(r#"{"a": {"b": 1, "b": 2}}"#, "`$.a.b` is there twice");
}

#[test]
fn rejects_references_out_of_the_schema() {
    refused(
        r#"{"$ref": "https://example.com/a.json#/$defs/A"}"#,
        "leads out of the schema",
    );
    refused(r#"{"$ref": "other.json"}"#, "leads out of the schema");
    refused(r#"{"items": {"$ref": ""}}"#, "leads out of the schema");
    refused(r##"{"$ref": "#/$defs/A"}"##, "leads nowhere");
    refused(r##"{"$ref": "#nowhere"}"##, "leads nowhere");
    refused(r#"{"$ref": 3}"#, "write `$ref` and a text");
    refused(r##"{"$dynamicRef": "#a"}"##, "`$dynamicRef`");
    refused(r##"{"not": {"$recursiveRef": "#"}}"##, "`$recursiveRef`");
    // The reference is that of a definition, which something refers to.
    refused(
        r##"{"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "file:///etc/passwd"}}}"##,
        "leads out of the schema",
    );
}

#[test]
fn rejects_a_schema_that_is_too_large_or_too_deep() {
    let long = format!("{{\"title\": \"{}\"}}", "x".repeat(MAX_SCHEMA_TEXT));
    refused(&long, "262144 are allowed");
    let deep = |levels: usize| format!("{}{{}}{}", "{\"not\":".repeat(levels), "}".repeat(levels));
    refused(&deep(200), "recursion limit");
    // Each of many references brings a copy of a large definition.
    let parts: Vec<String> = (0..900)
        .map(|at| {
            format!(
                "\"p{at}\":{{\"items\":{{\"$ref\":\"#/$defs/a/properties/p{}\"}}}}",
                (at + 1) % 900
            )
        })
        .collect();
    let of_each = (0..900).map(|at| {
        format!("{{\"$ref\":\"#/$defs/a/properties/p{at}\"}},{{\"$ref\":\"#/$defs/a\"}}")
    });
    let of_each: Vec<String> = of_each.collect();
    let nested = format!(
        "{{\"anyOf\":[{}],\"$defs\":{{\"a\":{{\"properties\":{{{}}}}}}}}}",
        of_each.join(","),
        parts.join(",")
    );
    assert!(
        check(&parameter(&nested), Options::default())
            .diagnostics
            .is_empty()
    );
    let whole: Vec<String> = (0..900)
        .map(|at| format!("{{\"$ref\":\"#/anyOf/{at}/not\"}}"))
        .collect();
    let inner: Vec<String> = (0..900)
        .map(|_| format!("{{\"not\":{{\"enum\":[{}]}}}}", "1,".repeat(60) + "1"))
        .collect();
    let multiplied = format!(
        "{{\"anyOf\":[{}],\"allOf\":[{}]}}",
        inner.join(","),
        whole.join(",")
    );
    refused(&multiplied, "bytes, and 262144 are allowed");
}

#[test]
fn rejects_a_type_that_nests_too_deep_with_its_schema() {
    let levels = 60;
    let schema = format!("{}{{}}{}", "{\"not\":".repeat(levels), "}".repeat(levels));
    let ty = format!("{{type: \"Any\", schema: {}}}", quoted(&schema));
    let lists = |count: usize| {
        let start = "{type: \"Array\", elementType: ".repeat(count);
        format!("{start}{ty}{}", "}".repeat(count))
    };
    let source = |count: usize| {
        tool(
            "description: \"d\"",
            &format!("(a::Array {{elementType: {}}})==>(::String)", lists(count)),
        )
    };
    assert!(
        check(&source(80), Options::default())
            .diagnostics
            .is_empty()
    );
    let found = check(&source(100), Options::default()).diagnostics;
    assert_eq!(found[0].code().as_str(), "gram::too-deep");
}

#[test]
fn rejects_keywords_beside_schema() {
    let schema = "schema: \"{\\\"not\\\":{}}\"";
    for (parameter, at, help) in [
        (
            format!("a::Any {{{schema}, anyOf: [\"Text\", \"Int\"]}}"),
            "[\"Text\", \"Int\"]",
            "JSON Schema",
        ),
        (
            format!("a::Any {{{schema}, enum: [1]}}"),
            "[1]",
            "JSON Schema",
        ),
        (format!("a::Any {{{schema}, const: 1}}"), "1", "JSON Schema"),
        (
            format!("a::Text {{{schema}}}"),
            "\"{\\\"not\\\":{}}\"",
            "write the label `Any`",
        ),
        (
            format!("a::Object {{{schema}}}"),
            "\"{\\\"not\\\":{}}\"",
            "",
        ),
        (
            format!("a::Array {{elementType: {{type: \"Int\", {schema}}}}}"),
            "\"{\\\"not\\\":{}}\"",
            "write `type: \"Any\"`",
        ),
        (
            format!("a::Array {{elementType: {{type: \"Int | Text\", {schema}}}}}"),
            "\"{\\\"not\\\":{}}\"",
            "keep one",
        ),
        (
            format!("a::Array {{elementType: {{type: {{type: \"Any\", {schema}}}, {schema}}}}}"),
            "\"{\\\"not\\\":{}}\"",
            "keep one",
        ),
        (
            format!("a::Array {{elementType: {{type: {{type: \"Any\", {schema}}}, enum: [1]}}}}"),
            "[1]",
            "JSON Schema",
        ),
        (
            format!("a::Array {{elementType: {{type: {{type: \"Any\", enum: [1]}}, {schema}}}}}"),
            "\"{\\\"not\\\":{}}\"",
            "JSON Schema",
        ),
    ] {
        let source = tool("description: \"d\"", &format!("({parameter})==>(::String)"));
        one_finding(&source, "agent::misplaced-keyword", at, help);
    }
    one_finding(
        &tool("description: \"d\"", "(a::Any {schema: 3})==>(::String)"),
        "agent::bad-value",
        "3",
        "",
    );
}
