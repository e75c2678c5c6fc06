//! MCP servers: their documents, and commands that use their tools.

use crate::support::{Folder, agent, agent_with_tools};

/// A document with the tools of a server.
const LOCK: &str = r#"[files:Mcp {command: ["files-server"]} |
  [files_read:Tool {description: "Reads a file", remote: "read"} |
    (path::Text)==>(limit::Int {optional: true})==>(::Text)
  ]
]
"#;

/// An agent that defines the tool itself.
fn defining(signature: &str) -> String {
    agent_with_tools(&format!(
        "[files_read:Tool {{description: \"Reads a file\"}} | {signature}]"
    ))
}

#[test]
fn documents_name_the_tools_of_servers() {
    let folder = Folder::new();
    let lock = folder.file("files.gram", LOCK);
    let document = folder.file("a.gram", agent_with_tools("files_read"));
    let ended = agent(&["check", &document, "--mcp", &lock]).expect(0);
    assert_eq!(ended.stdout, format!("{document}: ok (1 agent, 1 tool)\n"));
    let ended = agent(&["schema", &document, "--mcp", &lock, "--tool", "files_read"]).expect(0);
    assert_eq!(ended.json()["description"], "Reads a file");
    agent(&["check", &document]).expect(1);
    agent(&["check", &lock]).expect(0);
}

#[test]
fn a_tool_that_a_document_defines_is_compared_with_that_of_its_server() {
    let folder = Folder::new();
    let lock = folder.file("files.gram", LOCK);
    for (signature, at, message) in [
        ("(path::Text)==>(::Text)", "", ""),
        ("(path::Text {minLength: 1})==>(::Text)", "", ""),
        ("(path::Int)==>(::Text)", "Int", "`Int`"),
        ("(file::Text)==>(::Text)", "file", "no parameter `file`"),
        ("(path::Text)==>(::Int)", "(::Int)", "returns"),
        (
            "(limit::Int {optional: true})==>(::Text)",
            "==>(::Text)",
            "`path::Text`",
        ),
    ] {
        let text = defining(signature);
        let document = folder.file("a.gram", &text);
        let ended = agent(&["check", &document, "--mcp", &lock, "--format", "json"]);
        let found = ended.json();
        let found = found["diagnostics"].as_array().expect("a list");
        if message.is_empty() {
            assert!(found.is_empty(), "{signature}: {found:?}");
            continue;
        }
        assert_eq!(found[0]["code"], "agent::conflicting-tools", "{signature}");
        let said = found[0]["message"].as_str().expect("a text");
        assert!(said.contains(message), "{signature}: {said}");
        let help = found[0]["help"].as_str().expect("a text");
        assert!(help.contains("(path::Text)==>(limit::Int"), "{help}");
        let line = text
            .lines()
            .nth(found[0]["line"].as_u64().expect("a number") as usize - 1);
        let column = found[0]["column"].as_u64().expect("a number") as usize - 1;
        let from: String = line.expect("a line").chars().skip(column).collect();
        assert!(from.starts_with(at), "{signature}: {from}");
    }
}

#[test]
fn a_project_may_name_the_documents_of_servers() {
    let folder = Folder::new();
    folder.file("agent.gram", "{tools: [\"files.gram\"]}");
    folder.file("files.gram", LOCK);
    let document = folder.file("a.gram", agent_with_tools("files_read"));
    agent(&["check", &document]).expect(0);
    let document = folder.file("b.gram", defining("(path::Int)==>(::Text)"));
    let ended = agent(&["check", &document]).expect(1);
    assert!(
        ended.stderr.contains("conflicting-tools"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_mistake_in_the_document_of_a_server_is_found() {
    let folder = Folder::new();
    let lock = folder.file("files.gram", LOCK.replace("remote: \"read\"", "remote: 1"));
    let document = folder.file("a.gram", agent_with_tools("files_read"));
    let ended = agent(&["check", &document, "--mcp", &lock]).expect(1);
    assert!(
        ended.stderr.contains("agent::bad-server"),
        "{}",
        ended.stderr
    );
}
