//! `agent check`: results, exit codes and output formats.

use crate::support::{Folder, agent, agent_with, agent_with_tools};
use serde_json::json;

/// Five mistakes of different kinds, in this order.
const FIVE_MISTAKES: &str = r#"[a:Agent {instructions: "Help.", model: "openai/gpt-6-luna"} |
  [one:Tool {description: "One."} | (x::Txt)==>(::String)],
  [two:Tool | (x::Text)==>(::String)],
  thre
]
"#;

const FIVE_CODES: [&str; 5] = [
    "agent::unknown-property",
    "agent::unknown-provider",
    "agent::unknown-type",
    "agent::missing-description",
    "agent::unknown-tool",
];

/// Two tools with the same parameter name for different types, which is a warning.
const WARNING: &str = r#"[one:Tool {description: "One."} | (x::Text)==>(::String)]
[two:Tool {description: "Two."} | (x::Int)==>(::String)]
"#;

#[test]
fn counts_the_declarations_of_a_valid_file() {
    let ended = agent(&[
        "check",
        "agents/hello.gram",
        "agents/hello_and_goodbye.gram",
    ])
    .expect(0);
    assert_eq!(
        ended.stdout,
        "agents/hello.gram: ok (1 agent, 1 tool)\n\
         agents/hello_and_goodbye.gram: ok (1 agent, 2 tools)\n"
    );
    assert_eq!(ended.stderr, "");
}

#[test]
fn advises_on_an_invalid_setting() {
    for (setting, words) in [
        (
            "maxTokens: 4294967296",
            "must be a whole number from 1 to 4294967295; found the whole number 4294967296",
        ),
        ("maxIterations: 4294967296", "from 1 to 4294967295"),
        (
            "maxIterations: 0",
            "must be a whole number, 1 or more; found",
        ),
        (
            "toolTimeout: 9999999999999999999999h",
            "of at most `5000000000000000h`; found",
        ),
        ("toolTimeout: 0s", "a length of time above 0, such as"),
        ("toolTimeout: \"300ms\"", "a length of time without quotes"),
        (
            "baseUrl: \"http://user:password@h/v1\"",
            "must hold no user name or password",
        ),
        ("baseUrl: \"http:///v1\"", "address with a host"),
    ] {
        let source = format!("[a:Agent {{instruction: \"x\", model: \"Ollama/m\", {setting}}}]");
        let ended = agent_with(&["check", "-"], source).expect(1);
        assert!(ended.stderr.contains(words), "{setting}: {}", ended.stderr);
    }
}

