//! Names, notes and refusal messages of changes.

use super::{agent, changes, tool};
use crate::rule::Rule;
use crate::{Change, Evidence, Verdict};

/// Returns the rules of the changes between two signatures, with the parameters.
fn rules(old: &str, new: &str) -> Vec<(Rule, String)> {
    let found = changes(&tool(old), &tool(new)).into_iter();
    found
        .map(|change| (change.rule, change.parameter.unwrap_or_default()))
        .collect()
}

/// Returns the message with which a side refuses the witness.
fn refusal(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Breaking(Evidence::Witness(witness)) => &witness.refusal,
        other => panic!("no witness: {other:?}"),
    }
}

/// Returns the only change of a rule.
fn of_rule(found: &[Change], rule: Rule) -> &Change {
    let mut own = found.iter().filter(|change| change.rule == rule);
    let change = own.next().expect("there is a change of the rule");
    assert!(own.next().is_none(), "{found:#?}");
    change
}

#[test]
fn equal_type_alone_is_no_rename() {
    use Rule::{ParameterRenamed, RequiredParameterAdded, RequiredParameterRemoved};
    let removed_and_added = |old: &str, new: &str| {
        vec![
            (RequiredParameterRemoved, old.to_owned()),
            (RequiredParameterAdded, new.to_owned()),
        ]
    };
    let renamed = |old: &str| vec![(ParameterRenamed, old.to_owned())];
    for (old, new, expected) in [
        (
            "(city::Text)==>(::Null)",
            "(password::Text)==>(::Null)",
            removed_and_added("city", "password"),
        ),
        (
            "(city::Text {description: \"Where.\"})==>(::Null)",
            "(password::Text {description: \"What.\"})==>(::Null)",
            removed_and_added("city", "password"),
        ),
        (
            "(city::Text {description: \"Where.\"})==>(::Null)",
            "(town::Text {description: \"Where.\"})==>(::Null)",
            renamed("city"),
        ),
        (
            "(userName::Text)==>(::Null)",
            "(user_name::Text)==>(::Null)",
            renamed("userName"),
        ),
    ] {
        assert_eq!(rules(old, new), expected, "{old} {new}");
    }
}

#[test]
fn renamed_parts_have_their_new_name() {
    let found = changes(
        &tool("(limit::Int)==>(::Null)"),
        &tool("(limits::Int)==>(::Null)"),
    );
    let change = of_rule(&found, Rule::ParameterRenamed);
    assert_eq!(change.renamed_to.as_deref(), Some("limits"));
    let old = tool("()==>(::Null)");
    let found = changes(&old, &old.replace("[t:", "[u:"));
    let change = of_rule(&found, Rule::ToolRenamed);
    assert_eq!(change.renamed_to.as_deref(), Some("u"));
}

#[test]
fn refusal_names_the_changed_parameter() {
    let found = changes(
        &tool("(city::Text {description: \"the city\"})==>(limit::Int)==>(::Null)"),
        &tool("(limits::Int)==>(town::Text {description: \"the town\"})==>(::Null)"),
    );
    let renamed = of_rule(&found, Rule::ParameterRenamed);
    for verdict in [&renamed.implementation, &renamed.caller] {
        assert!(refusal(verdict).contains("limit"), "{}", refusal(verdict));
    }
    let found = changes(
        &tool("(y::Int {default: 1})==>(::Null)"),
        &tool("(zed::Text)==>(::Null)"),
    );
    let removed = of_rule(&found, Rule::OptionalParameterRemoved);
    assert_eq!(
        refusal(&removed.caller),
        "`y` would be dropped, since nothing of this name is taken"
    );
}

#[test]
fn changed_field_default_is_noted_with_its_path() {
    let of = |default: &str| {
        let field = format!("{{name: \"x\", type: \"Int\"{default}}}");
        [
            format!("(a::Object {{fields: [{field}]}})==>(::Null)"),
            format!(
                "(a::Array {{elementType: {{type: \"Object\", fields: [{field}]}}}})==>(::Null)"
            ),
        ]
    };
    let maybe = ", optional: true";
    for (old, new, said) in [
        (", default: 1", ", default: 2", "out now mean `2`, not `1`"),
        (", default: 1", maybe, "out no longer mean `1`"),
        (maybe, ", default: 2", "out now mean `2`"),
    ] {
        let paths = ["a.x", "a[].x"].into_iter();
        for ((old, new), path) in of(old).iter().zip(&of(new)).zip(paths) {
            let found = changes(&tool(old), &tool(new));
            let change = of_rule(&found, Rule::ParameterTypeRestated);
            let expected = format!("calls that leave `{path}` {said}");
            assert_eq!(change.note.as_deref(), Some(expected.as_str()));
        }
    }
}

#[test]
fn changed_secret_default_is_noted_without_its_value() {
    let key = |end: &str| format!("\"sk-proj-0123456789abcdefghijk{end}\"");
    let of = |default: &str| tool(&format!("(a::Text {{default: {default}}})==>(::Null)"));
    for (old, new, expected) in [
        (
            key("a"),
            key("b"),
            "calls that leave `a` out now mean another value than before; what looks like a key \
             is covered",
        ),
        (
            key("a"),
            "\"b\"".to_owned(),
            "calls that leave `a` out now mean `\"b\"`, not a value with a key, which is covered \
             here",
        ),
    ] {
        let found = changes(&of(&old), &of(&new));
        let change = of_rule(&found, Rule::ParameterDefaultChanged);
        assert_eq!(change.note.as_deref(), Some(expected));
    }
}

#[test]
fn agent_that_stops_offering_a_renamed_tool_is_reported() {
    let t = "[t:Tool {description: \"T.\"} | ()==>(::Null)]";
    let u = "[u:Tool {description: \"U.\"} | (a::Int)==>(::Null)]";
    let v = u.replace("[u:", "[v:");
    let old = format!("{t}\n{u}\n{}", agent("t, u"));
    let with = |offered: &str| format!("{t}\n{v}\n{}", agent(offered));
    let of = |old: &str, new: &str| -> Vec<Rule> {
        changes(old, new).iter().map(|change| change.rule).collect()
    };
    assert_eq!(of(&old, &with("t, v")), [Rule::ToolRenamed]);
    assert_eq!(
        of(&old, &with("t")),
        [Rule::ToolRenamed, Rule::AgentToolRemoved]
    );
    assert_eq!(
        of(&with("t"), &old),
        [Rule::ToolRenamed, Rule::AgentToolAdded]
    );
    let found = changes(&old, &with("t"));
    let change = of_rule(&found, Rule::AgentToolRemoved);
    assert_eq!(change.tool.as_deref(), Some("u"));
    assert_eq!(
        refusal(&change.caller),
        "the agent `a` of NEW does not offer `v`"
    );
}
