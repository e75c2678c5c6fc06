//! `agent diff`: complete runs of the command.

use crate::support::{Folder, agent, agent_with, agent_with_tools};
use serde_json::{Value, json};

const OLD: &str = "\
[hello:Agent {instruction: \"Greet.\", model: \"OpenAI/gpt-6-luna\"} |
  [sayHello:Tool {description: \"Greets somebody\"} |
    (personName::Text)==>(times::Int {default: 1})==>(::String)
  ]
]
";

const NEW: &str = "\
[hello:Agent {instruction: \"Greet!\", model: \"OpenAI/gpt-6-sol\"} |
  [sayHello:Tool {description: \"Greets somebody\"} |
    (personName::Int)==>(times::Int {default: 2})==>(::String)
  ]
]
";

/// Returns OLD with another, optional parameter.
fn grown() -> String {
    OLD.replace("(::String)", "(loud::Bool {default: false})==>(::String)")
}

/// Writes two files to a folder.
fn files(old: &str, new: &str) -> (Folder, String, String) {
    let folder = Folder::new();
    let (old, new) = (folder.file("old.gram", old), folder.file("new.gram", new));
    (folder, old, new)
}

#[test]
fn output_is_that_of_the_page() {
    let (folder, old, new) = files(OLD, NEW);
    let ended = agent(&["diff", &old, &new]).expect(1);
    assert_eq!(ended.stderr, "");
    let page = include_str!("../../book/src/reference/contract-diff.md");
    let shown = page
        .split("```text\n")
        .nth(1)
        .expect("the page shows a run");
    let shown = shown.split("```").next().unwrap_or_default();
    assert_eq!(
        ended.stdout.replace(&format!("{}/", folder.path()), ""),
        shown
    );
}

#[test]
fn equal_documents_have_no_changes() {
    let (_folder, old, _) = files(OLD, NEW);
    let ended = agent(&["diff", &old, &old]).expect(0);
    assert_eq!(
        ended.stdout,
        format!("{old} → {old}: the contracts are the same\n")
    );
    let ended = agent(&["diff", &old, &old, "--format", "json"]).expect(0);
    let none = json!({"changes": [], "breaking": {"implementation": 0, "caller": 0}});
    assert_eq!(ended.json(), none);
}

#[test]
fn instructions_are_not_part_of_the_contract() {
    let (_folder, old, new) = files(OLD, &OLD.replace("Greet.", "Do not greet."));
    agent(&["diff", &old, &new]).expect(0);
}

#[test]
fn for_judges_one_side() {
    let (_folder, old, new) = files(OLD, &grown());
    for (args, code) in [
        (&[][..], 1),
        (&["--for", "implementation"][..], 1),
        (&["--for", "caller"][..], 0),
    ] {
        let args: Vec<&str> = ["diff", &old, &new].iter().chain(args).copied().collect();
        agent(&args).expect(code);
    }
    let ended = agent(&["diff", &old, &new, "--for", "caller"]).expect(0);
    assert!(
        ended
            .stdout
            .starts_with("compatible: default-parameter-added: "),
        "{}",
        ended.stdout
    );
    assert!(
        ended.stdout.ends_with(": 1 change, none break callers\n"),
        "{}",
        ended.stdout
    );
    let ended = agent(&["diff", &old, &new, "--for", "caller", "--format", "json"]).expect(0);
    let change = &ended.json()["changes"][0];
    assert_eq!(change["implementation"], Value::Null);
    assert_eq!(change["caller"]["verdict"], "compatible");
    let breaking = &ended.json()["breaking"];
    assert_eq!(*breaking, json!({"implementation": null, "caller": 0}));
}

#[test]
fn breaking_shows_only_breaking_changes() {
    let (_folder, old, new) = files(OLD, &grown());
    let ended = agent(&["diff", &old, &new, "--for", "caller", "--breaking"]).expect(0);
    assert_eq!(
        ended.stdout,
        format!("{old} → {new}: 1 change, none break callers\n")
    );
    let ended = agent(&["diff", &old, &new, "--breaking", "--format", "json"]).expect(1);
    assert_eq!(ended.json()["changes"].as_array().map(Vec::len), Some(1));
}

