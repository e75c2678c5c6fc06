//! `agent fmt --style`: the two forms of the types in signatures.

use crate::support::{Folder, agent, agent_with};

const LIST: &str = "\
[save:Tool {description: \"Saves a person.\"} |
  // Whom to save.
  (person::Object {fields: [{name: \"name\", type: \"Text\"}, {name: \"age\", type: \"Maybe Int\"}]})==>(::Null)
]
";

const PORTABLE: &str = "\
[save:Tool {description: \"Saves a person.\"} |
  // Whom to save.
  (person::Object {fields: {name: \"Text\", age: \"Maybe Int\"}})==>(::Null)
]
";

/// A field with a description, which a type expression cannot contain.
const DESCRIBED: &str = "\
[save:Tool {description: \"Saves a person.\"} |
  (person::Object {fields: [{name: \"name\", type: \"Text\", description: \"In full\"}]})==>(::Null)
]
";

#[test]
fn writes_a_document_in_either_style() {
    let ended = agent_with(&["fmt", "--style", "portable", "-"], LIST).expect(0);
    assert_eq!(
        (ended.stdout.as_str(), ended.stderr.as_str()),
        (PORTABLE, "")
    );
    let back = agent_with(&["fmt", "--style", "list", "-"], PORTABLE).expect(0);
    let again = agent_with(&["fmt", "--style", "portable", "-"], back.stdout).expect(0);
    assert_eq!(again.stdout, PORTABLE);
    // Without a style, both forms are kept.
    for text in [PORTABLE, DESCRIBED] {
        assert_eq!(agent_with(&["fmt", "-"], text).expect(0).stdout, text);
    }
}

#[test]
fn check_and_diff_accept_a_style() {
    let folder = Folder::new();
    let path = folder.file("a.gram", PORTABLE);
    agent(&["fmt", "--check", "--style", "portable", &path]).expect(0);
    let ended = agent(&["fmt", "--check", "--style", "list", &path]).expect(1);
    assert_eq!(ended.stdout, format!("{path}\n"));
    let ended = agent(&["fmt", "--diff", "--style", "list", &path]).expect(0);
    assert!(ended.stdout.contains("\n-  (person::Object {fields: {name"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), PORTABLE);
}

#[test]
fn keeps_inexpressible_parts_with_a_warning() {
    let ended = agent_with(&["fmt", "--style", "portable", "-"], DESCRIBED).expect(0);
    assert_eq!(ended.stdout, DESCRIBED);
    assert!(
        ended.stderr.contains("warning[agent::not-portable]"),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains(" --> <stdin>:2:29"),
        "{}",
        ended.stderr
    );

    let short = ["fmt", "--style", "portable", "--format", "short", "-"];
    let ended = agent_with(&short, DESCRIBED).expect(0);
    assert_eq!(ended.stdout, DESCRIBED, "nothing else stands in the text");
    assert!(ended.stderr.contains("-:2:"), "{}", ended.stderr);

    let json = ["fmt", "--style", "portable", "--format", "json", "-"];
    let ended = agent_with(&json, DESCRIBED).expect(0).json();
    assert_eq!(ended["files"][0]["text"], DESCRIBED);
    assert_eq!(ended["diagnostics"][0]["code"], "agent::not-portable");
    assert_eq!(ended["diagnostics"][0]["severity"], "warning");
}

#[test]
fn rejects_an_invalid_signature_or_style() {
    let wrong = "[t:Tool {description: \"d\"} | (x::Txt)==>(::Null)]\n";
    let ended = agent_with(&["fmt", "--style", "list", "-"], wrong).expect(1);
    assert_eq!(ended.stdout, "");
    assert!(
        ended.stderr.contains("did you mean `Text`?"),
        "{}",
        ended.stderr
    );
    // Formatting alone requires only valid notation.
    assert_eq!(
        agent_with(&["fmt", "-"], wrong)
            .expect(0)
            .stdout
            .matches("Txt")
            .count(),
        1
    );
    let ended = agent_with(&["fmt", "--style", "prtable", "-"], wrong).expect(2);
    assert!(ended.stderr.contains("portable"), "{}", ended.stderr);
}
