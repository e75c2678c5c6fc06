//! Messages that a client should not send, and messages that the server may ignore.

use crate::session::{Session, framed};
use serde_json::{Value, json};

/// Starts a server and opens a document.
fn session() -> Session {
    let mut session = Session::open(&[], json!({}));
    session.did_open("untitled:a", 1, "[a:Agent]");
    session.diagnostics("untitled:a", 1);
    session
}

/// Returns whether the server formats the document.
fn is_served(session: &mut Session) -> bool {
    let params = json!({
        "textDocument": {"uri": "untitled:a"}, "options": {"tabSize": 2, "insertSpaces": true},
    });
    let answer = session.request("textDocument/formatting", params);
    answer["result"].is_array()
}

#[test]
fn answers_requests_with_an_unknown_method_or_invalid_params_with_an_error() {
    let mut session = session();
    for (request, code) in [
        (json!({"id": 9, "method": "textDocument/hoover"}), -32601),
        (
            json!({"id": 9, "method": "textDocument/formatting", "params": [1]}),
            -32602,
        ),
        (
            json!({"id": 9, "method": "textDocument/formatting"}),
            -32602,
        ),
        (
            json!({"id": "nine", "method": "textDocument/hover"}),
            -32602,
        ),
    ] {
        session.send(&request);
        let answer = session.next();
        assert_eq!(answer["id"], request["id"], "{request}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{request}: {answer}");
        assert!(is_served(&mut session), "{request}");
    }
    session.finish();
}

#[test]
fn logs_or_ignores_invalid_notifications() {
    let mut session = session();
    let range = |from: [i64; 2], to: [i64; 2]| {
        json!({
            "start": {"line": from[0], "character": from[1]},
            "end": {"line": to[0], "character": to[1]},
        })
    };
    // Ranges beyond the text are rounded, and reversed ranges are swapped.
    let changes = json!([
        {"range": range([9, 9], [8, 8]), "text": "]"},
        {"range": range([0, 99], [0, 0]), "text": "[b:Agent]"},
        {"range": range([4_294_967_295, 4_294_967_295], [4_294_967_295, 0]), "text": "\n"},
    ]);
    session.did_change("untitled:a", 2, changes);
    assert_eq!(
        session.diagnostics("untitled:a", 2).len(),
        2,
        "an agent lacks two"
    );
    let is_log = |message: &Value| message["method"] == "window/logMessage";
    session.did_change("untitled:unknown", 2, json!([]));
    let log = session.wait_for(is_log);
    let text = log["params"]["message"].as_str().unwrap();
    assert!(text.contains("untitled:unknown"), "{text}");
    session.notify("textDocument/didOpen", json!({"textDocument": {"uri": 5}}));
    session.wait_for(is_log);
    session.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": "untitled:unknown"}}),
    );
    session.did_change(
        "untitled:a",
        3,
        json!([{"range": range([-1, 0], [0, 0]), "text": "x"}]),
    );
    session.wait_for(is_log);
    assert!(is_served(&mut session));
    session.finish();
}

#[test]
fn ignores_responses_and_cancellations() {
    let mut session = session();
    let mut bytes = Vec::new();
    let formatting = json!({"id": 77, "method": "textDocument/formatting", "params": {
        "textDocument": {"uri": "untitled:a"}, "options": {"tabSize": 2, "insertSpaces": true},
    }});
    for message in [
        json!({"id": 7, "result": null}),
        json!({"id": "x", "error": {"code": 1, "message": "no"}}),
        formatting,
        json!({"method": "$/cancelRequest", "params": {"id": 77}}),
        json!({"method": "$/cancelRequest", "params": {"id": "unknown"}}),
        json!({"method": "$/cancelRequest", "params": null}),
    ] {
        bytes.extend(framed(&message.to_string()));
    }
    session.raw(&bytes);
    let answer = session.next();
    assert_eq!(answer["id"], 77, "{answer}");
    assert!(answer["result"].is_array(), "{answer}");
    assert!(is_served(&mut session));
    session.finish();
}
