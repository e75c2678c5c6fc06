//! Mistakes in tools, but for their signatures.

use super::{one_finding, tool};

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
