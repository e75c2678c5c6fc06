//! MCP servers of documents, and their tools.

use super::findings;
use super::mistakes::one_finding;
use agent_spec::ToolSpec;
use agent_spec::check::{Options, ServedTool, ServedTools, check};
use agent_spec::mcp::{McpLock, McpTool, McpTransport};

const TOOL: &str =
    r#"[files_read:Tool {remote: "read", description: "Reads"} | (path::Text)==>(::Any)]"#;

fn server(record: &str, tools: &str) -> String {
    format!("[files:Mcp {{{record}}} | {tools}]")
}

#[test]
fn reads_servers_of_either_transport() {
    for record in [
        r#"command: ["npx", "-y", "files@1.2"], env: ["TOKEN"], version: "1", protocol: "2025-11-25""#,
        r#"command: "files", env: "TOKEN""#,
        r#"url: "https://a.example/mcp", headers: {authorization: "Bearer {{TOKEN}}", accept: "x"}"#,
        r#"url: "http://127.0.0.1:1/mcp", note: "kept""#,
    ] {
        let source = server(record, TOOL);
        assert_eq!(findings(&source), [""; 0], "{source}");
        let lock = McpLock::parse(&source).unwrap();
        assert_eq!(lock.tools()[0].remote(), "read");
        assert_eq!(
            McpLock::parse(&lock.to_gram()).unwrap(),
            lock,
            "{}",
            lock.to_gram()
        );
    }
}

#[test]
fn a_server_without_tools_is_a_document() {
    assert_eq!(findings(r#"[files:Mcp {command: ["files"]}]"#), [""; 0]);
}

#[test]
fn a_lock_is_sorted_and_formatted() {
    let tool = |name: &'static str, remote: &'static str| {
        let spec = ToolSpec::new(name, "Does", "(a::Int)==>(::Any)").unwrap();
        McpTool::new(spec, remote)
    };
    let command = vec!["files".into(), "--stdio".into()];
    let env = vec!["TOKEN".into()];
    let lock = McpLock::new(
        "files",
        McpTransport::Command { command, env },
        vec![
            tool("files_write", "write"),
            tool("files_read", "read file"),
        ],
    );
    let lock = lock.with_version("1.2.0").with_protocol("2026-07-28");
    let expected = r#"[files:Mcp {
  command: ["files", "--stdio"],
  env: ["TOKEN"],
  version: "1.2.0",
  protocol: "2026-07-28"
} |
  [files_read:Tool {description: "Does", remote: "read file"} |
    (a::Int)==>(::Any)
  ],
  [files_write:Tool {description: "Does", remote: "write"} |
    (a::Int)==>(::Any)
  ]
]
"#;
    assert_eq!(lock.to_gram(), expected);
    assert_eq!(McpLock::parse(expected).unwrap(), lock);
}

