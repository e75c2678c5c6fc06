//! The project file `agent.gram`: its tools and its style, and changes of it.

use crate::session::Session;
use serde_json::{Value, json};
use std::path::PathBuf;

const AGENT: &str = "[a:Agent {instruction: \"x\", model: \"Acme/1\"} | greet]\n";
const GREET: &str = "[greet:Tool {description: \"Greets\"} |\n  \
                     (user::Object {fields: [{name: \"name\", type: \"Text\"}]})==>(::String)\n]\n";
const PROJECT: &str = "{tools: [\"gram/*.gram\"], style: \"portable\", providers: [\"Acme\"]}\n";

/// A project with a tool file, which is removed when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("agent-lsp-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(path.join("gram")).expect("a folder can be made");
        let folder = Self(path.canonicalize().expect("it is there"));
        folder.write("agent.gram", PROJECT);
        folder.write("gram/greet.gram", GREET);
        folder.write("a.gram", AGENT);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a file can be written");
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.0.join(name).display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn codes(found: &[Value]) -> Vec<&str> {
    let codes = found.iter().map(|finding| finding["code"].as_str());
    codes.map(|code| code.unwrap_or("note")).collect()
}

fn labels(items: &Value) -> Vec<&str> {
    let items = items.as_array().expect("there are items").iter();
    items.filter_map(|item| item["label"].as_str()).collect()
}

#[test]
#[cfg(unix)]
fn a_document_names_the_tools_of_its_project() {
    let folder = Folder::new("names");
    let mut session = Session::open(&[], json!({}));
    let uri = folder.uri("a.gram");
    session.did_open(&uri, 1, AGENT);
    assert_eq!(codes(&session.diagnostics(&uri, 1)), [""; 0]);
    let at = json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 50}});
    let found = session.request("textDocument/definition", at.clone());
    assert!(
        found.to_string().contains(&folder.uri("gram/greet.gram")),
        "{found}"
    );
    let found = session.request("textDocument/hover", at);
    assert!(found.to_string().contains("from `greet.gram`"), "{found}");
    // A text that was never saved has no project.
    let other = "untitled:Untitled-1";
    session.did_open(other, 1, AGENT);
    let found = session.diagnostics(other, 1);
    assert_eq!(
        codes(&found),
        ["agent::unknown-provider", "agent::unknown-tool"]
    );
    session.finish();
}

#[test]
#[cfg(unix)]
fn formats_in_the_style_of_the_project() {
    let folder = Folder::new("style");
    let mut session = Session::open(&[], json!({}));
    let uri = folder.uri("gram/greet.gram");
    session.did_open(&uri, 1, GREET);
    assert_eq!(codes(&session.diagnostics(&uri, 1)), [""; 0]);
    let params =
        json!({"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": true}});
    let edits = session.request("textDocument/formatting", params);
    assert!(
        edits.to_string().contains("fields: {name: \\\"Text\\\"}"),
        "{edits}"
    );
    session.finish();
}

#[test]
#[cfg(unix)]
fn reads_the_project_again_when_a_file_of_it_is_saved() {
    let folder = Folder::new("saved");
    let mut session = Session::open(&[], json!({}));
    let uri = folder.uri("a.gram");
    session.did_open(&uri, 1, AGENT);
    assert_eq!(codes(&session.diagnostics(&uri, 1)), [""; 0]);
    let saved = |session: &mut Session, name: &str| {
        let params = json!({"textDocument": {"uri": folder.uri(name)}});
        session.notify("textDocument/didSave", params);
    };
    folder.write("gram/greet.gram", &GREET.replace("greet", "greets"));
    saved(&mut session, "gram/greet.gram");
    assert_eq!(
        codes(&session.diagnostics(&uri, 1)),
        ["agent::unknown-tool"]
    );
    folder.write(
        "agent.gram",
        "{providers: [\"Acme\"], tool: \"gram/*.gram\"}",
    );
    saved(&mut session, "agent.gram");
    let found = session.diagnostics(&uri, 1);
    assert_eq!(codes(&found), ["note"]);
    let message = found[0]["message"].as_str().expect("a text");
    assert!(
        message.contains("agent.gram:1:23: `tool` is not a property"),
        "{message}"
    );
    session.finish();
}

