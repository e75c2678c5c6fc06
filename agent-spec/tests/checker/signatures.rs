//! The meaning of signatures, and their canonical text.

use agent_spec::check::{Options, check};

#[test]
fn every_form_of_a_signature_has_one_canonical_text() {
    for (source, canonical) in [
        ("()==>(::String)", "()==>(::String)"),
        ("()-->(:Text)", "()==>(::String)"),
        ("(a:Integer)-->(:Boolean)", "(a::Int)==>(::Bool)"),
        ("(a::Number)~~>(::Null)", "(a::Double)==>(::Null)"),
        ("(a::Text)--(::String)", "(a::Text)==>(::String)"),
        (
            "(::String)<==(b::Int)<==(a::Text)",
            "(a::Text)==>(b::Int)==>(::String)",
        ),
        (
            "(::Text)==>(::Int)==>(::String)",
            "(arg1::Text)==>(arg2::Int)==>(::String)",
        ),
        (
            "(::Text {paramName: \"x\"})==>(::String)",
            "(x::Text)==>(::String)",
        ),
        (
            "(a::Text)=[:FunctionType]=>(arbString::String)",
            "(a::Text)==>(::String)",
        ),
        (
            "(a::Text {optional: false})==>(::Any)",
            "(a::Text)==>(::Any)",
        ),
        (
            "(a::Text {optional: true, default: \"x\"})==>(::Any)",
            "(a::Text {default: \"x\"})==>(::Any)",
        ),
        (
            "(`a.b-c`::Text)==>(`1st`::Object {fields: {`ä b`: Text}})==>(::String)",
            "(a.b-c::Text)==>(`1st`::Object {fields: [{name: \"ä b\", type: \"Text\"}]})==>(::String)",
        ),
        (
            "(a::Text {description: \"d\", default: 'x'})==>(::String)",
            "(a::Text {default: \"x\", description: \"d\"})==>(::String)",
        ),
        (
            "(a::Array)==>(::Array {elementType: Int})",
            "(a::Array)==>(::Array {elementType: \"Int\"})",
        ),
        (
            "(a::Array {elementType: {type: \"Text\", minLength: 1}})==>(::Any)",
            "(a::Array {elementType: {type: \"Text\", minLength: 1}})==>(::Any)",
        ),
        (
            "(a::Array {elementType: {type: \"Text\"}})==>(::Any)",
            "(a::Array {elementType: \"Text\"})==>(::Any)",
        ),
        (
            "(a::Any {anyOf: [Text, {type: \"Object\", fields: {name: Text}}]})==>(::Any)",
            "(a::Any {anyOf: [\"Text\", {type: \"Object\", fields: [{name: \"name\", type: \"Text\"}]}]})==>(::Any)",
        ),
        (
            "(a::Any {anyOf: [\"Text\", \"Null\", \"Int | Bool\", \"Text\"]})==>(::Any {anyOf: [\"Int\", \"Maybe Text\"]})",
            "(a::Any {optional: true, anyOf: [\"Text\", \"Int\", \"Bool\"]})==>(::Any {optional: true, anyOf: [\"Int\", \"Text\"]})",
        ),
        (
            "(a::Any {anyOf: [\"Text\", \"Text\"]})==>(::Any {anyOf: [\"Text\", \"Null\"]})",
            "(a::Text)==>(::String {optional: true})",
        ),
        (
            "(a::Any {default: 1, anyOf: [\"Text\", {type: \"Int\", minimum: 1}], enum: [1, \"x\"]})==>(::Any)",
            "(a::Any {default: 1, anyOf: [\"Text\", {type: \"Int\", minimum: 1}], enum: [1, \"x\"]})==>(::Any)",
        ),
        (
            "(a::Array {items: [Double, \"Maybe Text\"]})==>(::Array {elementType: \"(Int, Int)\"})",
            "(a::Array {items: [\"Double\", {type: \"Text\", optional: true}]})==>(::Array {elementType: {type: \"Array\", items: [\"Int\", \"Int\"]}})",
        ),
        (
            "(a::Object {valueType: \"Int\", fields: {b: Text}})==>(::Any)",
            "(a::Object {fields: [{name: \"b\", type: \"Text\"}], valueType: \"Int\"})==>(::Any)",
        ),
        (
            "(a::Double {multipleOf: 0.1, exclusiveMaximum: 2, exclusiveMinimum: 0})==>(::Any)",
            "(a::Double {exclusiveMinimum: 0, exclusiveMaximum: 2, multipleOf: 0.1})==>(::Any)",
        ),
        (
            "(a::Text {const: \"x\"})==>(::Array {elementType: {type: \"Int\", const: 1}})",
            "(a::Text {enum: [\"x\"]})==>(::Array {elementType: {type: \"Int\", enum: [1]}})",
        ),
        (
            "(a::Object {valueType: \"Int\"})==>(::Object)",
            "(a::Object {valueType: \"Int\"})==>(::Object)",
        ),
        (
            "(a::Object {fields: {x: Text, y: \"Int\"}})==>(::Any)",
            "(a::Object {fields: [{name: \"x\", type: \"Text\"}, {name: \"y\", type: \"Int\"}]})==>(::Any)",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", minLength: 1}, maxLength: 3}})==>(::Any)",
            "(a::Array {elementType: {type: \"Text\", minLength: 1, maxLength: 3}})==>(::Any)",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", enum: [\"x\"]}, format: \"f\"}})==>(::Any)",
            "(a::Array {elementType: {type: \"Text\", enum: [\"x\"], format: \"f\"}})==>(::Any)",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", minLength: 1}, enum: [\"x\"]}})==>(::Any)",
            "(a::Array {elementType: {type: \"Text\", enum: [\"x\"], minLength: 1}})==>(::Any)",
        ),
        (
            "(a::Array {elementType: {type: \"[Any]\", elementType: \"Int\", minItems: 1}})==>(::Any)",
            "(a::Array {elementType: {type: \"Array\", elementType: \"Int\", minItems: 1}})==>(::Any)",
        ),
        (
            "(a::Object {fields: {f: {type: \"Text\", description: \"d\"}}})==>(::Any)",
            "(a::Object {fields: [{name: \"f\", type: \"Text\", description: \"d\"}]})==>(::Any)",
        ),
        (
            "(a::Object {fields: {f: {type: \"Int\", default: 1}, g: {type: \"{x: Int}\"}}})==>(::Any)",
            "(a::Object {fields: [{name: \"f\", type: \"Int\", default: 1}, \
             {name: \"g\", type: \"Object\", fields: [{name: \"x\", type: \"Int\"}]}]})==>(::Any)",
        ),
        (
            "(a::Object {fields: []})==>(::Any)",
            "(a::Object {fields: []})==>(::Any)",
        ),
        (
            "(a::Text {enum: [\"x\", \"xy\"], format: \"x\", pattern: \"^x\"})==>(::Any)",
            "(a::Text {enum: [\"x\", \"xy\"], format: \"x\", pattern: \"^x\"})==>(::Any)",
        ),
        (
            "(a::Int {maximum: 5, minimum: 1})==>(::Any)",
            "(a::Int {minimum: 1, maximum: 5})==>(::Any)",
        ),
        (
            "(a::Text)==>(::String {optional: true, description: \"d\"})",
            "(a::Text)==>(::String {optional: true, description: \"d\"})",
        ),
        (
            "[ | (a::Text)==>(b::Int), (b::Int)==>(::String)]",
            "(a::Text)==>(b::Int)==>(::String)",
        ),
        (
            "[:`Gram.Walk` | (a::Text)==>(b::Int), (b::Int)==>(::String)]",
            "(a::Text)==>(b::Int)==>(::String)",
        ),
        (
            "[ | [ | (a::Text), (b::Int)], (::String)]",
            "(a::Text)==>(b::Int)==>(::String)",
        ),
        ("[ | (a::Text), (::String)]", "(a::Text)==>(::String)"),
    ] {
        let signature =
            agent_spec::parse_signature(source).unwrap_or_else(|error| panic!("{source}\n{error}"));
        assert_eq!(signature.to_string(), canonical, "{source}");
        assert_eq!(
            agent_spec::parse_signature(canonical).as_ref(),
            Ok(&signature),
            "{canonical}"
        );
    }
}

