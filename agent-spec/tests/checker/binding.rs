//! The binding rule, row by row.

use agent_spec::Signature;
use agent_spec::binding::{
    Message, Mismatch, Policy, description_matches, first_mismatch, mismatches,
};

fn signature(source: &str) -> Signature {
    agent_spec::parse_signature(source).unwrap_or_else(|error| panic!("{source}\n{error}"))
}

/// The kind of a mismatch: for a parameter, the keyword that differs.
fn kind(mismatch: Mismatch) -> &'static str {
    match mismatch {
        Mismatch::Description => "description",
        Mismatch::UnknownParam {
            spec: 0,
            meant: Some(0),
        } => "another name",
        Mismatch::UnknownParam {
            spec: 0,
            meant: None,
        } => "unknown",
        Mismatch::MissingParam { tool: 0 } => "missing",
        Mismatch::Param { difference, .. } => difference.keyword().name(),
        Mismatch::Returns { .. } => "returns",
        other => panic!("{other:?}"),
    }
}

#[test]
fn compatible_tools_accept_every_call_of_the_spec() {
    for (spec, tool, expected) in [
        ("(a::Text)==>(::String)", "(a::Text)==>(::String)", None),
        (
            "(a::Text)==>(::String)",
            "(a::Text {default: \"x\"})==>(::String)",
            None,
        ),
        (
            "(a::Text)==>(::String)",
            "(a::Text {optional: true})==>(::String)",
            None,
        ),
        (
            "(a::Text {default: \"x\"})==>(::String)",
            "(a::Text)==>(::String)",
            Some("optional"),
        ),
        (
            "(a::Text {default: \"x\"})==>(::String)",
            "(a::Text {default: \"y\"})==>(::String)",
            Some("default"),
        ),
        (
            "(a::Text {default: \"x\"})==>(::String)",
            "(a::Text {optional: true})==>(::String)",
            None,
        ),
        (
            "(a::Text {default: md`x`})==>(::String)",
            "(a::Text {default: md`y`})==>(::String)",
            Some("default"),
        ),
        (
            "(a::Double {default: 1})==>(::String)",
            "(a::Double {default: 1.0})==>(::String)",
            None,
        ),
        (
            "(b::Int)==>(a::Text)==>(::String)",
            "(a::Text)==>(b::Int)==>(::String)",
            None,
        ),
        (
            "(a::Int)==>(::String)",
            "(a::Text)==>(::String)",
            Some("type"),
        ),
        (
            "(b::Text)==>(::String)",
            "(a::Text)==>(::String)",
            Some("another name"),
        ),
        ("(b::Text)==>(::String)", "()==>(::String)", Some("unknown")),
        ("()==>(::String)", "(a::Text)==>(::String)", Some("missing")),
        (
            "()==>(::String)",
            "(a::Text {optional: true})==>(::String)",
            None,
        ),
        ("()==>(::String)", "()==>(::Int)", Some("returns")),
        (
            "()==>(::String)",
            "()==>(::String {optional: true})",
            Some("returns"),
        ),
        ("()==>(::String {optional: true})", "()==>(::String)", None),
        ("()==>(::Any)", "()==>(::Any)", None),
        ("()==>(::String)", "()==>(::Any)", Some("returns")),
        ("()==>(::Any {enum: [1]})", "()==>(::Any)", None),
        (
            "()==>(::Any {enum: [1]})",
            "()==>(::Any {enum: [2]})",
            Some("returns"),
        ),
        (
            "()==>(::Any {enum: [1, 2]})",
            "()==>(::Any {enum: [1]})",
            None,
        ),
        ("()==>(::Any)", "()==>(::Any {enum: [1]})", None),
        (
            "(a::Int {minimum: 1})==>(::String)",
            "(a::Int)==>(::String)",
            None,
        ),
        (
            "(a::Int)==>(::String)",
            "(a::Int {minimum: 1})==>(::String)",
            Some("minimum"),
        ),
        (
            "(a::Text {enum: [\"x\"]})==>(::String)",
            "(a::Text {enum: [\"y\", \"x\"]})==>(::String)",
            None,
        ),
        (
            "(a::Text {enum: [\"z\"]})==>(::String)",
            "(a::Text {enum: [\"y\", \"x\"]})==>(::String)",
            Some("enum"),
        ),
        (
            "(a::Array {elementType: \"Int\"})==>(::String)",
            "(a::Array {elementType: \"Text\"})==>(::String)",
            Some("type"),
        ),
        (
            "(a::Object {fields: {x: \"Int\"}})==>(::String)",
            "(a::Object {fields: {x: \"Int\"}})==>(::String)",
            None,
        ),
        (
            "(a::Object {fields: {x: \"Int\"}})==>(::String)",
            "(a::Object {fields: [{name: \"x\", type: \"Int\"}, {name: \"y\", type: \"Int\", optional: true}]})==>(::String)",
            None,
        ),
        (
            "(a::Object {fields: {x: \"Int\"}})==>(::String)",
            "(a::Object {fields: {x: \"Int\", y: \"Int\"}})==>(::String)",
            Some("fields"),
        ),
        (
            "(a::Object {valueType: \"Int\"})==>(::String)",
            "(a::Object {valueType: \"Int\"})==>(::String)",
            None,
        ),
        (
            "(a::Object)==>(::String)",
            "(a::Object {valueType: \"Int\"})==>(::String)",
            Some("type"),
        ),
        (
            "(a::Text {description: \"mine\"})==>(::String)",
            "(a::Text)==>(::String)",
            None,
        ),
    ] {
        let (ours, theirs) = (signature(spec), signature(tool));
        let found = first_mismatch(("d", &ours), ("d", &theirs), Policy::Compatible);
        assert_eq!(found.map(kind), expected, "{spec} against {tool}");
        assert_eq!(
            first_mismatch(("d", &ours), ("other", &theirs), Policy::Name),
            None
        );
    }
}