#[test]
fn json_has_every_change_with_its_witness() {
    let (_folder, old, new) = files(OLD, NEW);
    let ended = agent(&["diff", &old, &new, "--format", "json"]).expect(1);
    assert_eq!(ended.stderr, "");
    let document = ended.json();
    assert_eq!(
        document["breaking"],
        json!({"implementation": 2, "caller": 1})
    );
    assert_eq!(
        document["changes"][0],
        json!({
            "rule": "parameter-type-changed",
            "agent": null,
            "tool": "sayHello",
            "parameter": "personName",
            "renamedTo": null,
            "old": {"text": "(personName::Text)", "file": old, "line": 3, "column": 18},
            "new": {"text": "(personName::Int)", "file": new, "line": 3, "column": 18},
            "implementation": {
                "verdict": "breaking",
                "witness": {
                    "tool": "sayHello",
                    "args": {"personName": 1},
                    "acceptedBy": "new",
                    "refusedBy": "old",
                    "refusedAt": "arguments",
                    "refusal": "`$.personName`: expected Text, found the number 1",
                },
                "remark": null,
            },
            "caller": {
                "verdict": "breaking",
                "witness": {
                    "tool": "sayHello",
                    "args": {"personName": "text"},
                    "acceptedBy": "old",
                    "refusedBy": "new",
                    "refusedAt": "arguments",
                    "refusal": "`$.personName`: expected Int, found the text \"text\"",
                },
                "remark": null,
            },
            "note": null,
        })
    );
    let (_folder, old, new) = files(&OLD.replace("String", "Int"), OLD);
    let ended = agent(&["diff", &old, &new, "--format", "json"]).expect(1);
    let witness = &ended.json()["changes"][0]["caller"]["witness"];
    assert_eq!(witness["result"], "text");
    assert_eq!(witness["refusedAt"], "result");
}

#[test]
fn reads_either_document_from_standard_input() {
    let (_folder, old, new) = files(OLD, NEW);
    let ended = agent_with(&["diff", "-", &new], OLD).expect(1);
    assert!(
        ended
            .stdout
            .contains("  OLD <stdin>:3:18  (personName::Text)\n"),
        "{}",
        ended.stdout
    );
    let ended = agent_with(&["diff", &old, "-"], OLD).expect(0);
    assert_eq!(
        ended.stdout,
        format!("{old} → <stdin>: the contracts are the same\n")
    );
    let ended = agent_with(&["diff", "-", "-"], OLD).expect(2);
    assert!(
        ended.stderr.contains("can be read only once"),
        "{}",
        ended.stderr
    );
}

#[test]
fn does_not_compare_a_document_with_errors() {
    let (_folder, old, new) = files(OLD, &NEW.replace("::Int)", "::Itn)"));
    for (first, second) in [(&old, &new), (&new, &old)] {
        let ended = agent(&["diff", first, second]).expect(1);
        assert_eq!(ended.stdout, "");
        assert!(
            ended.stderr.contains("error[agent::unknown-type]"),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains("new.gram:3:18"), "{}", ended.stderr);
    }
    let ended = agent(&["diff", &old, &new, "--format", "json"]).expect(1);
    assert_eq!(
        ended.json()["diagnostics"][0]["code"],
        "agent::unknown-type"
    );
    assert_eq!(ended.stderr, "");
}

#[test]
fn an_unreadable_file_exits_with_2() {
    let (_folder, old, _) = files(OLD, NEW);
    for args in [
        ["diff", "missing.gram", &old],
        ["diff", &old, "missing.gram"],
        ["diff", &old, "."],
    ] {
        let ended = agent(&args).expect(2);
        assert_eq!(ended.stdout, "");
        assert!(
            ended.stderr.starts_with("error: cannot read `"),
            "{}",
            ended.stderr
        );
    }
    agent(&["diff", &old]).expect(2);
    agent(&["diff", &old, &old, "--for", "everybody"]).expect(2);
}

#[test]
fn compares_tools_that_are_only_named_by_their_definitions() {
    let folder = Folder::new();
    let tools = folder.file(
        "tools.gram",
        "[more:Tool {description: \"More\"} | ()==>(::Null)]",
    );
    let old = folder.file("old.gram", agent_with_tools("more"));
    let new = folder.file("new.gram", agent_with_tools("more, calculator"));
    let ended = agent(&["diff", &old, &new, "--tools", &tools, "--format", "json"]).expect(1);
    let document = ended.json();
    let change = &document["changes"][0];
    assert_eq!(change["rule"], "tool-added");
    assert_eq!(change["tool"], "calculator");
    assert_eq!(change["new"]["line"], 1);
    assert_eq!(document["changes"].as_array().map(Vec::len), Some(1));
}

#[test]
fn escapes_control_characters_and_redacts_secrets() {
    let key = "sk-proj-0123456789abcdefghijklmnop";
    let with = |default: &str| {
        agent_with_tools(&format!(
            "[t:Tool {{description: \"D\"}} | (a::Text {{default: \"{default}\"}})==>(::Null)]"
        ))
    };
    let (_folder, old, new) = files(&with(&format!("\u{9b}31m {key}")), &with("plain"));
    let ended = agent(&["diff", &old, &new]).expect(1);
    assert!(!ended.stdout.contains('\u{9b}'), "{}", ended.stdout);
    assert!(!ended.stdout.contains(key), "{}", ended.stdout);
    let ended = agent(&["diff", &old, &new, "--format", "json"]).expect(1);
    assert!(!ended.stdout.contains(key), "{}", ended.stdout);
}