#[test]
fn rejects_texts_that_are_not_one_signature() {
    for source in [
        "",
        "(a)",
        "()==>(::String) ()==>(::String)",
        "{a: 1} ()==>(::String)",
        "@k(1) ()==>(::String)",
    ] {
        assert!(agent_spec::parse_signature(source).is_err(), "{source}");
    }
}

#[test]
fn property_that_is_missing_has_the_place_of_the_label() {
    let source = "[t:Tool {description: \"d\"} | (a::Int {default: 1})==>(b::Text {description: \"b\"})==>(::Any)]";
    let checked = check(source, Options::default());
    let places = &checked.tools[0].places.signature.params;
    let texts: Vec<_> = places
        .iter()
        .map(|param| {
            [param.name, param.label, param.default, param.description].map(|at| at.text(source))
        })
        .collect();
    assert_eq!(
        texts,
        [["a", "Int", "1", "Int"], ["b", "Text", "Text", "\"b\""],]
    );
}

/// Keywords around a narrowed type, and the properties of fields in a map, are part of the schema.
#[test]
fn schema_keeps_all_properties_of_a_type() {
    for (property, schema) in [
        (
            "elementType: {type: {type: \"Text\", minLength: 1}, maxLength: 3}",
            r#"{"type":"array","items":{"type":"string","minLength":1,"maxLength":3}}"#,
        ),
        (
            "elementType: {type: {type: {type: \"Int\", minimum: 1}, maximum: 9}, enum: [2, 3]}",
            r#"{"type":"array","items":{"type":"integer","enum":[2,3],"minimum":1,"maximum":9}}"#,
        ),
        (
            "elementType: {type: \"Object\", fields: {f: {type: \"Int\", default: 1, description: \"d\"}}}",
            r#"{"type":"array","items":{"type":"object","properties":{"f":{"type":"integer","description":"d","default":1}},"required":[]}}"#,
        ),
    ] {
        let source = format!("(a::Array {{{property}}})==>(::Any)");
        let signature = agent_spec::parse_signature(&source)
            .unwrap_or_else(|error| panic!("{source}\n{error}"));
        assert_eq!(signature.params()[0].ty().schema().to_string(), schema);
    }
}

