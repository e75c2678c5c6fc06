//! What the command line and the environment say.

use crate::session::{Session, command};
use serde_json::json;
use std::process::Stdio;

const URI: &str = "untitled:Untitled-1";
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
