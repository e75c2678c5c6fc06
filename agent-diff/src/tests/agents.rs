//! Changes of agents that are called as functions.

use super::changes;
use crate::Evidence;
use crate::change::Verdict;

/// An agent of a name, with these properties and elements.
fn agent(name: &str, properties: &str, elements: &str) -> String {
    format!(
        "[{name}:Agent {{description: \"d\", model: \"OpenAI/x\", {properties}}} | {elements}]\n"
    )
}

/// Each change: its rule, its agent, tool and parameter, and the sides that it breaks.
fn found(old: &str, new: &str) -> Vec<String> {
    let changes = changes(old, new);
    let lines = changes.iter().map(|change| {
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
        let breaks = |verdict: &Verdict| {
            if verdict.is_breaking() {
                "breaking"
            } else {
                "fine"
            }
        };
        format!(
            "{} {} {} {}: {} {}",
            change.rule.name(),
            name(&change.agent),
            name(&change.tool),
            name(&change.parameter),
            breaks(&change.implementation),
            breaks(&change.caller)
        )
    });
    lines.collect()
}

#[test]
fn the_signature_of_an_agent_is_compared_for_its_callers() {
    let with = |signature: &str| agent("a", "instruction: \"i\"", signature);
    for (old, new, expected) in [
        (
            "(b::Text)==>(::String)",
            "(b::Int)==>(::String)",
            "parameter-type-changed a - b: fine breaking",
        ),
        (
            "(b::Text)==>(::String)",
            "(b::Text)==>(c::Int)==>(::String)",
            "required-parameter-added a - c: fine breaking",
        ),
        (
            "(b::Text)==>(::String)",
            "(b::Text)==>(c::Int {default: 1})==>(::String)",
            "default-parameter-added a - c: fine fine",
        ),
        (
            "(b::Text)==>(::Int)",
            "(b::Text)==>(::Double)",
            "result-type-widened a - -: fine breaking",
        ),
    ] {
        assert_eq!(found(&with(old), &with(new)), [expected], "{old} {new}");
    }
    let plain = "[a:Agent {description: \"d\", model: \"OpenAI/x\", instruction: \"i\"}]";
    assert_eq!(found(plain, &with("(message::Text)==>(::String)")), [""; 0]);
    assert_eq!(
        found(plain, &with("(message::Int)==>(::String)")),
        ["parameter-type-changed a - message: fine breaking"]
    );
    assert_eq!(
        found(
            &with("(b::Int)==>(::String)"),
            "[t:Tool {description: \"d\"} | ()==>(::Int)]"
        )[1..],
        ["agent-removed a - -: fine breaking"]
    );
}

#[test]
fn an_agent_without_a_signature_is_called_with_a_message() {
    let tool = "[t:Tool {description: \"d\"} | (x::Int)==>(::Int)]";
    let plain = "[a:Agent {model: \"OpenAI/x\", instruction: \"i\"}]\n";
    let removed = changes(&format!("{plain}{tool}"), tool)
        .pop()
        .expect("a change");
    assert_eq!(removed.rule, crate::Rule::AgentRemoved);
    let Verdict::Breaking(Evidence::Witness(witness)) = removed.caller else {
        panic!("{removed:?}");
    };
    assert_eq!(witness.tool, "a");
    assert!(witness.args.contains_key("message"), "{witness:?}");
    assert_eq!(witness.refusal, "NEW has no agent `a`");
}

#[test]
fn what_the_caller_of_an_agent_depends_on_is_compared() {
    let called = |properties: &str| {
        let called = agent("b", properties, "(x::Text)==>(::String)");
        format!("{}{called}", agent("a", "instruction: \"i\"", "b"))
    };
    let old = called("instruction: \"i\"");
    let new = called("instruction: \"i\", timeout: 3s, requiresApproval: true");
    assert_eq!(
        found(&old, &new),
        [
            "agent-timeout-changed b - -: fine fine",
            "agent-approval-changed b - -: fine fine",
        ]
    );
    let described = old.replace(
        "b:Agent {description: \"d\"",
        "b:Agent {description: \"Other\"",
    );
    assert_eq!(
        found(&old, &described),
        ["agent-description-changed b - -: fine fine"]
    );
    let change = changes(&old, &described).pop().expect("a change");
    let text = |part: Option<crate::DocumentPart>| part.map(|part| part.text).unwrap_or_default();
    assert!(text(change.old).contains("\"d\""));
    assert!(text(change.new).contains("\"Other\""));
}

#[test]
fn prompts_and_variables_are_compared() {
    let with = |properties: &str| agent("a", properties, "(b::Text)==>(::String)");
    let old = with("instruction: \"i\", prompt: \"{{b}} {{now}}\", variables: [\"now\"]");
    let new = with("instruction: \"i {{user}}\", prompt: \"{{b}}\", variables: [\"user\"]");
    assert_eq!(
        found(&old, &new),
        [
            "agent-prompt-changed a - -: fine fine",
            "agent-variable-removed a - now: fine fine",
            "agent-variable-added a - user: breaking fine",
        ]
    );
    let added = changes(&old, &new).pop().expect("a change");
    let Verdict::Breaking(Evidence::Missing(reason)) = added.implementation else {
        panic!("{added:?}");
    };
    assert!(reason.contains("gives `user` no value"), "{reason}");
}

#[test]
fn called_and_nested_agents_are_compared_by_name() {
    let with = |elements: &str| agent("a", "instruction: \"i\"", elements);
    let b = |signature: &str| {
        let b = agent("b", "instruction: \"i\"", signature);
        b.trim_end().to_owned()
    };
    let (old, new) = (b("(x::Text)==>(::String)"), b("(x::Int)==>(::String)"));
    assert_eq!(
        found(&with(&old), &with(&new)),
        ["parameter-type-changed b - x: fine breaking"]
    );
    // A nested agent is the same as one that is named.
    let named = format!("{}{old}", with("b"));
    assert_eq!(found(&with(&old), &named), [""; 0]);
    let alone = format!("{}{old}", with("(message::Text)==>(::String)"));
    assert_eq!(
        found(&named, &alone),
        ["agent-tool-removed a b -: fine breaking"]
    );
    assert_eq!(found(&alone, &named), ["agent-tool-added a b -: fine fine"]);
    assert_eq!(
        found(&named, &with("(message::Text)==>(::String)")),
        ["agent-removed b - -: fine breaking"]
    );
}
