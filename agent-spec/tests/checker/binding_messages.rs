//! The messages about mismatches below the labels of types: the summary, and what is marked.

use agent_spec::binding::{Message, Mismatch, Policy, mismatches};

/// The message about two signatures that differ in one thing, up to the signatures, and what is
/// marked in each.
fn message(spec: &str, tool: &str, policy: Policy) -> (String, Vec<String>) {
    let parse = |text| agent_spec::parse_signature(text).expect("it is correct");
    let (spec, tool) = (parse(spec), parse(tool));
    let found = mismatches(("d", &spec), ("d", &tool), policy);
    let [mismatch] = found.as_slice() else {
        panic!("not one mismatch: {found:?}");
    };
    assert!(matches!(
        mismatch,
        Mismatch::Param { .. } | Mismatch::Returns { .. }
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
fn messages_name_and_mark_the_differing_part() {
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
            "parameter `user.address.zip` is `Int` in the agent, but the function takes `Text`",
            "\"Int\"",
            "\"Text\"",
        ),
        (
            fields("type: \"Text\", default: \"a\""),
            fields("type: \"Text\", default: \"b\""),
            "parameter `user.address.zip` has the default `\"a\"` in the agent, but `\"b\"` in the \
             function",
            "\"a\"",
            "\"b\"",
        ),
        (
            fields("type: \"Text\", optional: true"),
            fields("type: \"Text\""),
            "parameter `user.address.zip` is optional in the agent, but required in the function",
            "optional: true",
            "{name: \"zip\", type: \"Text\"}",
        ),
        (
            fields("type: \"Text\"").replace("zip", "zap"),
            fields("type: \"Text\", optional: true"),
            "parameter `user.address.zap` is unknown to the function",
            "{name: \"zap\", type: \"Text\"}",
            "[{name: \"zip\", type: \"Text\", optional: true}]",
        ),
        (
            "(a::Any {anyOf: [\"Text\", \"Int\", \"Bool\"]})==>(::String)".to_owned(),
            "(a::Any {anyOf: [\"Text\", \"Int\"]})==>(::String)".to_owned(),
            "parameter `a` can be `Bool` in the agent, but the function takes no such value",
            "\"Bool\"",
            "[\"Text\", \"Int\"]",
        ),
        (
            "(a::Any {anyOf: [\"Text\", {type: \"Int\", maximum: 9}]})==>(::String)".to_owned(),
            "(a::Any {anyOf: [\"Text\", {type: \"Int\", maximum: 5}]})==>(::String)".to_owned(),
            "parameter `a` has another `maximum` in the function; the agent must be at least as \
             strict, keyword by keyword",
            "maximum: 9",
            "maximum: 5",
        ),
        (
            "(a::Bool)==>(::String)".to_owned(),
            "(a::Any {anyOf: [\"Text\", \"Int\"]})==>(::String)".to_owned(),
            "parameter `a` can be `Bool` in the agent, but the function takes no such value",
            "(a::Bool)",
            "[\"Text\", \"Int\"]",
        ),
        (
            "(a::Any {anyOf: [\"Text\", \"Int\"]})==>(::String)".to_owned(),
            "(a::Text)==>(::String)".to_owned(),
            "parameter `a` is `Int` in the agent, but the function takes `Text`",
            "\"Int\"",
            "Text",
        ),
        (
            "(a::Any)==>(::String)".to_owned(),
            "(a::Any {anyOf: [\"Text\", \"Int\"]})==>(::String)".to_owned(),
            "parameter `a` is any value in the agent, but the function takes one of several types",
            "(a::Any)",
            "(a::Any {anyOf: [\"Text\", \"Int\"]})",
        ),
        (
            "()==>(::Any {anyOf: [\"Text\", \"Int\"]})".to_owned(),
            "()==>(::Any {anyOf: [\"Text\", \"Bool\"]})".to_owned(),
            "the result can be `Bool` in the function, but the agent takes no such value",
            "[\"Text\", \"Int\"]",
            "\"Bool\"",
        ),
        (
            "(a::Object {fields: {b: \"[Text | {c: Int}]\"}})==>(::String)".to_owned(),
            "(a::Object {fields: {b: \"[Text | {c: Bool}]\"}})==>(::String)".to_owned(),
            "parameter `a.b[].c` is `Int` in the agent, but the function takes `Bool`",
            "\"Int\"",
            "\"Bool\"",
        ),
        (
            "(a::Array {items: [\"Int\", \"Int\"]})==>(::String)".to_owned(),
            "(a::Array {items: [\"Int\", \"Text\"]})==>(::String)".to_owned(),
            "parameter `a[1]` is `Int` in the agent, but the function takes `Text`",
            "\"Int\"",
            "\"Text\"",
        ),
        (
            "(a::Array {items: [\"Int\", \"Int\"]})==>(::String)".to_owned(),
            "(a::Array {items: [\"Int\"]})==>(::String)".to_owned(),
            "parameter `a` has another `items` in the function",
            "[\"Int\", \"Int\"]",
            "[\"Int\"]",
        ),
        (
            "(a::Array {elementType: \"Int\"})==>(::String)".to_owned(),
            "(a::Array {items: [\"Int\"]})==>(::String)".to_owned(),
            "parameter `a` is a list in the agent, but the function takes a list of a fixed length",
            "(a::Array {elementType: \"Int\"})",
            "(a::Array {items: [\"Int\"]})",
        ),
        (
            "(a::Object {fields: {b: \"Int\"}, valueType: \"Int\"})==>(::String)".to_owned(),
            "(a::Object {fields: {b: \"Int\"}, valueType: \"Text\"})==>(::String)".to_owned(),
            "parameter `a.*` is `Int` in the agent, but the function takes `Text`",
            "\"Int\"",
            "\"Text\"",
        ),
        (
            "(a::Int {maximum: 9})==>(::String)".to_owned(),
            "(a::Int {minimum: 1, maximum: 5})==>(::String)".to_owned(),
            "parameter `a` has no `minimum` in the agent, but one in the function; the agent must be at \
             least as strict, keyword by keyword",
            "(a::Int {maximum: 9})",
            "minimum: 1",
        ),
        (
            "(a::Int {enum: [1, 2]})==>(::String)".to_owned(),
            "(a::Int {minimum: 1, maximum: 9})==>(::String)".to_owned(),
            "parameter `a` has no `minimum` in the agent, but one in the function; the agent must be at \
             least as strict, keyword by keyword",
            "(a::Int {enum: [1, 2]})",
            "minimum: 1",
        ),
        (
            "(a::Text {pattern: \"^[ab]$\"})==>(::String)".to_owned(),
            "(a::Text {pattern: \"^(a|b)$\"})==>(::String)".to_owned(),
            "parameter `a` has another `pattern` in the function; the agent must be at least as strict, \
             keyword by keyword",
            "pattern: \"^[ab]$\"",
            "pattern: \"^(a|b)$\"",
        ),
        (
            "()==>(::Any {enum: [\"a\"]})".to_owned(),
            "()==>(::Any {enum: [\"b\"]})".to_owned(),
            "the result has another `enum` in the function; the function must be at least as strict, \
             keyword by keyword",
            "enum: [\"a\"]",
            "enum: [\"b\"]",
        ),
        (
            "()==>(::Text {minLength: 1, pattern: \"^[ab]$\"})".to_owned(),
            "()==>(::Text {enum: [\"a\", \"b\"]})".to_owned(),
            "the result has no `pattern` in the function, but one in the agent; the function must be at \
             least as strict, keyword by keyword",
            "pattern: \"^[ab]$\"",
            "(::String {enum: [\"a\", \"b\"]})",
        ),
        (
            "()==>(::Int {minimum: 2, maximum: 9})".to_owned(),
            "()==>(::Int {enum: [1, 2]})".to_owned(),
            "the result has no `minimum` in the function, but one in the agent; the function must be at \
             least as strict, keyword by keyword",
            "minimum: 2",
            "(::Int {enum: [1, 2]})",
        ),
        (
            "(a::Object {valueType: \"[Int]\"})==>(::String)".to_owned(),
            "(a::Object {valueType: \"[Text]\"})==>(::String)".to_owned(),
            "parameter `a.*[]` is `Int` in the agent, but the function takes `Text`",
            "\"Int\"",
            "\"Text\"",
        ),
        (
            "()==>(::Object {fields: {a: \"Int\", b: \"Int\"}})".to_owned(),
            "()==>(::Object {fields: {a: \"Int\"}})".to_owned(),
            "the field `b` of the result is missing in the function, and the agent requires it",
            "{name: \"b\", type: \"Int\"}",
            "[{name: \"a\", type: \"Int\"}]",
        ),
        (
            "()==>(::Object {fields: [{name: \"colour\", type: \"Text\", optional: true}]})"
                .to_owned(),
            "()==>(::Object {fields: {color: \"Text\"}})".to_owned(),
            "the field `color` of the result would be refused as a misspelling of `colour`, which the \
             agent declares",
            "{name: \"colour\", type: \"Text\", optional: true}",
            "{name: \"color\", type: \"Text\"}",
        ),
        (
            "()==>(::Object {valueType: \"Int\"})".to_owned(),
            "()==>(::Object {fields: {a: \"Int\", b: \"Text\"}})".to_owned(),
            "the part `*` of the result is `Int` in the agent, but the function returns `Text`",
            "\"Int\"",
            "\"Text\"",
        ),
        (
            "()==>(::Object {fields: {a: \"Int\"}})".to_owned(),
            "()==>(::Object {valueType: \"Int\"})".to_owned(),
            "the result is an object with fields in the agent, but the function returns a map",
            "(::Object {fields: [{name: \"a\", type: \"Int\"}]})",
            "(::Object {valueType: \"Int\"})",
        ),
        (
            "()==>(::Object {fields: {a: \"Int\"}})".to_owned(),
            "()==>(::Object {fields: [{name: \"a\", type: \"Int\", optional: true}]})".to_owned(),
            "the field `a` of the result is required in the agent, but optional in the function",
            "{name: \"a\", type: \"Int\"}",
            "optional: true",
        ),
        (
            "()==>(::Int)".to_owned(),
            "()==>(::Double)".to_owned(),
            "the result is `Int` in the agent, but the function returns `Double`",
            "Int",
            "Double",
        ),
        (
            "()==>(::Double)".to_owned(),
            "()==>(::Int {optional: true})".to_owned(),
            "the result is required in the agent, but optional in the function",
            "(::Double)",
            "optional: true",
        ),
        (
            "()==>(::Int {maximum: 3})".to_owned(),
            "()==>(::Int)".to_owned(),
            "the result has no `maximum` in the function, but one in the agent; the function must be at \
             least as strict, keyword by keyword",
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
fn exact_policy_has_its_own_messages() {
    let spec = "(a::Array {elementType: {type: \"Int\", maximum: 3}})==>(::String)";
    let tool = "(a::Array {elementType: \"Int\"})==>(::String)";
    let (summary, marked) = message(spec, tool, Policy::Exact);
    assert_eq!(
        summary,
        "parameter `a[]` has another `maximum` in the function"
    );
    assert_eq!(marked, ["maximum: 3", "\"Int\""]);

    let spec = "()==>(::Object {fields: {a: \"Int\"}})";
    let tool = "()==>(::Object {fields: {a: \"Int\", b: \"Int\"}})";
    let (summary, marked) = message(spec, tool, Policy::Exact);
    assert_eq!(
        summary,
        "the field `b` of the result is unknown to the agent"
    );
    assert_eq!(
        marked,
        [
            "[{name: \"a\", type: \"Int\"}]",
            "{name: \"b\", type: \"Int\"}"
        ]
    );
}