#[test]
fn mistakes_of_servers() {
    let bad = "agent::bad-server";
    for (record, code, at, help) in [
        ("", bad, "files:Mcp", "write `{command:"),
        (
            r#"comand: ["a"]"#,
            "agent::unknown-property",
            "comand",
            "did you mean `command`?",
        ),
        ("command: []", "agent::bad-value", "[]", ""),
        ("command: [1]", "agent::bad-value", "1", ""),
        (r#"command: ["a"], url: "http://a""#, bad, "url", ""),
        (r#"command: ["a"], headers: {a: "b"}"#, bad, "headers", ""),
        (r#"url: "http://a", env: ["A"]"#, bad, "env", ""),
        (r#"url: "ftp://a""#, "agent::bad-value", r#""ftp://a""#, ""),
        (
            r#"url: "http://me:pw@a""#,
            "agent::bad-value",
            r#""http://me:pw@a""#,
            "",
        ),
        (
            r#"command: ["a"], env: ["A=b"]"#,
            bad,
            r#""A=b""#,
            "write the name alone",
        ),
        (
            r#"url: "http://a", headers: {authorization: "Basic eDp5"}"#,
            bad,
            r#""Basic eDp5""#,
            "{{NAME}}",
        ),
        (
            r#"url: "http://a", headers: {a: "{{b"}"#,
            bad,
            r#""{{b""#,
            "{{NAME}}",
        ),
        (
            r#"url: "http://a", headers: {a: "x\r\ny"}"#,
            bad,
            r#""x\r\ny""#,
            "",
        ),
        (
            r#"url: "http://a", headers: {`a b`: "x"}"#,
            bad,
            "`a b`",
            "",
        ),
        (
            r#"url: "http://a", headers: ["a"]"#,
            "agent::bad-value",
            r#"["a"]"#,
            "",
        ),
        (
            r#"command: ["a"], command: ["b"]"#,
            "agent::duplicate-key",
            "command",
            "",
        ),
    ] {
        one_finding(&server(record, TOOL), code, at, help);
    }
}

#[test]
fn mistakes_of_the_tools_of_servers() {
    let tool = |head: &str| format!("[{head} | (path::Text)==>(::Any)]");
    for (tools, code, at, help) in [
        (
            tool(r#"files_read:Tool {description: "d"}"#),
            "agent::bad-server",
            "files_read:Tool",
            "add `remote",
        ),
        (
            tool(r#"files_read:Tool {description: "d", remote: 1}"#),
            "agent::bad-server",
            "files_read:Tool",
            "add `remote",
        ),
        (
            tool(r#"read:Tool {description: "d", remote: "read"}"#),
            "agent::bad-server",
            "read",
            "`files_read`",
        ),
        (
            "other".to_owned(),
            "agent::bad-server",
            "other",
            "[name:Tool",
        ),
        (
            "[files_read:Tool {remote: \"read\"} | (path::Text)==>(::Any)]".to_owned(),
            "agent::missing-description",
            "files_read:Tool",
            "",
        ),
    ] {
        one_finding(&server(r#"command: ["a"]"#, &tools), code, at, help);
    }
}

#[test]
fn mistakes_of_the_names_of_servers() {
    for (source, code, at) in [
        (r#"[:Mcp {command: ["a"]}]"#, "agent::missing-name", ":Mcp"),
        (
            r#"[`a b`:Mcp {command: ["a"]}]"#,
            "agent::bad-name",
            "`a b`",
        ),
    ] {
        one_finding(source, code, at, "");
    }
    for (source, message) in [
        (
            "[a:Agent {instruction: \"i\", model: \"OpenAI/m\"}]",
            "no MCP server",
        ),
        (
            r#"[a:Mcp {command: ["a"]}] [b:Mcp {command: ["b"]}]"#,
            "several",
        ),
    ] {
        let error = McpLock::parse(source).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_server_may_name_parameters_as_it_likes() {
    let other = r#"[files_find:Tool {remote: "find", description: "d"} | (path::Int)==>(::Any)]"#;
    let source = server(r#"command: ["a"]"#, &format!("{TOOL}, {other}"));
    assert_eq!(findings(&source), [""; 0]);
}

#[test]
fn a_definition_is_held_to_the_document_of_its_server() {
    let tool = r#"[files_read:Tool {
        remote: "read", description: "Reads", requiresApproval: true, timeout: 5s
    } | (path::Text)==>(::Any)]"#;
    let lock = McpLock::parse(&server(r#"command: "files""#, tool)).unwrap();
    let spec = lock.tools()[0].spec().clone();
    let file = "mcp/files.gram".to_owned();
    let served = ServedTools::from([("files_read".to_owned(), ServedTool { spec, file })]);
    let held = |definition: &str| {
        let options = Options {
            served: Some(&served),
            ..Options::default()
        };
        let checked = check(definition, options);
        let found = checked.diagnostics.iter();
        let codes: Vec<String> = found.map(|found| found.code().to_string()).collect();
        let spec = checked.tools.first().map(|node| node.spec.clone());
        (codes, spec)
    };
    let looser = ["agent::looser-tool"];
    for (definition, expected) in [
        (
            r#"requiresApproval: true, timeout: 5s, description: "Reads"} | (path::Text)==>(::Any)"#,
            &[][..],
        ),
        (
            r#"requiresApproval: true, timeout: 1s, description: "Reads"} | (path::Text)==>(::Any)"#,
            &[],
        ),
        (
            r#"requiresApproval: true, description: "Reads"} | (path::Text)==>(::Any)"#,
            &[],
        ),
        (r#"description: "Reads"} | (path::Text)==>(::Any)"#, &looser),
        (
            r#"requiresApproval: true, timeout: 1m, description: "Reads"} | (path::Text)==>(::Any)"#,
            &looser,
        ),
        (
            r#"requiresApproval: true, description: "Writes"} | (path::Text)==>(::Any)"#,
            &["agent::conflicting-tools"],
        ),
        (
            r#"requiresApproval: true, description: "Reads"} | (path::Int)==>(::Any)"#,
            &["agent::conflicting-tools"],
        ),
    ] {
        let definition = format!("[files_read:Tool {{{definition}]");
        let (codes, spec) = held(&definition);
        assert_eq!(codes, expected, "{definition}");
        // Whatever it says, the stricter settings of both hold.
        if let Some(spec) = spec {
            assert!(spec.requires_approval(), "{definition}");
            assert!(
                spec.timeout().is_some_and(|most| most.as_secs() <= 5),
                "{definition}"
            );
        }
    }
}