/// An expression nests in few characters what gram nests in many brackets.
#[test]
fn writes_every_tool_that_it_reads_at_any_depth() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("{}Text{}", open.repeat(depth), close.repeat(depth))
    };
    for (open, close, most) in [("[", "]", 122), ("{a: ", "}", 60), ("Map ", "", 122)] {
        for (depth, is_read) in [(most, true), (most + 1, false), (127, false)] {
            let expression = nested(open, close, depth);
            let source = format!(
                "[a:Agent {{instruction: \"i\", model: \"OpenAI/m\"}} | [t:Tool {{description: \"d\"}} | \
                 (p::Array {{elementType: \"{expression}\"}})==>(q::Int)==>(::Any)]]"
            );
            let checked = check(&source, Options::default());
            let codes: Vec<&str> = checked
                .diagnostics
                .iter()
                .map(|found| found.code().as_str())
                .collect();
            if is_read {
                assert_eq!(codes, [""; 0], "{open}{depth}");
                let agent = &checked.agents[0].agent;
                assert_eq!(
                    agent.to_pattern().to_agent().as_ref(),
                    Ok(agent),
                    "{open}{depth}"
                );
            } else {
                assert_eq!(codes, ["gram::too-deep"], "{open}{depth}");
            }
        }
    }
}
