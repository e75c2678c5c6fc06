//! Choices of tools, and what a provider is sent besides.

use super::findings;
use super::mistakes::one_finding;

fn agent(property: &str, elements: &str) -> String {
    format!("[a:Agent {{instruction: \"i\", model: \"OpenAI/m\", {property}}}{elements}]")
}

#[test]
fn tool_choices() {
    let agent = |choice: &str, elements: &str| agent(&format!("toolChoice: {choice}"), elements);
    let tools = r#" | [sayHello:Tool {description: "d"} | ()==>(::String)]"#;
    for choice in ["auto", "none"] {
        assert_eq!(findings(&agent(&format!("{choice:?}"), "")), [""; 0]);
    }
    for choice in ["auto", "required", "none", "sayHello"] {
        assert_eq!(findings(&agent(&format!("{choice:?}"), tools)), [""; 0]);
    }
    for (source, code, at, help) in [
        (
            agent("\"sayHelo\"", tools),
            "agent::bad-tool-choice",
            r#""sayHelo""#,
            "did you mean \"sayHello\"?",
        ),
        (
            agent("\"Required\"", tools),
            "agent::bad-tool-choice",
            r#""Required""#,
            "did you mean \"required\"?",
        ),
        (
            agent("\"weather\"", tools),
            "agent::bad-tool-choice",
            r#""weather""#,
            "known here: auto, required, none, sayHello",
        ),
        (
            agent("\"sayHello\"", ""),
            "agent::bad-tool-choice",
            r#""sayHello""#,
            "known here: auto, none",
        ),
        (
            agent("\"required\"", ""),
            "agent::bad-tool-choice",
            r#""required""#,
            "add a tool, or remove `toolChoice`",
        ),
        (
            agent("required", tools),
            "agent::bad-value",
            "required",
            "quote it",
        ),
        (
            agent("[\"auto\"]", tools),
            "agent::bad-value",
            "[\"auto\"]",
            "",
        ),
        // A tool that could not be read may be the one that is meant.
        (
            agent("\"sayHello\"", r#" | [sayHello:Tool | ()==>(::String)]"#),
            "agent::missing-description",
            "sayHello:Tool",
            "",
        ),
    ] {
        one_finding(&source, code, at, help);
    }
}

#[test]
fn extras() {
    let agent = |extra: &str| agent(&format!("extra: {extra}"), "");
    for extra in [
        "{}",
        "{a: 1, `b-c`: [1.5, \"x\", {d: [[true]]}], e: md`x`, options: {model: 1}}",
    ] {
        assert_eq!(findings(&agent(extra)), [""; 0], "{extra}");
    }
    for (extra, code, at, help) in [
        ("\"flex\"", "agent::bad-value", "\"flex\"", ""),
        ("[1]", "agent::bad-value", "[1]", ""),
        (
            "{tools: []}",
            "agent::reserved-extra",
            "tools",
            "after the `|`",
        ),
        (
            "{model: \"m\"}",
            "agent::reserved-extra",
            "model",
            "own `model`",
        ),
        (
            "{messages: []}",
            "agent::reserved-extra",
            "messages",
            "conversation",
        ),
        (
            "{stream: true}",
            "agent::reserved-extra",
            "stream",
            "the program that runs",
        ),
        ("{a: {b: flex}}", "agent::bad-value", "flex", "quote it"),
        ("{a: [10s]}", "agent::bad-value", "10s", ""),
        ("{a: 1..2}", "agent::bad-value", "1..2", ""),
        ("{a: {b: 1, b: 2}}", "agent::duplicate-key", "b", "keep one"),
    ] {
        one_finding(&agent(extra), code, at, help);
    }
}