#[test]
fn exact_requires_equal_schemas() {
    for (spec, tool, equal) in [
        ("(a::Text)==>(::String)", "(a::Text)==>(::String)", true),
        (
            "(b::Int)==>(a::Text)==>(::String)",
            "(a::Text)==>(b::Int)==>(::String)",
            true,
        ),
        (
            "(a::Text)==>(::String)",
            "(a::Text {default: \"x\"})==>(::String)",
            false,
        ),
        (
            "(a::Text {description: \"x\"})==>(::String)",
            "(a::Text)==>(::String)",
            false,
        ),
        (
            "(a::Int {minimum: 1})==>(::String)",
            "(a::Int)==>(::String)",
            false,
        ),
        (
            "()==>(::String)",
            "(a::Text {optional: true})==>(::String)",
            false,
        ),
    ] {
        let (ours, theirs) = (signature(spec), signature(tool));
        let found = first_mismatch(("d", &ours), ("d", &theirs), Policy::Exact);
        assert_eq!(found.is_none(), equal, "{spec} against {tool}: {found:?}");
    }
}

#[test]
fn descriptions_match_across_line_breaks() {
    for (left, right, equal) in [
        ("one two", "one\ntwo", true),
        ("one\n\ntwo", "one\n\ntwo", true),
        ("one\n\ntwo", "one  two", false),
        ("one two", "one  two", false),
        ("one", "One", false),
    ] {
        assert_eq!(
            description_matches(left, right),
            equal,
            "{left:?} {right:?}"
        );
    }
}

#[test]
fn lists_all_mismatches_and_counts_a_rename_once() {
    let ours = signature("(name::Text)==>(age::Text)==>(::Bool)");
    let theirs = signature("(personName::Text)==>(age::Int)==>(::String)");
    let found = mismatches(("d", &ours), ("e", &theirs), Policy::Compatible);
    let kinds: Vec<&str> = found.into_iter().map(kind).collect();
    assert_eq!(kinds, ["description", "another name", "type", "returns"]);
}

