//! What signatures mean, and how they are written.

use agent_spec::Signature;

#[test]
fn every_form_is_read_and_has_one_canonical_text() {
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
        ("(`a b`::Text)==>(::String)", "(`a b`::Text)==>(::String)"),
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
            "(a::Object {valueType: \"Int\"})==>(::Object)",
            "(a::Object {valueType: \"Int\"})==>(::Object)",
        ),
        (
            "(a::Object {fields: {x: Text, y: \"Int\"}})==>(::Any)",
            "(a::Object {fields: [{name: \"x\", type: \"Text\"}, {name: \"y\", type: \"Int\"}]})==>(::Any)",
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
            Signature::parse(source).unwrap_or_else(|error| panic!("{source}\n{error}"));
        assert_eq!(signature.to_string(), canonical, "{source}");
        assert_eq!(
            Signature::parse(canonical).as_ref(),
            Ok(&signature),
            "{canonical}"
        );
    }
}

#[test]
fn what_is_not_one_signature_is_refused() {
    for source in [
        "",
        "(a)",
        "()==>(::String) ()==>(::String)",
        "{a: 1} ()==>(::String)",
        "@k(1) ()==>(::String)",
    ] {
        assert!(Signature::parse(source).is_err(), "{source}");
    }
}
