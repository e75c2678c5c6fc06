//! Settings from the command line and the environment.

use crate::session::{Session, command};
use serde_json::json;
use std::process::Stdio;

const URI: &str = "untitled:Untitled-1";

#[test]
fn codes_link_to_the_published_page() {
    let mut start = command(&[]);
    start.env("AGENT_DOCS_URL", "https://example.org/findings");
    let mut session = Session::run(start);
    session.initialize(json!({}));
    session.did_open(URI, 1, "[a:Agnt]");
    let found = session.diagnostics(URI, 1);
    let link = &found[0]["codeDescription"]["href"];
    assert_eq!(link, "https://example.org/findings#agent-nothing-declared");
    session.finish();
}

#[test]
fn refuses_to_start_if_tool_files_cannot_be_read() {
    for (path, expected) in [
        ("-", "the editor uses standard input"),
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
fn sends_the_last_diagnostics_after_the_end_of_input() {
    let mut session = Session::open(&[], json!({}));
    session.did_open(URI, 1, "(");
    session.did_open("untitled:Untitled-2", 1, ")");
    session.close_input();
    session.diagnostics(URI, 1);
    session.diagnostics("untitled:Untitled-2", 1);
    assert_eq!(session.ended().code, Some(1));
}
