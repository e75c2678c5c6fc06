//! What the command line and the environment say, and what the files of `--tools` say meanwhile.

use crate::session::{Session, command};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;

const URI: &str = "untitled:Untitled-1";
const AGENT: &str = "[a:Agent {instruction: \"x\", model: \"Acme/1\"} | greet]\n";
const GREET: &str = "[greet:Tool {description: \"Greets\"} | ()==>(::String)]\n";

/// A file of tools, removed when it is dropped.
struct ToolFile(PathBuf);

impl ToolFile {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("agent-lsp-{}-{name}.gram", std::process::id());
        let file = Self(std::env::temp_dir().join(name));
        file.write(text);
        file
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.0, text).expect("the file can be written");
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the path is text")
    }

    fn uri(&self) -> String {
        format!("file://{}", self.path())
    }
}

impl Drop for ToolFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn codes(found: &[Value]) -> Vec<&str> {
    let codes = found.iter().map(|finding| finding["code"].as_str());
    codes
        .map(|code| code.expect("a finding has a code"))
        .collect()
}

#[test]
#[cfg(unix)]
fn tools_are_read_again_when_their_file_is_saved() {
    let file = ToolFile::new("saved", "");
    let args = ["--tools", file.path(), "--provider", "Acme"];
    let mut session = Session::start(&args);
    let watches = json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    session.initialize(watches);
    // The file declares nothing, which is an error, and is put right.
    let method = |name: &'static str| move |message: &Value| message["method"] == name;
    let shown = session.wait_for(method("window/showMessage"));
    let text = shown["params"]["message"].as_str().unwrap();
    assert!(text.contains("--tools has errors"), "{text}");
    let asked = session.wait_for(method("client/registerCapability"));
    let watchers = &asked["params"]["registrations"][0]["registerOptions"]["watchers"];
    let glob = watchers[0]["globPattern"].as_str().unwrap();
    assert!(file.path().ends_with(&glob["**/".len()..]), "{glob}");
    session.did_open(URI, 1, AGENT);
    assert_eq!(codes(&session.findings(URI, 1)), [""; 0]);
    file.write(GREET);
    session.notify(
        "textDocument/didSave",
        json!({"textDocument": {"uri": file.uri()}}),
    );
    assert_eq!(codes(&session.findings(URI, 1)), [""; 0]);
    file.write(&GREET.replace("greet", "greets"));
    let changes = json!({"changes": [{"uri": file.uri(), "type": 2}]});
    session.notify("workspace/didChangeWatchedFiles", changes);
    let found = session.findings(URI, 1);
    assert_eq!(codes(&found), ["agent::unknown-tool"]);
    // Another file's change is no reason to look.
    let others = json!({"changes": [{"uri": "file:///elsewhere.gram", "type": 2}]});
    session.notify("workspace/didChangeWatchedFiles", others);
    session.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": URI}}),
    );
    assert_eq!(session.next()["params"]["diagnostics"], json!([]));
    session.finish();
}

#[test]
fn codes_lead_to_the_published_page() {
    let mut start = command(&[]);
    start.env("AGENT_DOCS_URL", "https://example.org/findings");
    let mut session = Session::run(start);
    session.initialize(json!({}));
    session.did_open(URI, 1, "[a:Agnt]");
    let found = session.findings(URI, 1);
    let link = &found[0]["codeDescription"]["href"];
    assert_eq!(link, "https://example.org/findings#agent-nothing-declared");
    session.finish();
}

#[test]
fn tools_that_cannot_be_read_are_refused_at_the_start() {
    for (path, expected) in [
        ("-", "the editor speaks there"),
        ("no/such.gram", "there is no such file"),
    ] {
        let mut start = command(&["--tools", path]);
        let output = start.stdin(Stdio::null()).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(output.stdout, b"");
    }
}

#[test]
fn findings_of_a_text_that_came_last_are_sent_also_to_a_client_that_says_no_more() {
    let mut session = Session::open(&[], json!({}));
    session.did_open(URI, 1, "(");
    session.did_open("untitled:Untitled-2", 1, ")");
    session.close_input();
    session.findings(URI, 1);
    session.findings("untitled:Untitled-2", 1);
    assert_eq!(session.ended().code, Some(1));
}
