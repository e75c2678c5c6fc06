//! Changes that open a leak, an unbounded message, or a destructive tool.

use super::changes;

const READ: &str = "[read:Tool {description: \"d\", reads: [\"private\"], untrusted: true} | (id::Text)==>(::String)]";
const SEND: &str = "[send:Tool {description: \"d\", sends: true} | (text::Text)==>(::Null)]";
const POST: &str = "[post:Tool {description: \"d\", sends: true} | (text::Text)==>(::Null)]";
const DROP: &str =
    "[drop:Tool {description: \"d\", destructive: true, sends: false} | ()==>(::Null)]";
const UNKNOWN: &str = "[foo:Tool {description: \"d\"} | ()==>(::String)]";

fn agent(properties: &str, tools: &[&str]) -> String {
    let bar = if tools.is_empty() { "" } else { " | " };
    format!(
        "[a:Agent {{instruction: \"i\", model: \"OpenAI/x\"{properties}}}{bar}{}]",
        tools.join(", ")
    )
}

/// The openings between two documents, as rules and tools, each with its new part.
fn opened(old: &str, new: &str) -> Vec<String> {
    let changes = changes(old, new).into_iter().filter(|change| {
        assert!(change.note.is_none() || !change.caller.is_breaking());
        ["leak-opened", "unbounded", "destructive-tool-opened"]
            .iter()
            .any(|end| change.rule.name().ends_with(end))
    });
    changes
        .map(|change| {
            let new = change.new.map(|part| part.text).unwrap_or_default();
            format!("{}: {new}", change.rule.name())
        })
        .collect()
}

#[test]
fn says_what_a_change_opens() {
    let bounded = ", maxIterations: 2";
    let strict = ", maxIterations: 2, whenTainted: \"approve\"";
    let leak = "agent-leak-opened: read → a and read → a meet send";
    let cases: [(String, String, &[&str]); 8] = [
        (
            agent(bounded, &[READ]),
            agent(bounded, &[READ, SEND]),
            &[leak],
        ),
        (
            agent(strict, &[READ, SEND]),
            agent(bounded, &[READ, SEND]),
            &[leak],
        ),
        // What was open before is not opened, and what is closed is not open.
        (
            agent(bounded, &[READ, SEND]),
            agent(bounded, &[READ, SEND, POST]),
            &[],
        ),
        (agent(bounded, &[READ]), agent(strict, &[READ, SEND]), &[]),
        (
            agent(bounded, &[READ]),
            agent("", &[READ]),
            &["agent-message-unbounded: an unbounded message"],
        ),
        (
            agent(bounded, &[READ]),
            agent(bounded, &[READ, DROP]),
            &["agent-destructive-tool-opened: calls drop without approval"],
        ),
        // A tool that says nothing opens nothing.
        (
            agent(bounded, &[READ]),
            agent(bounded, &[READ, UNKNOWN]),
            &[],
        ),
        // An agent that was added.
        (
            SEND.to_owned(),
            agent("", &[READ, SEND, DROP]),
            &[
                leak,
                "agent-destructive-tool-opened: calls drop without approval",
            ],
        ),
    ];
    for (old, new, expected) in cases {
        assert_eq!(opened(&old, &new), expected, "{old}\n{new}");
    }
}
