//! `grants` of an agent: what its tools may touch at most.

use super::findings;
use super::mistakes::one_finding;

fn granting(grants: &str) -> String {
    format!("[a:Agent {{instruction: \"i\", model: \"OpenAI/m\", grants: {grants}}}]")
}

#[test]
fn reads_grants_of_folders_hosts_and_variables() {
    for grants in [
        "{}",
        "{read: [], write: \"out\", network: [\"*\"], environment: [\"HOME\"]}",
        "{read: [\"docs\", \"/srv/data\", md`x`], network: [\"a.example:8080\", \"::1\", \"10.0.0.0/8\"]}",
    ] {
        assert_eq!(findings(&granting(grants)), [""; 0], "{grants}");
    }
}

#[test]
fn mistakes_in_grants() {
    for (grants, code, at, help) in [
        ("true", "agent::bad-value", "true", ""),
        ("[\"docs\"]", "agent::bad-value", "[\"docs\"]", ""),
        (
            "{reed: [\"a\"]}",
            "agent::unknown-property",
            "reed",
            "did you mean `read`?",
        ),
        (
            "{net: [\"a\"]}",
            "agent::unknown-property",
            "net",
            "known here: read, write, network",
        ),
        ("{read: [docs]}", "agent::bad-value", "docs", "quote it"),
        ("{read: [\"\"]}", "agent::bad-value", "\"\"", ""),
        ("{read: 1}", "agent::bad-value", "1", ""),
        (
            "{read: \"a\", read: \"b\"}",
            "agent::duplicate-key",
            "read",
            "keep one",
        ),
        (
            "{network: [\"https://a.example/\"]}",
            "agent::bad-value",
            "\"https://a.example/\"",
            "",
        ),
        (
            "{network: [\"a\", \"a.example:x\"]}",
            "agent::bad-value",
            "\"a.example:x\"",
            "",
        ),
        (
            "{environment: [\"A=b\"]}",
            "agent::bad-value",
            "\"A=b\"",
            "",
        ),
    ] {
        one_finding(&granting(grants), code, at, help);
    }
}
