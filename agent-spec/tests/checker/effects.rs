//! Effects of tools, and `whenTainted` of agents.

use super::findings;
use super::mistakes::one_finding;
use agent_spec::ToolSpec;
use agent_spec::effects::{Effect, Effects};

fn tool(properties: &str) -> String {
    format!("[t:Tool {{description: \"d\", {properties}}} | ()==>(::String)]")
}

#[test]
fn reads_what_it_writes() {
    for (properties, effects) in [
        (
            "reads: [\"private\"], untrusted: true",
            Effects::NONE
                .with(Effect::ReadsPrivate, true)
                .with(Effect::Untrusted, true),
        ),
        ("reads: []", Effects::NONE.with(Effect::ReadsPrivate, false)),
        (
            "sends: false, writes: true, destructive: true",
            Effects::NONE
                .with(Effect::Sends, false)
                .with(Effect::Writes, true)
                .with(Effect::Destructive, true),
        ),
        ("readOnly: true", Effects::NONE.with(Effect::ReadOnly, true)),
    ] {
        let source = tool(properties);
        let pattern = agent_gram::parse_patterns(&source).expect("gram").remove(0);
        let spec = ToolSpec::from_pattern(&pattern).expect("a tool");
        assert_eq!(spec.effects(), effects, "{properties}");
        let again = ToolSpec::from_pattern(&spec.to_pattern().into()).expect("a tool");
        assert_eq!(again, spec);
        let json = serde_json::to_value(&spec).expect("JSON");
        let pattern = agent_spec::json::tool_pattern_from_json(&json).expect("a tool");
        assert_eq!(ToolSpec::from_pattern(&pattern), Ok(spec), "{json}");
    }
}

#[test]
fn mistakes_in_effects() {
    for (properties, code, at, help) in [
        ("untrusted: \"yes\"", "agent::bad-value", "\"yes\"", ""),
        (
            "untrustd: true",
            "agent::unknown-property",
            "untrustd",
            "did you mean `untrusted`?",
        ),
        (
            "reads: [\"secret\"]",
            "agent::bad-value",
            "\"secret\"",
            "reads: [\"private\"]",
        ),
        ("reads: true", "agent::bad-value", "true", ""),
        (
            "reads: [private]",
            "agent::bad-value",
            "private",
            "quote it",
        ),
        (
            "readOnly: true, writes: true",
            "agent::bad-value",
            "writes",
            "remove one",
        ),
        (
            "destructive: true, readOnly: true",
            "agent::bad-value",
            "destructive",
            "remove one",
        ),
    ] {
        one_finding(&tool(properties), code, at, help);
    }
    let agent = |when: &str| {
        format!("[a:Agent {{instruction: \"i\", model: \"OpenAI/m\", whenTainted: {when}}}]")
    };
    for when in ["\"allow\"", "\"approve\"", "\"deny\""] {
        assert_eq!(findings(&agent(when)), [""; 0]);
    }
    for (when, at, help) in [
        ("\"aprove\"", "\"aprove\"", "did you mean \"approve\"?"),
        (
            "\"ask\"",
            "\"ask\"",
            "known: \"allow\", \"approve\", \"deny\"",
        ),
        ("true", "true", ""),
    ] {
        one_finding(&agent(when), "agent::bad-value", at, help);
    }
    let mail = |names: &str| {
        format!(
            "[a:Agent {{instruction: \"i\", model: \"OpenAI/m\", untrusted: {names}}} | (mail::Text)==>(::String)]"
        )
    };
    assert_eq!(findings(&mail("[\"mail\"]")), [""; 0]);
    for (names, at, help) in [
        ("[\"mial\"]", "\"mial\"", "did you mean \"mail\"?"),
        ("\"subject\"", "\"subject\"", "its parameters are mail"),
    ] {
        one_finding(&mail(names), "agent::bad-value", at, help);
    }
}
