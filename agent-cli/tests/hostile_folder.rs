//! Commands that read somebody else's folder start no program and open no connection.

use crate::support::{CommandOutput, Folder, command};
use std::io::{ErrorKind, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

#[test]
fn commands_that_read_start_no_program_and_open_no_connection() {
    let folder = Folder::new();
    let marker = format!("{}/started", folder.path());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("it does not wait");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    folder.file("agent.gram", r#"{tools: ["servers/*.gram"]}"#);
    std::fs::create_dir(Path::new(&folder.path()).join("servers")).expect("a folder");
    folder.file(
        "servers/started.gram",
        format!(
            r#"[files:Mcp {{command: ["touch", "{marker}"]}} |
  [files_read:Tool {{description: "Reads a file", remote: "read"}} | (path::Text)==>(::Text)]
]"#
        ),
    );
    folder.file(
        "servers/remote.gram",
        format!(
            r#"[web:Mcp {{url: "{url}/mcp"}} |
  [web_read:Tool {{description: "Reads a page", remote: "read"}} | (path::Text)==>(::Text)]
]"#
        ),
    );
    let source = format!(
        r#"[a:Agent {{instruction: "Help.", model: "OpenAI/m", baseUrl: "{url}/v1", grants: {{network: ["*"]}}}} |
  files_read, web_read
]
"#
    );
    let document = folder.file("a.gram", &source);
    let lock = format!("{}/servers/started.gram", folder.path());
    let all = folder.path();
    let opened = format!(
        r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"file://{document}","languageId":"gram","version":1,"text":{}}}}}}}"#,
        serde_json::json!(source)
    );
    let messages = [
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"capabilities":{{}},"rootUri":"file://{all}"}}}}"#
        ),
        r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#.to_owned(),
        opened,
        r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"exit"}"#.to_owned(),
    ];
    let session: String = messages
        .iter()
        .map(|message| format!("Content-Length: {}\r\n\r\n{message}", message.len()))
        .collect();
    for (args, input) in [
        (&["check", &document][..], ""),
        (&["check", &all], ""),
        (&["check", &document, "--mcp", &lock], ""),
        (&["audit", &document], ""),
        (&["fmt", "--check", &all], ""),
        (&["diff", &document, &document], ""),
        (&["graph", &document], ""),
        (&["new-tools", &document], ""),
        (&["parse", &document], ""),
        (&["schema", &document], ""),
        (&["lsp"], &session),
    ] {
        let ended = run(args, input, &folder, &url);
        assert!(ended.code <= 1, "{args:?}: {}", ended.stderr);
        assert!(!Path::new(&marker).exists(), "{args:?} started a program");
        let contact = listener.accept().map(|(_, from)| from);
        let nobody = contact.expect_err(&format!("{args:?} opened a connection"));
        assert_eq!(nobody.kind(), ErrorKind::WouldBlock);
    }
    // A person who names the server starts it, so that this test would notice a command that does.
    run(&["run", &document, "x", "--mcp", &lock], "", &folder, &url);
    assert!(Path::new(&marker).exists());
}

/// Runs a command with the listener as the proxy for every address.
fn run(args: &[&str], input: &str, folder: &Folder, proxy: &str) -> CommandOutput {
    let mut command = command(args);
    command
        .current_dir(folder.path())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HTTP_PROXY", proxy)
        .env("HTTPS_PROXY", proxy)
        .env("OPENAI_API_KEY", "sk-0123456789abcdef")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    stdin
        .write_all(input.as_bytes())
        .expect("the command reads");
    drop(stdin);
    CommandOutput::of(child.wait_with_output().expect("the command ends"))
}
