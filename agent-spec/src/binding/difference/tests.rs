use super::super::compare::{fits, same_required};
use super::super::tool::{Mismatch, Policy, mismatches};
use super::difference;
use crate::binding::Message;
use crate::{Signature, Type};

/// Types that differ from each other in one way or another, as a parameter says them.
const TYPES: [&str; 24] = [
    "Text",
    "Int",
    "Int {minimum: 1}",
    "Int {minimum: 1, maximum: 9}",
    "Text {maxLength: 5}",
    "Text {enum: [\"a\", \"b\"]}",
    "Text {enum: [\"a\"]}",
    "Text {pattern: \"a\"}",
    "Text {format: \"date\"}",
    "Array",
    "Array {elementType: \"Int\"}",
    "Array {elementType: {type: \"Int\", optional: true}}",
    "Array {elementType: \"Int\", minItems: 2}",
    "Array {elementType: {type: \"Array\", elementType: \"Text\"}}",
    "Object",
    "Object {valueType: \"Int\"}",
    "Object {valueType: {type: \"Int\", maximum: 3}}",
    "Object {fields: [{name: \"a\", type: \"Int\"}]}",
    "Object {fields: [{name: \"a\", type: \"Int\", default: 1}]}",
    "Object {fields: [{name: \"a\", type: \"Int\", default: 2}]}",
    "Object {fields: [{name: \"a\", type: \"Int\", description: \"d\"}]}",
    "Object {fields: [{name: \"a\", type: \"Text\"}]}",
    "Object {fields: [{name: \"a\", type: \"Int\"}, {name: \"b\", type: \"Text\"}]}",
    "Object {fields: [{name: \"a\", type: \"Object\", fields: [{name: \"b\", type: \"Text\"}]}]}",
];

fn types() -> Vec<Type> {
    let read = |ty: &&str| {
        let signature =
            Signature::parse(&format!("(p::{ty})==>(::String)")).expect("it is correct");
        signature.params()[0].ty().clone()
    };
    TYPES.iter().map(read).collect()
}

#[test]
fn there_is_a_difference_just_where_the_rule_sees_one() {
    let types = types();
    for inner in &types {
        for outer in &types {
            let found = difference(inner, outer, false).is_none();
            assert_eq!(found, fits(inner, outer), "{inner:?} in {outer:?}");
            let found = difference(inner, outer, true).is_none();
            assert_eq!(found, same_required(inner, outer), "{inner:?} = {outer:?}");
        }
    }
}

/// The message about two signatures that differ in one thing, up to the signatures, and what is
/// marked in each.
fn message(spec: &str, tool: &str, policy: Policy) -> (String, Vec<String>) {
    let parse = |text| Signature::parse(text).expect("it is correct");
    let (spec, tool) = (parse(spec), parse(tool));
    let found = mismatches(("d", &spec), ("d", &tool), policy);
    let [mismatch] = found.as_slice() else {
        panic!("not one mismatch: {found:?}");
    };
    assert!(matches!(
        mismatch,
        Mismatch::ParamDetails { .. } | Mismatch::Returns
    ));
    let text = Message {
        name: "t",
        spec: ("d", &spec),
        tool: ("d", &tool),
        mismatch: *mismatch,
    }
    .text();
    let lines: Vec<&str> = text.lines().collect();
    let marked = |at: usize| {
        let marks = lines[at + 1].chars().enumerate();
        let columns = marks.filter(|(_, c)| *c == '^').map(|(column, _)| column);
        let line: Vec<char> = lines[at].chars().collect();
        columns.map(|column| line[column]).collect::<String>()
    };
    let summary = lines[0].trim_start_matches("tool `t`: ").to_owned();
    (summary, vec![marked(1), marked(3)])
}

