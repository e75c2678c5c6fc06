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
    // After an invalid change only the client knows the text.
    session.did_change(
        "untitled:a",
        3,
        json!([{"range": range([-1, 0], [0, 0]), "text": "x"}]),
    );
    session.wait_for(is_log);
    let message = session.next();
    assert_eq!(
        message["params"],
        json!({"uri": "untitled:a", "diagnostics": []})
    );
    assert!(!is_served(&mut session));
    session.did_change("untitled:a", 4, json!([{"text": "[a:Agent]"}]));
    assert!(is_served(&mut session));
    session.finish();
}

#[test]
fn an_invalid_change_puts_a_document_out_of_sync_until_its_whole_text_is_sent() {
    let mut session = Session::open(&[], json!({}));
    session.did_open("untitled:a", 1, "[a:Agnt]");
    assert_eq!(session.diagnostics("untitled:a", 1).len(), 1);
    session.did_change("untitled:a", 2, json!([{"text": 5}]));
    assert_eq!(session.next()["method"], "window/logMessage");
    let retracted = json!({"uri": "untitled:a", "diagnostics": []});
    assert_eq!(session.next()["params"], retracted);
    let start = json!({"line": 0, "character": 0});
    let insert = json!({"range": {"start": start, "end": start}, "text": "x"});
    session.did_change("untitled:a", 3, json!([insert]));
    let formatting = json!({
        "textDocument": {"uri": "untitled:a"}, "options": {"tabSize": 2, "insertSpaces": true},
    });
    let answer = session.request("textDocument/formatting", formatting.clone());
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("open it again"), "{message}");
    session.did_change(
        "untitled:a",
        4,
        json!([insert, {"text": "[a:Agnt]"}, insert]),
    );
    let found = session.diagnostics("untitled:a", 4);
    assert_eq!(found[0]["range"]["start"]["character"], 0, "{found:?}");
    let answer = session.request("textDocument/formatting", formatting);
    assert!(answer.get("result").is_some(), "{answer}");
    session.finish();
}

#[test]
fn answers_a_text_that_is_no_message_with_an_error() {
    let mut session = session();
    for (body, code) in [("{}", -32600), ("{\"id\": 5}", -32600)] {
        session.raw(&framed(body));
        let answer = session.next();
        assert_eq!(answer["id"], Value::Null, "{answer}");
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(is_served(&mut session), "{body}");
    }
    session.finish();
}

#[test]
fn an_unreadable_text_puts_documents_out_of_sync_because_it_may_be_a_change() {
    let mut session = session();
    let batch = "[{\"method\": \"textDocument/didChange\"}]";
    for (version, (body, code)) in [("{", -32700), (batch, -32600)].into_iter().enumerate() {
        session.raw(&framed(body));
        let retracted = json!({"uri": "untitled:a", "diagnostics": []});
        assert_eq!(session.next()["params"], retracted);
        let answer = session.next();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(!is_served(&mut session), "{body}");
        let version = i32::try_from(version).expect("small") + 2;
        session.did_change("untitled:a", version, json!([{"text": "[a:Agent]"}]));
        session.diagnostics("untitled:a", version);
        assert!(is_served(&mut session), "{body}");
    }
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
