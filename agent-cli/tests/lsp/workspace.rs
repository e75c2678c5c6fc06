//! Workspace folders and their files.

use crate::session::Session;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

const USE: &str = "[a:Agent {instruction: \"x\", model: \"Offline/m\"} | greet]\n";
const GREET: &str = "[greet:Tool {description: \"Greets\"} | ()==>(::String)]\n";

/// Folders, which are removed when the value is dropped.
struct Folders(PathBuf);

impl Folders {
    fn new(name: &str) -> Self {
        let name = format!("agent-lsp-folders-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Writes a file whose last change is some seconds old.
    fn write(&self, name: &str, text: &str, age: u64) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).expect("the folder can be made");
        std::fs::write(&path, text).expect("the file can be written");
        let file = std::fs::File::options()
            .append(true)
            .open(&path)
            .expect("it is there");
        let then = SystemTime::now() - Duration::from_secs(age);
        file.set_modified(then).expect("its time can be set");
    }

    fn uri(&self, name: &str) -> String {
        let path = self.0.join(name);
        let uri = url::Url::from_file_path(path).expect("the path is absolute");
        uri.into()
    }

    /// Starts a server with one of the folders as workspace folder.
    fn session(&self, args: &[&str], root: &str) -> Session {
        let mut session = Session::start(args);
        let params = json!({
            "workspaceFolders": [{"uri": self.uri(root), "name": "it"}],
            "capabilities": {"workspace": {"workspaceEdit": {"documentChanges": true}}},
        });
        session.request("initialize", params);
        session.notify("initialized", json!({}));
        session
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the file and the name of each declaration in the workspace.
fn declared(session: &mut Session) -> Vec<String> {
    let answer = session.request("workspace/symbol", json!({"query": ""}));
    let found = answer["result"].as_array().expect("there is a list");
    let one = |symbol: &Value| {
        let uri = symbol["location"]["uri"].as_str().unwrap();
        let file = uri.rsplit('/').next().unwrap();
        format!("{file}: {}", symbol["name"].as_str().unwrap())
    };
    found.iter().map(one).collect()
}

#[test]
fn adds_and_removes_workspace_folders() {
    let folders = Folders::new("come");
    folders.write("one/one.gram", "[t1:Tool]", 60);
    folders.write("two/two.gram", "[t2:Tool]", 60);
    let mut session = folders.session(&[], "one");
    assert_eq!(declared(&mut session), ["one.gram: t1"]);
    let event = |added: &[&str], removed: &[&str]| {
        let folders = |names: &[&str]| -> Vec<Value> {
            let names = names.iter();
            names
                .map(|name| json!({"uri": folders.uri(name), "name": name}))
                .collect()
        };
        json!({"event": {"added": folders(added), "removed": folders(removed)}})
    };
    let method = "workspace/didChangeWorkspaceFolders";
    session.notify(method, event(&["two", "one"], &[]));
    assert_eq!(declared(&mut session), ["one.gram: t1", "two.gram: t2"]);
    session.notify(method, event(&[], &["one"]));
    assert_eq!(declared(&mut session), ["two.gram: t2"]);
    session.finish();
}

#[test]
fn reads_changed_files_again() {
    let folders = Folders::new("change");
    folders.write("a.gram", "[first:Tool]", 90);
    folders.write("b.gram", "[other:Tool]", 90);
    let mut session = folders.session(&[], "");
    for _ in 0..2 {
        assert_eq!(declared(&mut session), ["a.gram: first", "b.gram: other"]);
    }
    folders.write("a.gram", "[third:Tool]", 60);
    assert_eq!(declared(&mut session), ["a.gram: third", "b.gram: other"]);
    std::fs::remove_file(folders.0.join("b.gram")).expect("it is there");
    assert_eq!(declared(&mut session), ["a.gram: third"]);
    folders.write("b.gram", "[fourth:Tool]", 0);
    assert_eq!(declared(&mut session), ["a.gram: third", "b.gram: fourth"]);
    session.finish();
}

#[test]
fn edits_contain_the_version_of_an_open_document() {
    let folders = Folders::new("versions");
    folders.write("tools.gram", GREET, 60);
    folders.write("a.gram", USE, 60);
    let tools = folders.0.join("tools.gram").display().to_string();
    let mut session = folders.session(&["--tools", &tools], "");
    let uri = folders.uri("a.gram");
    session.did_open(&uri, 7, USE);
    let rename = json!({
        "textDocument": {"uri": uri},
        "position": {"line": 0, "character": USE.find("greet").unwrap()},
        "newName": "welcome",
    });
    let answer = session.request("textDocument/rename", rename);
    let changes = answer["result"]["documentChanges"]
        .as_array()
        .expect("there are some");
    let mut versions: Vec<_> = changes
        .iter()
        .map(|change| &change["textDocument"])
        .collect();
    versions.sort_by_key(|document| document["uri"].to_string());
    let expected = [
        json!({"uri": uri, "version": 7}),
        json!({"uri": folders.uri("tools.gram"), "version": null}),
    ];
    assert_eq!(versions, expected.iter().collect::<Vec<_>>());
    session.finish();
}
