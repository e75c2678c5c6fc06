//! Mistakes in agents: their names, properties and elements.

use super::one_finding;
use agent_spec::Agent;
use agent_spec::check::Options;

/// An agent whose parts can be replaced.
fn agent(record: &str, elements: &str) -> String {
    format!("[a:Agent {{{record}}}{elements}]")
}

const GOOD: &str = r#"instruction: "i", model: "OpenAI/m""#;

#[test]
fn agents() {
    let deep = r#"[t:Tool {description: "d"} | ()==>(::String)]"#;
    for (source, code, at, help) in [
        (
            agent(r#"model: "OpenAI/m""#, ""),
            "agent::missing-instruction",
            "a:Agent",
            "instruction:",
        ),
        (
            agent(r#"instruction: "", model: "OpenAI/m""#, ""),
            "agent::missing-instruction",
            r#""""#,
            "",
        ),
        (
            agent(r#"instruction: "i""#, ""),
            "agent::missing-model",
            "a:Agent",
            "model:",
        ),
        (
            agent(r#"instruction: "i", model: "m""#, ""),
            "agent::bad-model",
            r#""m""#,
            "",
        ),
        (
            agent(r#"instruction: "i", model: "/m""#, ""),
            "agent::bad-model",
            r#""/m""#,
            "",
        ),
        (
            agent(r#"instruction: "i", model: "openai/m""#, ""),
            "agent::unknown-provider",
            r#""openai/m""#,
            "`OpenAI/m`",
        ),
        (
            agent(r#"instruction: "i", model: "Acme/m""#, ""),
            "agent::unknown-provider",
            r#""Acme/m""#,
            "`--provider Acme=URL`",
        ),
        (
            agent(r#"instruction: i, model: "OpenAI/m""#, ""),
            "agent::bad-value",
            "i",
            "quote it",
        ),
        (
            agent(r#"instruction: "i", modle: "OpenAI/m""#, ""),
            "agent::missing-model",
            "a:Agent",
            "did you mean `model` by `modle`?",
        ),
        (
            agent(r#"instruction: "i", colour: "red""#, ""),
            "agent::missing-model",
            "a:Agent",
            "add `model: ",
        ),
        (
            agent(r#"instructon: "i", model: "OpenAI/m""#, ""),
            "agent::unknown-property",
            "instructon",
            "`instruction`",
        ),
        (
            agent(&format!("{GOOD}, max_tokens: 5"), ""),
            "agent::unknown-property",
            "max_tokens",
            "`maxTokens`",
        ),
        (
            agent(&format!("{GOOD}, model: \"OpenAI/n\""), ""),
            "agent::duplicate-key",
            "model",
            "keep one",
        ),
        (
            agent(&format!("{GOOD}, name: \"b\""), ""),
            "agent::bad-name",
            r#""b""#,
            "remove `name`",
        ),
        (
            agent(&format!("{GOOD}, temperature: 3"), ""),
            "agent::bad-value",
            "3",
            "",
        ),
        (
            agent(&format!("{GOOD}, topP: \"x\""), ""),
            "agent::bad-value",
            r#""x""#,
            "",
        ),
        (
            agent(&format!("{GOOD}, reasoningEffort: \"hihg\""), ""),
            "agent::bad-value",
            r#""hihg""#,
            "did you mean \"high\"?",
        ),
        (
            agent(&format!("{GOOD}, reasoningEffort: \"thorough\""), ""),
            "agent::bad-value",
            r#""thorough""#,
            "the efforts are none, minimal",
        ),
        (
            agent(&format!("{GOOD}, cache: \"10m\""), ""),
            "agent::bad-value",
            r#""10m""#,
            r#"known: "off", "5m", "1h""#,
        ),
        (
            agent(&format!("{GOOD}, cache: true"), ""),
            "agent::bad-value",
            "true",
            "",
        ),
        (
            agent(&format!("{GOOD}, toolSearch: \"always\""), ""),
            "agent::bad-value",
            "\"always\"",
            "",
        ),
        (
            agent(&format!("{GOOD}, reasoning_effort: \"high\""), ""),
            "agent::unknown-property",
            "reasoning_effort",
            "`reasoningEffort`",
        ),
        (
            agent(&format!("{GOOD}, compactAbove: 0"), ""),
            "agent::bad-value",
            "0",
            "",
        ),
        (
            agent(&format!("{GOOD}, maxIterations: 0"), ""),
            "agent::bad-value",
            "0",
            "",
        ),
        (
            agent(&format!("{GOOD}, maxDepth: 17"), ""),
            "agent::bad-value",
            "17",
            "",
        ),
        (
            agent(&format!("{GOOD}, maxDepth: 0"), ""),
            "agent::bad-value",
            "0",
            "",
        ),
        (
            agent(&format!("{GOOD}, toolTimeout: 10"), ""),
            "agent::bad-value",
            "10",
            "",
        ),
        (
            agent(&format!("{GOOD}, toolTimeout: 0s"), ""),
            "agent::bad-value",
            "0s",
            "",
        ),
        (
            agent(&format!("{GOOD}, baseUrl: \"localhost\""), ""),
            "agent::bad-value",
            r#""localhost""#,
            "",
        ),
        (
            agent(&format!("{GOOD}, baseUrl: \"http://user:password@h\""), ""),
            "agent::bad-value",
            r#""http://user:password@h""#,
            "",
        ),
        (
            agent(&format!("{GOOD}, fallback: [\"Opena/m\"]"), ""),
            "agent::unknown-provider",
            r#""Opena/m""#,
            "`OpenAI/m`",
        ),
        (
            agent(&format!("{GOOD}, stop: [1]"), ""),
            "agent::bad-value",
            "1",
            "",
        ),
        (
            agent(GOOD, " | (x)-->(y)"),
            "agent::not-a-tool",
            "(x)-->(y)",
            "",
        ),
        (
            agent(GOOD, " | [t:Tol {description: \"d\"} | ()==>(::String)]"),
            "agent::not-a-tool",
            "Tol",
            "`Tool`",
        ),
        (
            agent(GOOD, " | nowhere"),
            "agent::unknown-tool",
            "nowhere",
            "define it",
        ),
        (
            agent(GOOD, &format!(" | {deep}, t")),
            "agent::duplicate-tool",
            "t",
            "remove",
        ),
        (
            format!("[:Agent {{{GOOD}}}]"),
            "agent::missing-name",
            ":Agent",
            "name before the label",
        ),
        (
            format!("{0}\n{0}", agent(GOOD, "")),
            "agent::duplicate-agent",
            "a",
            "rename",
        ),
    ] {
        one_finding(&source, code, at, help);
    }
}

/// The model could not tell the agent's tool from the one that `toolSearch` adds.
#[test]
fn reports_tools_with_the_names_of_the_search() {
    for name in ["searchTools", "callTool"] {
        let tool = format!(" | [{name}:Tool {{description: \"d\"}} | ()==>(::String)]");
        let source = agent(&format!("{GOOD}, toolSearch: true"), &tool);
        let help = "rename the tool, or remove `toolSearch`";
        one_finding(&source, "agent::duplicate-tool", name, help);
        for other in ["", ", toolSearch: false"] {
            let source = agent(&format!("{GOOD}{other}"), &tool);
            let read = Agent::parse(&source, None, Options::default());
            assert!(read.is_ok(), "{source}: {read:?}");
        }
    }
}

/// They would be kept as properties of the author's own, and the agent would have no tools.
#[test]
fn reports_tools_in_a_property() {
    for (key, value, form) in [
        ("tools", "[\"calculator\"]", "`[a:Agent {…} | calculator]`"),
        ("agentToolSpecs", "[sayHello, \"x\"]", "| sayHello, x]`"),
        ("tool_specs", "\"calculator\"", "| calculator]`"),
        ("functions", "[{name: \"x\"}]", "come after a bar"),
    ] {
        let source = agent(&format!("{GOOD}, {key}: {value}"), "");
        one_finding(&source, "agent::unknown-property", key, form);
    }
}
