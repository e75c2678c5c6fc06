//! Changes of the files of `--tools`, and checks while these files have errors.

use crate::session::Session;
use serde_json::{Value, json};
use std::path::PathBuf;

const URI: &str = "untitled:Untitled-1";
const AGENT: &str = "[a:Agent {instruction: \"x\", model: \"Acme/1\"} | greet]\n";
const GREET: &str = "[greet:Tool {description: \"Greets\"} | ()==>(::String)]\n";

/// A tool file, which is removed when the value is dropped.
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
    codes.map(|code| code.unwrap_or("note")).collect()
}

#[test]
#[cfg(unix)]
fn reads_a_tool_file_again_when_it_is_saved() {
    let file = ToolFile::new("saved", "");
    let args = ["--tools", file.path(), "--provider", "Acme"];
    let mut session = Session::start(&args);
    let watches = json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    session.initialize(watches);
    // A file without declarations is an error.
    let method = |name: &'static str| move |message: &Value| message["method"] == name;
    let shown = session.wait_for(method("window/showMessage"));
    let text = shown["params"]["message"].as_str().unwrap();
    let place = format!("{}:1:1: the document is empty", file.path());
    assert!(text.contains(&place), "{text}");
    let asked = session.wait_for(method("client/registerCapability"));
    let watchers = &asked["params"]["registrations"][0]["registerOptions"]["watchers"];
    let glob = watchers[0]["globPattern"].as_str().unwrap();
    assert!(file.path().ends_with(&glob["**/".len()..]), "{glob}");
    session.did_open(URI, 1, AGENT);
    assert_eq!(codes(&session.diagnostics(URI, 1)), ["note"]);
    file.write(GREET);
    session.notify(
        "textDocument/didSave",
        json!({"textDocument": {"uri": file.uri()}}),
    );
    assert_eq!(codes(&session.diagnostics(URI, 1)), [""; 0]);
    file.write(&GREET.replace("greet", "greets"));
    let changes = json!({"changes": [{"uri": file.uri(), "type": 2}]});
    session.notify("workspace/didChangeWatchedFiles", changes);
    let found = session.diagnostics(URI, 1);
    assert_eq!(codes(&found), ["agent::unknown-tool"]);
    // A change of another file is ignored.
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
#[cfg(unix)]
fn checks_only_the_notation_of_other_documents_while_a_tool_file_has_errors() {
    let file = ToolFile::new(
        "wrong",
        "[greet:Tool {description: \"Greets\"} | ()==>(::Strin)]\n",
    );
    let mut session = Session::open(&["--tools", file.path()], json!({}));
    session.did_open(
        &file.uri(),
        1,
        &std::fs::read_to_string(file.path()).unwrap(),
    );
    let found = session.diagnostics(&file.uri(), 1);
    assert_eq!(codes(&found), ["agent::unknown-type"]);
    session.did_open(URI, 1, "[a:Agent | greet, nothing");
    let found = session.diagnostics(URI, 1);
    assert_eq!(codes(&found), ["gram::unclosed", "note"]);
    let note = &found[1];
    assert_eq!(
        (&note["severity"], &note["range"]["start"]["line"]),
        (&json!(3), &json!(0))
    );
    let message = note["message"].as_str().unwrap();
    let place = format!("{}:1:47: `Strin` is not a type (1 error)", file.path());
    assert!(message.contains(&place), "{message}");
    session.finish();
}

#[test]
#[cfg(unix)]
fn shows_an_error_when_a_tool_file_is_deleted() {
    let file = ToolFile::new("gone", GREET);
    let mut session = Session::open(&["--tools", file.path(), "--provider", "Acme"], json!({}));
    session.did_open(URI, 1, AGENT);
    assert_eq!(codes(&session.diagnostics(URI, 1)), [""; 0]);
    std::fs::remove_file(file.path()).expect("it is there");
    let changes = json!({"changes": [{"uri": file.uri(), "type": 3}]});
    session.notify("workspace/didChangeWatchedFiles", changes.clone());
    let shown = session.wait_for(|message| message["method"] == "window/showMessage");
    let text = shown["params"]["message"].as_str().unwrap();
    assert!(text.contains("there is no such file"), "{text}");
    assert_eq!(codes(&session.diagnostics(URI, 1)), ["note"]);
    file.write(GREET);
    session.notify("workspace/didChangeWatchedFiles", changes);
    assert_eq!(codes(&session.diagnostics(URI, 1)), [""; 0]);
    session.finish();
}

#[test]
#[cfg(unix)]
fn uses_the_open_text_of_a_tool_file_once_it_has_no_errors() {
    let file = ToolFile::new("open", GREET);
    let mut session = Session::open(&["--tools", file.path(), "--provider", "Acme"], json!({}));
    session.did_open(URI, 1, AGENT);
    assert_eq!(codes(&session.diagnostics(URI, 1)), [""; 0]);
    session.did_open(&file.uri(), 1, GREET);
    session.diagnostics(&file.uri(), 1);
    let renamed = GREET.replace("greet", "greets");
    session.did_change(&file.uri(), 2, json!([{"text": renamed}]));
    assert_eq!(codes(&session.diagnostics(URI, 1)), ["agent::unknown-tool"]);
    // With errors in the open text the tools stay as they were, so the other document is not checked again.
    session.did_change(&file.uri(), 3, json!([{"text": "[greet:Too"}]));
    assert_ne!(codes(&session.diagnostics(&file.uri(), 3)), [""; 0]);
    session.did_change(URI, 2, json!([{"text": AGENT}]));
    assert_eq!(codes(&session.diagnostics(URI, 2)), ["agent::unknown-tool"]);
    // The saved file is used if it is written meanwhile.
    file.write(&format!("{GREET} "));
    let changes = json!({"changes": [{"uri": file.uri(), "type": 2}]});
    session.notify("workspace/didChangeWatchedFiles", changes);
    assert_eq!(codes(&session.diagnostics(URI, 2)), [""; 0]);
    session.did_change(&file.uri(), 4, json!([{"text": renamed}]));
    assert_eq!(codes(&session.diagnostics(URI, 2)), ["agent::unknown-tool"]);
    // The file is used again, because the text was not saved.
    session.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": file.uri()}}),
    );
    assert_eq!(codes(&session.diagnostics(URI, 2)), [""; 0]);
    session.finish();
}
