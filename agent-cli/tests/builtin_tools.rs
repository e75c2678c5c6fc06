//! The built-in tools: printing them, and the access that a run grants them.
#![cfg(unix)]

use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, Folder, agent, agent_with_tools, command};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;

/// Runs an agent with these tools in a folder. Its model makes this call.
fn run(folder: &Folder, tool: &'static str, arguments: &'static str, options: &[&str]) -> Value {
    let document = folder.file("agent.gram", agent_with_tools(tool));
    let script = Script::start([Answer::Call(tool, arguments), Answer::Text(&["Done."])]);
    let base_url = script.base_url();
    let args: [&[&str]; 3] = [
        &["run", &document, "Go", "--stream", "--format", "json"],
        &["--base-url", &base_url],
        options,
    ];
    let mut command = command(&args.concat());
    let output = command.current_dir(folder.path()).output();
    let ended = CommandOutput::of(output.expect("the command runs")).expect(0);
    ended.json()["responses"][0]["toolsUsed"][0].clone()
}

#[test]
fn prints_every_tool_that_an_agent_can_name() {
    let gram = agent(&["tools"]).expect(0).stdout;
    for name in [
        "sayHello",
        "sayGoodbye",
        "currentTime",
        "calculator",
        "readFile",
        "writeFile",
        "listDirectory",
        "webSearch",
        "wikipedia",
        "webScraper",
    ] {
        let one = agent(&["tools", name]).expect(0).stdout;
        assert!(one.starts_with(&format!("[{name}:Tool")), "{one}");
        assert!(gram.contains(one.trim_end()), "{name}");
        let folder = Folder::new();
        let referring = folder.file("agent.gram", agent_with_tools(name));
        agent(&["check", &referring]).expect(0);
    }
    let folder = Folder::new();
    agent(&["check", &folder.file("tools.gram", &gram)]).expect(0);
    let unknown = agent(&["tools", "readfile"]).expect(2).stderr;
    assert!(unknown.contains("did you mean `readFile`?"), "{unknown}");
}

#[test]
fn reads_only_the_current_folder() {
    let (folder, other) = (Folder::new(), Folder::new());
    folder.file("note.txt", "Remember.");
    let canary = other.file("canary.txt", "secret");
    let read = run(&folder, "readFile", r#"{"path": "note.txt"}"#, &[]);
    assert_eq!(read["result"], json!({"content": "Remember.", "size": 9}));
    let path = format!(r#"{{"path": "{canary}"}}"#).leak();
    let refused = run(&folder, "readFile", path, &[]);
    let error = refused["error"].to_string();
    assert!(
        error.contains("canary.txt`; granted for reading: `.`"),
        "{error}"
    );
    let read = run(&folder, "readFile", path, &["--allow-read", &other.path()]);
    assert_eq!(read["result"]["content"], "secret");
}

#[test]
fn writes_only_in_granted_folders() {
    let folder = Folder::new();
    let arguments = r#"{"path": "out/note.txt", "content": "Hi", "createParents": true}"#;
    let refused = run(&folder, "writeFile", arguments, &[]);
    let error = refused["error"].to_string();
    assert!(error.contains("granted for writing: nothing"), "{error}");
    let written = run(&folder, "writeFile", arguments, &["--allow-write", "."]);
    assert_eq!(written["result"], json!({"bytesWritten": 2}));
    let file = format!("{}/out/note.txt", folder.path());
    assert_eq!(fs::read_to_string(file).expect("it is there"), "Hi");
}

#[test]
fn contacts_only_granted_hosts() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let host = listener.local_addr().expect("an address").to_string();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let _ = stream.read(&mut [0; 4096]);
        let page = "<title>News</title><p>Rain.";
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close";
        let length = page.len();
        write!(stream, "{head}\r\ncontent-length: {length}\r\n\r\n{page}").expect("an answer");
    });
    let folder = Folder::new();
    let arguments = format!(r#"{{"url": "http://{host}/"}}"#).leak();
    let refused = run(&folder, "webScraper", arguments, &["--allow-net", "*"]);
    let error = refused["error"].to_string();
    assert!(error.contains("not public"), "{error}");
    let page = run(&folder, "webScraper", arguments, &["--allow-net", &host]);
    assert_eq!(page["result"]["text"], "Rain.");
    assert_eq!(page["result"]["title"], "News");
    server.join().expect("the one connection");
}

#[test]
fn a_document_narrows_the_grants_of_its_run() {
    let folder = Folder::new();
    folder.file("note.txt", "Remember.");
    let document =
        "[a:Agent {instruction: \"i\", model: \"OpenAI/m\", grants: {network: \"*\"}} | readFile]";
    let document = folder.file("agent.gram", document);
    let script = Script::start([
        Answer::Call("readFile", r#"{"path": "note.txt"}"#),
        Answer::Text(&["Done."]),
    ]);
    let base_url = script.base_url();
    let args = ["run", &document, "Go", "--stream", "--base-url", &base_url];
    let output = command(&args).current_dir(folder.path()).output();
    let shown = CommandOutput::of(output.expect("the command runs"))
        .expect(0)
        .stdout;
    assert!(shown.contains("granted for reading: nothing"), "{shown}");
}

#[test]
fn a_search_without_a_key_is_a_configuration_error() {
    let folder = Folder::new();
    let document = folder.file("agent.gram", agent_with_tools("webSearch"));
    let told = agent(&["run", &document, "Go", "--offline"])
        .expect(2)
        .stderr;
    assert!(
        told.contains("BRAVE_API_KEY") && told.contains("SEARXNG_URL"),
        "{told}"
    );
}

#[test]
fn rejects_invalid_grants() {
    let run = |option: &str, value: &str| {
        let args = ["run", "agents/hello.gram", "Hi", "--offline", option, value];
        agent(&args).expect(2).stderr
    };
    for (option, value, reason) in [
        ("--allow-read", "no-such-folder", "cannot be granted"),
        ("--allow-write", "agents/hello.gram", "no folder"),
        (
            "--allow-net",
            "https://example.org/",
            "the host alone is granted",
        ),
        ("--allow-env", "A=b", "no name of a variable"),
    ] {
        let told = run(option, value);
        assert!(told.contains(reason) && told.contains(value), "{told}");
    }
}