#[test]
fn redacts_secrets_in_witnesses() {
    let key = "sk-proj-0123456789abcdefghijklmnop";
    let with = |of: &str| agent_with_tools(&format!("[t:Tool {{description: \"D\"}} | {of}]"));
    let choice = format!("Text {{enum: [\"{key}\"]}}");
    for (old, new, part) in [
        (
            format!("(a::{choice})==>(::Null)"),
            "(a::Int)==>(::Null)".to_owned(),
            "args",
        ),
        (
            "()==>(::Int)".to_owned(),
            format!("()==>(::{choice})"),
            "result",
        ),
    ] {
        let (_folder, old, new) = files(&with(&old), &with(&new));
        let ended = agent(&["diff", &old, &new, "--format", "json"]).expect(1);
        assert!(!ended.stdout.contains(key), "{}", ended.stdout);
        let witness = &ended.json()["changes"][0]["caller"]["witness"];
        assert!(witness[part].to_string().contains("[key]"), "{witness}");
    }
}

#[test]
fn colours_verdicts() {
    let (_folder, old, new) = files(OLD, &grown());
    for (args, begin) in [
        (
            &["--color", "always"][..],
            "\u{1b}[1;31mbreaking\u{1b}[0m: ",
        ),
        (
            &["--color", "always", "--for", "caller"],
            "\u{1b}[1;32mcompatible\u{1b}[0m: ",
        ),
        (&["--color", "never"], "breaking: "),
        (&[], "breaking: "),
    ] {
        let args: Vec<&str> = ["diff", &old, &new].iter().chain(args).copied().collect();
        let ended = agent(&args);
        assert!(ended.stdout.starts_with(begin), "{}", ended.stdout);
    }
}

#[cfg(unix)]
#[test]
fn escapes_control_characters_in_file_names() {
    let folder = Folder::new();
    let old = folder.file("o\u{1b}[31m\nld.gram", OLD);
    let new = folder.file("new.gram", NEW);
    let wrong = folder.file("w\u{1b}[31m\nrong.gram", "[");
    for args in [
        &["diff", &old, &new][..],
        &["diff", &wrong, &new],
        &["check", &old],
        &["check", &wrong],
        &["check", "no\u{1b}[31m\nsuch.gram"],
    ] {
        let ended = agent(args);
        for text in [&ended.stdout, &ended.stderr] {
            assert!(!text.contains('\u{1b}'), "{text}");
            assert!(!text.contains("\nld.gram"), "{text}");
            assert!(!text.contains("\nrong.gram"), "{text}");
        }
    }
}

#[test]
fn a_blank_document_has_no_contracts() {
    for blank in ["", " \n\n"] {
        let (_folder, old, new) = files(blank, OLD);
        for format in ["human", "json"] {
            let ended = agent(&["diff", &old, &new, "--format", format]).expect(1);
            assert!(ended.stdout.contains("tool-added"), "{}", ended.stdout);
            let ended = agent(&["diff", &new, &old, "--format", format]).expect(1);
            assert!(ended.stdout.contains("tool-removed"), "{}", ended.stdout);
        }
        agent(&["diff", &old, &old]).expect(0);
        let ended = agent_with(&["diff", "-", &new, "--for", "caller"], blank).expect(0);
        assert!(ended.stdout.contains("agent-added"), "{}", ended.stdout);
    }
    // A file without declarations that is not blank is probably the wrong file.
    let (_folder, old, new) = files("(a)", OLD);
    agent(&["diff", &old, &new]).expect(1);
}

#[test]
fn cuts_a_long_witness_for_people_only() {
    let with = |least: usize| {
        agent_with_tools(&format!(
            "[t:Tool {{description: \"D\"}} | (a::Text {{minLength: {least}}})==>(::Null)]"
        ))
    };
    let (_folder, old, new) = files(&with(2_500), &with(2_501));
    let ended = agent(&["diff", &old, &new]).expect(1);
    let line = ended
        .stdout
        .lines()
        .find(|line| line.starts_with("    t {"));
    let line = line.expect("a witness");
    assert!(line.ends_with('…') && line.len() < 2_100, "{line}");
    let ended = agent(&["diff", &old, &new, "--format", "json"]).expect(1);
    let text = &ended.json()["changes"][0]["caller"]["witness"]["args"]["a"];
    assert_eq!(text.as_str().map(str::len), Some(2_500));
}

#[test]
fn help_shows_the_use_with_git() {
    let ended = agent(&["diff", "--help"]).expect(0);
    let line = "git show main:agents/a.gram | agent diff - agents/a.gram";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
}
