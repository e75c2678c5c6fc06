//! What is no message, or one that nobody should send.

use crate::session::{Session, framed};
use serde_json::{Value, json};

/// A server that has opened a document, which must still be served after what comes now.
fn session() -> Session {
    let mut session = Session::open(&[], json!({}));
    session.did_open("untitled:a", 1, "[a:Agent]");
    session.findings("untitled:a", 1);
    session
}

/// Opens the document again, whose text may be lost, and asks something that has an answer then whatever
/// came before.
fn is_served_again(session: &mut Session) -> bool {
    session.did_open("untitled:a", 1, "[a:Agent]");
    is_served(session)
}

fn is_served(session: &mut Session) -> bool {
    let params = json!({
        "textDocument": {"uri": "untitled:a"}, "options": {"tabSize": 2, "insertSpaces": true},
    });
    let answer = session.request("textDocument/formatting", params);
    answer["result"].is_array()
}

#[test]
fn what_is_no_message_is_answered_and_the_next_one_served() {
    let mut session = session();
    for (body, id, code) in [
        (&b"{"[..], Value::Null, -32700),
        (b"", Value::Null, -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xfe\"}",
            Value::Null,
            -32700,
        ),
        (b"[]", Value::Null, -32600),
        (b"null", Value::Null, -32600),
        (b"{\"id\":9,\"method\":[]}", json!(9), -32600),
        (b"{\"id\":1.5,\"method\":\"shutdown\"}", Value::Null, -32600),
        (
            b"{\"id\":9,\"method\":\"textDocument/hoover\"}",
            json!(9),
            -32601,
        ),
        (
            b"{\"id\":9,\"method\":\"textDocument/formatting\",\"params\":[1]}",
            json!(9),
            -32602,
        ),
        (
            b"{\"id\":9,\"method\":\"textDocument/formatting\"}",
            json!(9),
            -32602,
        ),
    ] {
        let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        assert!(session.raw(&bytes));
        let answer = session.wait_for(|message| message.get("error").is_some());
        let shown = String::from_utf8_lossy(body);
        assert_eq!(answer["id"], id, "{shown}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert!(is_served_again(&mut session), "{shown}");
    }
    session.finish();
}

#[test]
fn a_message_that_is_too_long_is_answered_and_the_next_one_served() {
    let mut session = session();
    let text = "x".repeat(70 << 20);
    session.did_open("untitled:b", 1, &text);
    let answer = session.next();
    assert_eq!(answer["error"]["code"], -32600);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("64 MiB"), "{message}");
    assert!(is_served_again(&mut session));
    session.finish();
}

#[test]
fn a_server_that_lost_its_place_says_why_and_ends() {
    for (bytes, reason) in [
        (&b"hello\r\n\r\n"[..], "found the line \"hello\""),
        (b"\r\n\r\n", "a header without a length"),
        (
            b"Content-Length: 1000000000000000000\r\n\r\n{}",
            "the length \"1000000000000000000\"",
        ),
        (b"Content-Length: -5\r\n\r\n{}", "the length \"-5\""),
        (
            b"Content-Length: 100\r\n\r\n{}",
            "the input ended within a message",
        ),
        // What is left of the message is taken for the next header.
        (
            b"Content-Length: 1\r\n\r\n{}\r\n\r\n",
            "may have told a wrong number",
        ),
        (b"\xff\xfe\x00\r\n\r\n", "found the line"),
    ] {
        let mut session = session();
        session.raw(bytes);
        session.close_input();
        let ended = session.ended();
        let shown = String::from_utf8_lossy(bytes);
        assert_eq!(ended.code, Some(1), "{shown}");
        assert!(ended.stderr.contains(reason), "{shown}: {}", ended.stderr);
        assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
    }
}

#[test]
fn notifications_that_make_no_sense_are_logged_or_dropped() {
    let mut session = session();
    let range = |from: [i64; 2], to: [i64; 2]| {
        json!({
            "start": {"line": from[0], "character": from[1]},
            "end": {"line": to[0], "character": to[1]},
        })
    };
    // Ranges beyond the text, and from its end to its start, mean what is nearest.
    let changes = json!([
        {"range": range([9, 9], [8, 8]), "text": "]"},
        {"range": range([0, 99], [0, 0]), "text": "[b:Agent]"},
        {"range": range([4_294_967_295, 4_294_967_295], [4_294_967_295, 0]), "text": "\n"},
    ]);
    session.did_change("untitled:a", 2, changes);
    assert_eq!(
        session.findings("untitled:a", 2).len(),
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
    // A change that cannot be read leaves a text that only the client knows.
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
fn an_answer_that_cannot_be_read_gets_none() {
    let mut session = session();
    for answer in [
        json!({"id": null, "error": {"code": 1, "message": "no"}}),
        json!({"id": 1.5, "result": null}),
        json!({"result": null}),
    ] {
        session.send(&answer);
        let id = session.ask("shutdown-not", json!({}));
        let next = session.next();
        assert_eq!(next["id"], id, "{answer}: {next}");
    }
    session.finish();
}

#[test]
fn a_request_that_was_taken_back_in_time_is_not_worked_on() {
    let mut session = session();
    // All at once, so that the second waits while the first is read.
    let mut bytes = Vec::new();
    let text = "(".repeat(2 << 20);
    let document = json!({"uri": "untitled:b", "languageId": "gram", "version": 1, "text": text});
    for message in [
        json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}),
        json!({"id": 77, "method": "textDocument/formatting", "params": {
            "textDocument": {"uri": "untitled:b"}, "options": {"tabSize": 2, "insertSpaces": true},
        }}),
        json!({"id": 78, "method": "textDocument/formatting", "params": {
            "textDocument": {"uri": "untitled:b"}, "options": {"tabSize": 2, "insertSpaces": true},
        }}),
        json!({"method": "$/cancelRequest", "params": {"id": 78}}),
        json!({"method": "$/cancelRequest", "params": {"id": "never heard of"}}),
        json!({"method": "$/cancelRequest", "params": null}),
    ] {
        bytes.extend(framed(&message.to_string()));
    }
    session.raw(&bytes);
    session.wait_for(|message| message["id"] == 77);
    let answer = session.wait_for(|message| message["id"] == 78);
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    session.finish();
}