#[test]
fn messages_name_the_very_part_and_mark_it() {
    let fields = |zip: &str| {
        format!(
            "(user::Object {{fields: [{{name: \"address\", type: \"Object\", \
             fields: [{{name: \"zip\", {zip}}}]}}]}})==>(::String)"
        )
    };
    for (spec, tool, summary, ours, theirs) in [
        (
            fields("type: \"Int\""),
            fields("type: \"Text\""),
            "the field `user.address.zip` is `Int` in the agent, but the function takes `Text`",
            "\"Int\"",
            "\"Text\"",
        ),
        (
            fields("type: \"Text\", default: \"a\""),
            fields("type: \"Text\", default: \"b\""),
            "the field `user.address.zip` has the default `\"a\"` in the agent, but `\"b\"` in the \
             function",
            "\"a\"",
            "\"b\"",
        ),
        (
            fields("type: \"Text\", optional: true"),
            fields("type: \"Text\""),
            "the field `user.address.zip` is optional in the agent, but the function requires it",
            "optional: true",
            "{name: \"zip\", type: \"Text\"}",
        ),
        (
            fields("type: \"Text\"").replace("zip", "zap"),
            fields("type: \"Text\", optional: true"),
            "the field `user.address.zap` is unknown to the function",
            "{name: \"zap\", type: \"Text\"}",
            "[{name: \"zip\", type: \"Text\", optional: true}]",
        ),
        (
            "(a::Int {maximum: 9})==>(::String)".to_owned(),
            "(a::Int {minimum: 1, maximum: 5})==>(::String)".to_owned(),
            "parameter `a` has another `minimum` in the function: the agent allows values that the \
             function does not take",
            "(a::Int {maximum: 9})",
            "minimum: 1",
        ),
        (
            "(a::Int {enum: [1, 2]})==>(::String)".to_owned(),
            "(a::Int {minimum: 1, maximum: 9})==>(::String)".to_owned(),
            "parameter `a` has no `minimum` in the agent, but one in the function: keywords are \
             compared one by one",
            "(a::Int {enum: [1, 2]})",
            "minimum: 1",
        ),
        (
            "(a::Text {pattern: \"^[ab]$\"})==>(::String)".to_owned(),
            "(a::Text {pattern: \"^(a|b)$\"})==>(::String)".to_owned(),
            "parameter `a` has another `pattern` in the function: what is written is compared, \
             keyword by keyword",
            "pattern: \"^[ab]$\"",
            "pattern: \"^(a|b)$\"",
        ),
        (
            "()==>(::Any {enum: [\"a\"]})".to_owned(),
            "()==>(::Any {enum: [\"b\"]})".to_owned(),
            "the result has another `enum` in the function, which may return what the agent does \
             not allow",
            "enum: [\"a\"]",
            "enum: [\"b\"]",
        ),
        (
            "()==>(::Int {minimum: 1, maximum: 9})".to_owned(),
            "()==>(::Int {enum: [1, 2]})".to_owned(),
            "the result has no `minimum` in the function, but one in the agent: keywords are \
             compared one by one",
            "minimum: 1",
            "(::Int {enum: [1, 2]})",
        ),
        (
            "(a::Object {valueType: \"[Int]\"})==>(::String)".to_owned(),
            "(a::Object {valueType: \"[Text]\"})==>(::String)".to_owned(),
            "the elements of `a.*` are `Int` in the agent, but the function takes `Text`",
            "\"Int\"",
            "\"Text\"",
        ),
        (
            "()==>(::Object {fields: {a: \"Int\", b: \"Int\"}})".to_owned(),
            "()==>(::Object {fields: {a: \"Int\"}})".to_owned(),
            "the field `b` of the result is not returned by the function",
            "{name: \"b\", type: \"Int\"}",
            "[{name: \"a\", type: \"Int\"}]",
        ),
        (
            "()==>(::Object {fields: {a: \"Int\"}})".to_owned(),
            "()==>(::Object {fields: {a: \"Int\", b: \"Int\"}})".to_owned(),
            "the field `b` of the result is returned by the function, but unknown to the agent",
            "[{name: \"a\", type: \"Int\"}]",
            "{name: \"b\", type: \"Int\"}",
        ),
        (
            "()==>(::Int {maximum: 3})".to_owned(),
            "()==>(::Int)".to_owned(),
            "the result has another `maximum` in the function, which may return what the agent does \
             not allow",
            "maximum: 3",
            "(::Int)",
        ),
    ] {
        let (found, marked) = message(&spec, &tool, Policy::Compatible);
        assert_eq!(found, summary);
        assert_eq!(marked, [ours, theirs], "{summary}");
    }
}

#[test]
fn demanding_equal_schemas_has_messages_of_its_own() {
    let spec = "(a::Array {elementType: {type: \"Int\", maximum: 3}})==>(::String)";
    let tool = "(a::Array {elementType: \"Int\"})==>(::String)";
    let (summary, marked) = message(spec, tool, Policy::Exact);
    assert_eq!(
        summary,
        "the elements of parameter `a` have another `maximum` in the function"
    );
    assert_eq!(marked, ["maximum: 3", "\"Int\""]);
}
