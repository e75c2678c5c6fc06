//! `agent explain`, and the page that is generated with it.

use crate::support::agent;
use serde_json::Value;
use std::path::PathBuf;

#[test]
fn explains_a_code_with_both_examples() {
    for code in ["unknown-type", "agent::unknown-type"] {
        let ended = agent(&["explain", code]).expect(0);
        assert_eq!(ended.stderr, "");
        let (head, rest) = ended.stdout.split_once("\n\n").unwrap();
        assert_eq!(
            head,
            "agent::unknown-type (error)\nA type label is not known."
        );
        let (text, examples) = rest.split_once("\n\nWrong").unwrap();
        assert!(text.contains("\n\n"), "two paragraphs:\n{text}");
        assert_eq!(
            examples,
            " (agent check --as signature):\n\n    (city::Txt)==>(::Double)\n\
             \nRight:\n\n    (city::Text)==>(::Double)\n"
        );
    }
}

#[test]
fn prefers_the_agent_code_for_an_ambiguous_name() {
    for (code, expected) in [
        ("duplicate-key", "agent::duplicate-key (error)"),
        ("gram::duplicate-key", "gram::duplicate-key (warning)"),
        ("bad-arrow", "gram::bad-arrow (error)"),
    ] {
        let ended = agent(&["explain", code]).expect(0);
        assert_eq!(ended.stdout.lines().next(), Some(expected));
    }
}

#[test]
fn suggests_the_nearest_code() {
    for (code, expected) in [
        (
            "unknwon-type",
            "error: \"unknwon-type\" is not the code of a finding; did you mean `agent::unknown-type`?\n",
        ),
        (
            "agent::bad-arrow",
            "error: \"agent::bad-arrow\" is not the code of a finding; did you mean `gram::bad-arrow`?\n",
        ),
        (
            "E0308",
            "error: \"E0308\" is not the code of a finding; `agent explain` lists them all\n",
        ),
    ] {
        for format in ["human", "json", "markdown"] {
            let ended = agent(&["explain", code, "--format", format]).expect(2);
            assert_eq!(ended.stdout, "");
            assert_eq!(ended.stderr, expected);
        }
    }
}

/// Returns the entries of all codes as JSON.
fn listed() -> Vec<Value> {
    let ended = agent(&["explain", "--format", "json"]).expect(0);
    ended.json().as_array().expect("it is an array").clone()
}

#[test]
fn lists_all_codes_without_an_argument() {
    let ended = agent(&["explain"]).expect(0);
    let all = listed();
    assert!(all.len() > 30, "{}", all.len());
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), all.len());
    for (line, entry) in lines.iter().zip(&all) {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        assert_eq!(words[0], entry["code"]);
        assert!(line.ends_with(entry["meaning"].as_str().unwrap()), "{line}");
        assert!(line.contains(entry["severity"].as_str().unwrap()), "{line}");
    }
}

#[test]
fn json_of_one_code_equals_its_list_entry() {
    for entry in listed() {
        let code = entry["code"].as_str().unwrap();
        let ended = agent(&["explain", code, "--format=json"]).expect(0);
        assert_eq!(ended.json(), entry);
        let mut members: Vec<&str> = entry
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        members.sort_unstable();
        assert_eq!(
            members,
            [
                "code", "examples", "meaning", "right", "severity", "text", "wrong"
            ]
        );
    }
}

#[test]
fn help_names_every_kind_of_examples() {
    let help = agent(&["explain", "--help"]).expect(0).stdout;
    for entry in listed() {
        let kind = &entry["examples"];
        assert!(help.contains(&kind.to_string()), "{kind} is not in\n{help}");
    }
}

#[test]
fn documentation_page_is_up_to_date() {
    let page =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../book/src/reference/diagnostics.md");
    let printed = agent(&["explain", "--format", "markdown"]).expect(0).stdout;
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&page, &printed).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&page).expect("the page can be read");
    // A checkout on Windows has other line ends.
    assert!(
        written.replace("\r\n", "\n") == printed,
        "book/src/reference/diagnostics.md is out of date; run `UPDATE_DOCS=1 cargo test -p gramwork-cli --test it explain`"
    );
}

#[test]
fn every_code_has_one_anchor_and_one_link() {
    let page = agent(&["explain", "--format", "markdown"]).expect(0).stdout;
    for entry in listed() {
        let code = entry["code"].as_str().unwrap();
        let anchor = code.replace("::", "-");
        for part in [
            format!("<a id=\"{anchor}\"></a>\n\n## `{code}`\n"),
            format!("| [`{code}`](#{anchor}) |"),
        ] {
            assert_eq!(page.matches(&part).count(), 1, "{part}");
        }
        let section = agent(&["explain", code, "--format", "markdown"]).expect(0);
        assert!(page.contains(&section.stdout), "{code}");
    }
}
