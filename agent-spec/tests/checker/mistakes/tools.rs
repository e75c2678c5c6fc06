//! Mistakes in tools, but for their signatures.

use super::{one_finding, tool};
use agent_spec::Diagnostic;
use agent_spec::check::{Options, check};

#[test]
fn tools() {
    const D: &str = r#"description: "d""#;
    const S: &str = "()==>(::String)";
    for (source, code, at, help) in [
        (
            tool("", S),
            "agent::missing-description",
            "t:Tool",
            "description:",
        ),
        (
            tool(r#"description: " ""#, S),
            "agent::missing-description",
            r#"" ""#,
            "",
        ),
        (tool("description: 1", S), "agent::bad-value", "1", ""),
        (
            tool(r#"desciption: "d""#, S),
            "agent::unknown-property",
            "desciption",
            "`description`",
        ),
        (
            tool(r#"descr: "d""#, S),
            "agent::missing-description",
            "t:Tool",
            "did you mean `description` by `descr`?",
        ),
        (
            tool(&format!("{D}, timeout: 5"), S),
            "agent::bad-value",
            "5",
            "",
        ),
        (
            tool(&format!("{D}, requires_approval: true"), S),
            "agent::unknown-property",
            "requires_approval",
            "`requiresApproval`",
        ),
        (
            format!("[t:Tool {{{D}}}]"),
            "agent::missing-signature",
            "t:Tool",
            "",
        ),
        (
            tool(D, "()==>(::String), ()==>(::Int)"),
            "agent::missing-signature",
            "()==>(::Int)",
            "",
        ),
        (
            format!("[:Tool {{{D}}} | {S}]"),
            "agent::missing-name",
            ":Tool",
            "",
        ),
        (
            format!("[a.b:Tool {{{D}}} | {S}]"),
            "agent::bad-name",
            "a.b",
            "letter",
        ),
        (
            format!("[1:Tool {{{D}}} | {S}]"),
            "agent::bad-name",
            "1",
            "letter",
        ),
        (
            format!("{}\n[t:Tool {{description: \"other\"}} | {S}]", tool(D, S)),
            "agent::conflicting-tools",
            "t",
            "make them equal",
        ),
    ] {
        one_finding(&source, code, at, help);
    }
}

#[test]
fn misspelt_names_are_compared_with_a_limited_number_of_others() {
    const TOOLS: usize = 20_000;
    let tools: String = (0..TOOLS)
        .map(|at| format!("[tool{at}:Tool {{description: \"d\"}} | ()==>(::Null)]\n"))
        .collect();
    let misspelt: Vec<String> = (0..60).map(|at| format!("tol{at}")).collect();
    let agent = format!(
        "[a:Agent {{instruction: \"i\", model: \"OpenAI/m\"}} | {}]",
        misspelt.join(", ")
    );
    let found = check(&(tools + &agent), Options::default()).diagnostics;
    let is_suggested = |found: &&Diagnostic| {
        found
            .help()
            .is_some_and(|help| help.contains("did you mean"))
    };
    assert_eq!(found.len(), 60);
    // A million names, of which each search has those of all tools and of the agent.
    assert_eq!(
        found.iter().filter(is_suggested).count(),
        1_000_000 / (TOOLS + 1)
    );
    assert!(found.iter().take(49).all(|found| is_suggested(&found)));
}