#[test]
#[cfg(unix)]
fn shows_the_mistakes_of_the_project_file_in_it() {
    let folder = Folder::new("mistakes");
    let mut session = Session::open(&[], json!({}));
    let uri = folder.uri("agent.gram");
    session.did_open(&uri, 1, "{tool: []}");
    let found = session.diagnostics(&uri, 1);
    assert_eq!(codes(&found), ["agent::unknown-property"]);
    for (version, text, expected) in [
        (2, PROJECT, &[][..]),
        (3, "", &["agent::bad-project-file"]),
        (
            4,
            "{style: \"list\"}\n[t:Tool {description: \"d\"} | ()==>(::Null)]",
            &["agent::bad-project-file"],
        ),
        (5, "{tools: \"other/*.gram\"}", &["agent::bad-value"]),
        (6, "{style: \"lists\"}", &["agent::bad-value"]),
    ] {
        session.did_change(&uri, version, json!([{"text": text}]));
        let found = session.diagnostics(&uri, version);
        assert_eq!(codes(&found), expected, "{text}");
    }
    session.finish();
}

#[test]
#[cfg(unix)]
fn reads_the_project_again_when_the_client_reports_changes_of_its_files() {
    let folder = Folder::new("watched");
    let mut session = Session::open(&[], json!({}));
    let (uri, project) = (folder.uri("a.gram"), folder.uri("agent.gram"));
    session.did_open(&uri, 1, AGENT);
    assert_eq!(codes(&session.diagnostics(&uri, 1)), [""; 0]);
    let changed = |session: &mut Session, name: &str, kind: u32| {
        let params = json!({"changes": [{"uri": folder.uri(name), "type": kind}]});
        session.notify("workspace/didChangeWatchedFiles", params);
    };
    std::fs::remove_file(folder.0.join("agent.gram")).expect("it is there");
    changed(&mut session, "agent.gram", 3);
    assert_eq!(
        codes(&session.diagnostics(&uri, 1)),
        ["agent::unknown-provider", "agent::unknown-tool"]
    );
    // The file is there again, and names files that are not there yet.
    let text = "{tools: \"more/*.gram\", providers: \"Acme\"}";
    folder.write("agent.gram", text);
    changed(&mut session, "agent.gram", 1);
    let found = session.diagnostics(&uri, 1);
    assert_eq!(codes(&found), ["note"]);
    assert!(
        found[0].to_string().contains("names no file"),
        "{}",
        found[0]
    );
    session.did_open(&project, 1, text);
    assert_eq!(
        codes(&session.diagnostics(&project, 1)),
        ["agent::bad-value"]
    );
    std::fs::create_dir(folder.0.join("more")).expect("a folder can be made");
    folder.write("more/greet.gram", GREET);
    // Both documents are checked again, in any order.
    for document in [&uri, &project] {
        changed(&mut session, "more/greet.gram", 1);
        assert_eq!(codes(&session.diagnostics(document, 1)), [""; 0]);
    }
    session.finish();
}

#[test]
#[cfg(unix)]
fn explains_and_completes_the_settings_of_the_project_file() {
    let folder = Folder::new("settings");
    let mut session = Session::open(&[], json!({}));
    let text = "{tools: [], style: \"\", }";
    for (name, has_settings) in [("agent.gram", true), ("gram/agents.gram", false)] {
        let uri = folder.uri(name);
        session.did_open(&uri, 1, text);
        let mut ask = |request: &str, character: u32| {
            let position = json!({"line": 0, "character": character});
            let params = json!({"textDocument": {"uri": uri}, "position": position});
            session.request(request, params)["result"].take()
        };
        let hover = ask("textDocument/hover", 13);
        let keys = ask("textDocument/completion", 23);
        let styles = ask("textDocument/completion", 20);
        if has_settings {
            assert!(
                hover.to_string().contains("The form of record types"),
                "{hover}"
            );
            assert_eq!(labels(&keys), ["providers", "models"]);
            assert_eq!(labels(&styles), ["list", "portable"]);
        } else {
            assert_eq!(
                [hover, keys, styles],
                [Value::Null, Value::Null, Value::Null]
            );
        }
    }
    session.finish();
}

#[test]
#[cfg(unix)]
fn models_of_the_project_are_read_again_when_they_are_saved() {
    let folder = Folder::new("models");
    let models = "[Anthropic:Catalog | [claude-sonnet-5:Model {temperature: \"always\"}]]\n";
    folder.write("models.gram", models);
    folder.write("agent.gram", "{models: [\"models.gram\"]}\n");
    let agent =
        "[a:Agent {instruction: \"x\", model: \"Anthropic/claude-sonnet-5\", temperature: 0.5}]\n";
    let mut session = Session::open(&[], json!({}));
    let uri = folder.uri("b.gram");
    session.did_open(&uri, 1, agent);
    assert_eq!(codes(&session.diagnostics(&uri, 1)), [""; 0]);
    folder.write("models.gram", &models.replace("always", "never"));
    let params = json!({"textDocument": {"uri": folder.uri("models.gram")}});
    session.notify("textDocument/didSave", params);
    assert_eq!(
        codes(&session.diagnostics(&uri, 1)),
        ["agent::refused-setting"]
    );
    session.finish();
}