#[test]
fn warns_about_a_key_in_a_document() {
    for (property, is_key) in [
        ("apiKey", true),
        ("api_key", true),
        ("APIKey", true),
        ("key", true),
        ("`auth-token`", true),
        ("keyboard", false),
        ("owner", false),
    ] {
        let source =
            format!("[a:Agent {{instruction: \"x\", model: \"Ollama/m\", {property}: \"sk-1\"}}]");
        let ended = agent_with(&["check", "-"], source).expect(0);
        let warned = ended.stderr.contains("warning[agent::key-in-document]");
        assert_eq!(warned, is_key, "{property}: {}", ended.stderr);
        assert_eq!(ended.stderr.contains("OPENAI_API_KEY"), is_key);
        assert!(
            !is_key || !ended.stderr.contains("sk-1"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn finds_keys_everywhere_and_shows_none() {
    let key = "sk-proj-0123456789abcdef";
    for (record, shown) in [
        (
            format!("instruction: \"Your key is {key}.\""),
            "Your key is ************************.",
        ),
        (
            format!("instruction: \"x\", extra: {{a: [{{b: \"{key}\"}}]}}"),
            "b: \"************************\"",
        ),
        (
            "instruction: \"x\", extra: {a: {api_key: \"hunter2\"}}".to_owned(),
            "api_key: \"*******\"",
        ),
        // A finding about another property of the line hides the key, too.
        (
            format!("instruction: \"{key}\", temperature: 7"),
            "instruction: \"************************\"",
        ),
    ] {
        let source = format!("[a:Agent {{model: \"Ollama/m\", {record}}}]");
        for format in ["human", "json", "short"] {
            let ended = agent_with(&["check", "-", "--format", format], source.clone());
            let all = format!("{}{}", ended.stdout, ended.stderr);
            assert!(all.contains("agent::key-in-document"), "{all}");
            assert_eq!(all.contains(shown), format == "human", "{all}");
            for key in [key, "hunter2"] {
                assert!(!all.contains(key), "{all}");
            }
        }
    }
}

#[test]
fn json_output_is_exact() {
    let source = "[a:Agent {instruction: \"é\", model: \"Ollama/x\"} |\n  [t:Tool {description: \"ü\"} | (x::Txt)==>(::String)]]\n";
    let ended = agent_with(&["check", "-", "--format", "json"], source).expect(1);
    assert_eq!(
        ended.json(),
        json!({"diagnostics": [{
            "code": "agent::unknown-type",
            "severity": "error",
            "message": ended.json()["diagnostics"][0]["message"],
            "file": "-",
            "line": 2,
            "column": 36,
            "endLine": 2,
            "endColumn": 39,
            "help": ended.json()["diagnostics"][0]["help"],
        }]})
    );
    assert!(
        ended.json()["diagnostics"][0]["message"]
            .as_str()
            .unwrap()
            .contains("Txt")
    );
    assert_eq!(ended.stderr, "");
}

#[test]
fn json_of_a_valid_file_is_empty_and_help_can_be_null() {
    let ended = agent(&["check", "--format=json", "agents/hello.gram"]).expect(0);
    assert_eq!(ended.json(), json!({"diagnostics": []}));
    let ended = agent_with(
        &["check", "--as=gram", "--format=json", "-"],
        "(a {k: 1, k: 2})",
    )
    .expect(0);
    let found = &ended.json()["diagnostics"][0];
    assert_eq!(found["severity"], "warning");
    assert!(found["help"].is_null(), "{found}");
}

#[test]
fn reports_five_mistakes_in_order() {
    let ended = agent_with(&["check", "--format", "json", "-"], FIVE_MISTAKES).expect(1);
    let found = ended.json();
    let codes: Vec<&str> = found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, FIVE_CODES);
}

#[test]
fn shows_lines_marks_help_and_a_summary() {
    let ended = agent_with(&["check", "-"], FIVE_MISTAKES).expect(1);
    assert_eq!(ended.stdout, "");
    for part in [
        "error[agent::unknown-type]",
        "--> <stdin>:2:41",
        "[one:Tool {description: \"One.\"} | (x::Txt)==>(::String)]",
        "^^^",
        "help: did you mean `Text`?",
        "<stdin>: 5 errors\n",
    ] {
        assert!(
            ended.stderr.contains(part),
            "{part} is not in\n{}",
            ended.stderr
        );
    }
    assert!(
        !ended.stderr.contains('\u{1b}'),
        "no colours in a pipe:\n{}",
        ended.stderr
    );
}

#[test]
fn shows_labels_near_and_far() {
    let far = WARNING.replace(
        "]\n[two",
        &format!("]\n{}[two", "// far away\n".repeat(400)),
    );
    for source in [WARNING, &far] {
        let ended = agent_with(&["check", "-"], source).expect(0);
        assert!(ended.stderr.contains("the other type"), "{}", ended.stderr);
        assert!(ended.stderr.contains("[one:Tool"), "{}", ended.stderr);
        assert!(ended.stderr.lines().count() < 20, "{}", ended.stderr);
    }
}

#[test]
fn deny_warnings_makes_warnings_errors() {
    let ended = agent_with(&["check", "-"], WARNING).expect(0);
    assert_eq!(ended.stdout, "<stdin>: ok (0 agents, 2 tools), 1 warning\n");
    assert!(
        ended.stderr.contains("warning[agent::differing-parameter]"),
        "{}",
        ended.stderr
    );
    let ended = agent_with(&["check", "-", "--deny-warnings"], WARNING).expect(1);
    assert!(
        ended.stderr.contains("\n<stdin>: 1 error\n"),
        "{}",
        ended.stderr
    );
    let ended = agent_with(&["check", "-", "--deny-warnings", "--format=json"], WARNING).expect(1);
    assert_eq!(ended.json()["diagnostics"][0]["severity"], "error");
}

#[test]
fn an_empty_document_is_an_error() {
    for source in ["", "  \n", "\u{feff}", "(a)-->(b)"] {
        let ended = agent_with(&["check", "-", "--format=json"], source).expect(1);
        assert_eq!(
            ended.json()["diagnostics"][0]["code"],
            "agent::nothing-declared",
            "{source:?}"
        );
        let ended = agent_with(&["check", "-"], source).expect(1);
        assert!(ended.stderr.contains("<stdin>:1:1"), "{}", ended.stderr);
        agent_with(&["check", "--as", "gram", "-"], source).expect(0);
    }
}

#[test]
fn checks_only_the_notation_as_gram() {
    agent_with(&["check", "--as", "gram", "-"], "(a)-[r]->(b {k: [1, 2]})").expect(0);
    let ended = agent_with(&["check", "--as", "gram", "-"], "(a)->(b)").expect(1);
    assert!(ended.stderr.contains("gram::bad-arrow"), "{}", ended.stderr);
}

#[test]
fn checks_a_bare_signature() {
    let ended = agent_with(
        &["check", "--as", "signature", "-"],
        "(a::Text)==>(::String)",
    )
    .expect(0);
    assert_eq!(ended.stdout, "<stdin>: ok\n");
    for wrong in ["", "(a::Txt)==>(::String)", "(a::Text)", "(a)==>(b) (c)"] {
        agent_with(&["check", "--as", "signature", "-"], wrong).expect(1);
    }
}

#[test]
fn names_a_variable_that_nobody_fills() {
    let source =
        r#"[guide:Agent {instruction: "Guide {{user}} through {{city}}.", model: "Ollama/m"}]"#;
    agent_with(&["check", "-"], source).expect(0);
    agent_with(
        &["check", "-", "--var", "user", "--var", "city=Vienna"],
        source,
    )
    .expect(0);
    let ended = agent_with(
        &["check", "-", "--var=user", "--var=cty", "--format=short"],
        source,
    );
    assert_eq!(
        ended.expect(1).stdout,
        "-:1:54: agent::unfilled-variable: nobody fills the variable `city`\n"
    );
    let ended = agent_with(&["check", "-", "--var=user", "--var=cty"], source).expect(1);
    assert!(
        ended.stderr.contains("did you mean `cty`?"),
        "{}",
        ended.stderr
    );
    for wrong in [&["--var", "=x"][..], &["--var", "user", "--as", "gram"]] {
        agent_with(&[&["check", "-"], wrong].concat(), source).expect(2);
    }
}

#[test]
fn accepts_tools_of_another_file() {
    let folder = Folder::new();
    let tools = folder.file(
        "tools.gram",
        "[far:Tool {description: \"Far.\"} | (x::Int)==>(::Int)]",
    );
    let document = folder.file("agent.gram", agent_with_tools("far, sayHello"));
    let ended = agent(&["check", &document]).expect(1);
    assert!(
        ended.stderr.contains("no tool or agent `far`"),
        "{}",
        ended.stderr
    );
    let ended = agent(&["check", &document, "--tools", &tools]).expect(0);
    assert_eq!(ended.stdout, format!("{document}: ok (1 agent, 2 tools)\n"));
}

#[test]
fn reports_only_errors_of_tool_files() {
    let folder = Folder::new();
    let tools = folder.file(
        "tools.gram",
        "[far:Tool {description: \"Far.\"} | (x::In)==>(::Int)]",
    );
    let document = folder.file("agent.gram", agent_with_tools("far"));
    let ended = agent(&["check", &document, "--tools", &tools, "--format=json"]).expect(1);
    let found = ended.json();
    assert_eq!(found["diagnostics"].as_array().unwrap().len(), 1);
    assert_eq!(found["diagnostics"][0]["file"], tools);
    let other = folder.file(
        "other.gram",
        "[far:Tool {description: \"F.\"} | (x::Int)==>(::Int)]",
    );
    let same = folder.file(
        "same.gram",
        "[far:Tool {description: \"Far.\"} | (x::Int)==>(::Int)]",
    );
    let ended = agent(&["check", &document, "--tools", &same, "--tools", &other]).expect(2);
    assert!(ended.stderr.contains("the tool `far`"), "{}", ended.stderr);
}

#[test]
fn columns_count_characters_with_crlf() {
    let source = "\u{feff}[t:Tool {description: \"é→\"} | (x::Txt)==>(::String)]\r\n[u:Tool {description: \"u\"} | (x::Txt)==>(::String)]\r\n";
    let ended = agent_with(&["check", "-", "--format=json"], source).expect(1);
    let found = ended.json();
    assert_eq!(found["diagnostics"][0]["line"], 1);
    assert_eq!(found["diagnostics"][0]["column"], 35);
    assert_eq!(found["diagnostics"][1]["line"], 2);
    assert_eq!(found["diagnostics"][1]["column"], 34);
}

#[test]
fn a_second_byte_order_mark_is_an_error() {
    for (marks, code) in [("\u{feff}", 0), ("\u{feff}\u{feff}", 1)] {
        agent_with(&["check", "--as", "gram", "-"], format!("{marks}(a)-->(b)")).expect(code);
    }
}

#[test]
fn the_documents_of_a_folder_are_checked() {
    let folder = Folder::new();
    std::fs::create_dir_all(format!("{}/inner/.hidden", folder.path())).expect("folders");
    let path = folder.path();
    let tool = |ty: &str| {
        agent_with_tools(&format!(
            "[t:Tool {{description: \"d\"}} | (a::{ty})==>(::Text)]"
        ))
    };
    folder.file("agent.gram", "{style: \"list\"}");
    folder.file("good.gram", tool("Text"));
    folder.file("note.txt", "no gram");
    folder.file("inner/bad.gram", tool("Txet"));
    folder.file("inner/.hidden/bad.gram", tool("Txet"));
    let ended = agent(&["check", "--format", "json", &path]).expect(1);
    let found = ended.json();
    let found = found["diagnostics"].as_array().expect("a list");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["file"], format!("{path}/inner/bad.gram"));
    // A file that is named twice is checked once.
    let good = format!("{path}/good.gram");
    let ended = agent(&["check", &path, &good, "--format", "short"]).expect(1);
    assert_eq!(ended.stdout.lines().count(), 1, "{}", ended.stdout);
    std::fs::remove_file(format!("{path}/inner/bad.gram")).expect("a file");
    let ended = agent(&["check", &path]).expect(0);
    assert!(
        ended.stdout.contains("good.gram: ok (1 agent, 1 tool)"),
        "{}",
        ended.stdout
    );
    let ended = agent(&["check", &format!("{path}/inner")]).expect(2);
    assert!(
        ended.stderr.contains("there is no `*.gram` file"),
        "{}",
        ended.stderr
    );
}