#[test]
fn messages_show_both_sides_with_marks() {
    let (ours, theirs) = (
        signature("(personName::Int)==>(::String)"),
        signature("(personName::Text {default: \"world\"})==>(::String)"),
    );
    let mismatch =
        first_mismatch(("d", &ours), ("d", &theirs), Policy::Compatible).expect("they differ");
    let message = Message {
        name: "sayHello",
        spec: ("d", &ours),
        tool: ("d", &theirs),
        mismatch,
    };
    assert_eq!(
        message.text(),
        "tool `sayHello`: parameter `personName` is `Int` in the agent, but the function takes `Text`
  the agent says:    (personName::Int)==>(::String)
                                  ^^^
  the function says: (personName::Text {default: \"world\"})==>(::String)
                                  ^^^^"
    );
}

#[test]
fn exact_compares_fields_and_all_digits_of_bounds() {
    for (spec, tool, policy, binds) in [
        (
            "(a::Object {fields: [{name: \"x\", type: \"Int\", description: \"d\"}]})==>(::String)",
            "(a::Object {fields: [{name: \"x\", type: \"Int\"}]})==>(::String)",
            Policy::Exact,
            false,
        ),
        (
            "(a::Object {fields: [{name: \"x\", type: \"Int\", default: 1}]})==>(::String)",
            "(a::Object {fields: [{name: \"x\", type: \"Int\", optional: true}]})==>(::String)",
            Policy::Exact,
            false,
        ),
        (
            "(a::Int {minimum: 9007199254740992})==>(::String)",
            "(a::Int {minimum: 9007199254740993})==>(::String)",
            Policy::Compatible,
            false,
        ),
        (
            "(a::Text)==>(::String)",
            "(a::Text {minLength: 0})==>(::String)",
            Policy::Compatible,
            true,
        ),
    ] {
        let (ours, theirs) = (signature(spec), signature(tool));
        let found = first_mismatch(("d", &ours), ("d", &theirs), policy);
        assert_eq!(found.is_none(), binds, "{spec} against {tool}: {found:?}");
    }
}

#[test]
fn summaries_name_the_part_that_differs() {
    let field = |ty: &str| format!("(a::Object {{fields: {{x: \"Int\", y: {ty}}}}})==>(::Any)");
    for (spec, tool, summary) in [
        (
            "(a::Int {default: 1})==>(::Any)".to_owned(),
            "(a::Int {default: 2})==>(::Any)".to_owned(),
            "parameter `a` has the default `1` in the agent, but `2` in the function",
        ),
        (
            "(a::Int {optional: true})==>(::Any)".to_owned(),
            "(a::Int {default: 2})==>(::Any)".to_owned(),
            "parameter `a` has no default in the agent, but `2` in the function",
        ),
        (
            "(a::Int {default: 1})==>(::Any)".to_owned(),
            "(a::Int {optional: true})==>(::Any)".to_owned(),
            "parameter `a` has the default `1` in the agent, but none in the function",
        ),
        (
            field("\"Int\""),
            field("\"Text\""),
            "parameter `a.y` is `Int` in the agent, but the function takes `Text`",
        ),
        (
            "(a::Array {elementType: \"Int\"})==>(::Any)".to_owned(),
            "(a::Array {elementType: \"Text\"})==>(::Any)".to_owned(),
            "parameter `a[]` is `Int` in the agent, but the function takes `Text`",
        ),
        (
            "()==>(::Array {elementType: \"Int\"})".to_owned(),
            "()==>(::Array {elementType: \"Text\"})".to_owned(),
            "the part `[]` of the result is `Int` in the agent, but the function returns `Text`",
        ),
    ] {
        let (ours, theirs) = (signature(&spec), signature(&tool));
        let mismatch = first_mismatch(("d", &ours), ("d", &theirs), Policy::Exact);
        let message = Message {
            name: "t",
            spec: ("d", &ours),
            tool: ("d", &theirs),
            mismatch: mismatch.expect("they differ"),
        };
        assert_eq!(message.summary(), format!("tool `t`: {summary}"));
    }
}
