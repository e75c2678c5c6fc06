//! From `initialize` to `exit`, in the right order and in wrong orders.

use crate::session::Session;
use serde_json::json;

const NOT_INITIALIZED: i64 = -32002;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

#[test]
fn checks_a_document_after_each_change() {
    let mut session = Session::open(&["--stdio"], json!({}));
    let uri = "untitled:Untitled-1";
    session.did_open(uri, 1, "[a:Agnt]\n");
    let found = session.diagnostics(uri, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["source"], "agent");
    let range = json!({"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 7}});
    session.did_change(uri, 2, json!([{"range": range, "text": "X"}]));
    session.diagnostics(uri, 2);
    session.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    let message = session.next();
    assert_eq!(message["params"]["diagnostics"], json!([]));
    session.finish();
}

#[test]
fn refuses_requests_out_of_order_and_serves_later_ones() {
    let mut session = Session::start(&[]);
    let code = |answer: &serde_json::Value| answer["error"]["code"].as_i64();
    let answer = session.request("textDocument/formatting", json!({}));
    assert_eq!(code(&answer), Some(NOT_INITIALIZED));
    // Notifications before `initialize` are ignored, except `exit`.
    session.did_open("untitled:a", 1, "(");
    let result = session.initialize(json!({}));
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    let answer = session.request("initialize", json!({"capabilities": {}}));
    assert_eq!(code(&answer), Some(INVALID_REQUEST));
    let answer = session.request("textDocument/unheardOf", json!({}));
    assert_eq!(code(&answer), Some(METHOD_NOT_FOUND));
    let answer = session.request("textDocument/formatting", json!({"textDocument": 1}));
    assert_eq!(code(&answer), Some(INVALID_PARAMS));
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let params = json!({"textDocument": {"uri": "untitled:a"}, "options": options});
    let answer = session.request("textDocument/formatting", params);
    assert_eq!(code(&answer), Some(INVALID_PARAMS), "{answer}");
    session.notify("$/unheardOf", json!({}));
    session.notify("unheardOf", json!({}));
    let answer = session.request("shutdown", json!(null));
    assert_eq!(answer["result"], json!(null));
    let answer = session.request("shutdown", json!(null));
    assert_eq!(code(&answer), Some(INVALID_REQUEST));
    session.notify("exit", json!(null));
    assert_eq!(session.ended().code, Some(0));
}

#[test]
fn the_exit_code_is_0_only_after_shutdown() {
    for (shutdown, exit, code) in [
        (true, true, 0),
        (true, false, 0),
        (false, true, 1),
        (false, false, 1),
    ] {
        let mut session = Session::open(&[], json!({}));
        if shutdown {
            session.request("shutdown", json!(null));
        }
        if exit {
            session.notify("exit", json!(null));
        }
        session.close_input();
        let ended = session.ended();
        assert_eq!(ended.code, Some(code), "{shutdown} {exit}");
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn a_byte_order_mark_is_one_column_and_no_text() {
    let mut session = Session::open(&[], json!({}));
    for (version, (text, message, column)) in [
        ("\u{feff}", "the document is empty", 0),
        ("\u{feff}[a:Agnt]", "the document declares no agent", 4),
    ]
    .into_iter()
    .enumerate()
    {
        let version = i32::try_from(version).unwrap();
        session.did_open("untitled:a", version, text);
        let found = session.diagnostics("untitled:a", version);
        let shown = found[0]["message"].as_str().unwrap();
        assert!(shown.starts_with(message), "{shown}");
        assert_eq!(found[0]["range"]["start"]["character"], column);
    }
    session.finish();
}

#[test]
fn a_text_that_is_no_message_ends_the_server_with_the_reason() {
    for (bytes, reason) in [
        (&b"hello\r\n\r\n"[..], "malformed header"),
        (b"Content-Length: 1\r\n\r\n{", "malformed LSP payload"),
    ] {
        let mut session = Session::open(&[], json!({}));
        session.raw(bytes);
        let ended = session.ended();
        assert_eq!(ended.code, Some(1));
        assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{}", ended.stderr);
    }
}

#[test]
#[cfg(unix)]
fn ends_when_the_process_of_the_client_is_gone() {
    let mut parent = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .expect("it starts");
    let mut session = Session::start(&[]);
    let params = json!({"processId": parent.id(), "rootUri": null, "capabilities": {}});
    session.request("initialize", params);
    parent.kill().expect("it is there");
    parent.wait().expect("it ends");
    // Its input is still open.
    assert_eq!(session.ended().code, Some(1));
}
