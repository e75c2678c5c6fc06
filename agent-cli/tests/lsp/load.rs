//! Long documents, many diagnostics, many edits, and a client that closes its input.

use crate::session::{Session, command, framed, read_message};
use serde_json::json;
use std::io::{BufReader, Read, Write};

/// Returns a document of at least so many bytes without errors.
fn long_document(bytes: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&format!(
            "[tool{number}:Tool {{description: \"Does 👋🏽 e\u{301} number {number}\"}} |\r\n  \
             (given::Text)==>(::String)\r\n]\r\n"
        ));
    }
    text
}

#[test]
fn checks_and_edits_a_document_of_ten_megabytes() {
    let mut session = Session::open(&[], json!({}));
    let uri = "file:///long.gram";
    session.did_open(uri, 1, &long_document(10 << 20));
    assert_eq!(session.diagnostics(uri, 1), Vec::<serde_json::Value>::new());
    let end = json!({"line": 1_000_000, "character": 0});
    let at = |line, character| json!({"line": line, "character": character});
    let changes = json!([
        {"range": {"start": end, "end": end}, "text": "[last:Tool]"},
        {"range": {"start": at(1, 10), "end": at(1, 14)}, "text": "Txt"},
    ]);
    session.did_change(uri, 2, changes);
    let found = session.diagnostics(uri, 2);
    assert_eq!(
        found[0]["range"],
        json!({"start": at(1, 10), "end": at(1, 13)}),
        "{found:?}"
    );
    session.did_change(uri, 3, json!([{"text": "[ a ]"}]));
    session.diagnostics(uri, 3);
    session.finish();
}

#[test]
fn sends_a_thousand_diagnostics_and_counts_the_rest() {
    let mut session = Session::open(&[], json!({}));
    for (uri, separator) in [("untitled:lines", "\n"), ("untitled:one-line", " ")] {
        let tool = |number| format!("[t{number}:Tool {{description: \"👋\"}}]{separator}");
        let text: String = (0..3000).map(tool).collect();
        session.did_open(uri, 1, &text);
        let found = session.diagnostics(uri, 1);
        assert_eq!(found.len(), 1001);
        let last = found[1000]["message"].as_str().unwrap();
        assert!(last.starts_with("2000 more findings"), "{last}");
    }
    session.finish();
}

#[test]
fn sends_the_symbols_of_the_workspace_and_first_those_that_match_best() {
    let mut session = Session::open(&[], json!({}));
    let tool = |number| format!("[get{number}:Tool {{description: \"a\"}}]\n");
    let text: String = (0..3000).map(tool).collect();
    session.did_open(
        "untitled:a",
        1,
        &(text + "[g0:Tool] [a1:Agent] [get_1:Tool]"),
    );
    session.diagnostics("untitled:a", 1);
    let mut found = |query: &str| -> Vec<String> {
        let answer = session.request("workspace/symbol", json!({"query": query}));
        let symbols = answer["result"].as_array().expect("a list").iter();
        let names = symbols.map(|symbol| symbol["name"].as_str().unwrap_or_default().to_owned());
        names.collect()
    };
    let all = found("");
    assert_eq!((all.len(), all[999].as_str()), (3003, "get999"));
    let best = found("g0");
    assert_eq!(best[..2], ["g0", "get0"]);
    assert_eq!(found("ET_1"), ["get_1"]);
    assert_eq!(found("GET2999"), ["get2999"]);
    session.finish();
}

#[test]
fn does_not_check_a_document_that_is_too_long() {
    let mut session = Session::open(&[], json!({}));
    session.did_open("untitled:a", 1, &"(a)\n".repeat(9 << 20));
    let found = session.diagnostics("untitled:a", 1);
    assert_eq!(found.len(), 1);
    assert!(found[0]["message"].as_str().unwrap().contains("32 MiB"));
    session.did_change("untitled:a", 2, json!([{"text": "[a:Agent]"}]));
    assert_eq!(session.diagnostics("untitled:a", 2).len(), 2);
    session.finish();
}

#[test]
fn sends_the_diagnostics_of_the_last_text_after_a_burst_of_edits() {
    let mut session = Session::open(&[], json!({}));
    session.did_open("untitled:a", 0, "");
    let mut bytes = Vec::new();
    for version in 1..=1000 {
        let start = json!({"line": 0, "character": version - 1});
        let change = json!({"range": {"start": start, "end": start}, "text": "("});
        let document = json!({"uri": "untitled:a", "version": version});
        let params = json!({"textDocument": document, "contentChanges": [change]});
        let message = json!({"method": "textDocument/didChange", "params": params});
        bytes.extend(framed(&message.to_string()));
    }
    session.raw(&bytes);
    let found = session.diagnostics("untitled:a", 1000);
    let mut checked = Session::open(&[], json!({}));
    checked.did_open("untitled:a", 1, &"(".repeat(1000));
    assert_eq!(found, checked.diagnostics("untitled:a", 1));
    session.finish();
}

#[test]
fn answers_a_client_that_reads_only_after_it_has_written() {
    let mut child = command(&[]).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    let mut send = |message: serde_json::Value| {
        let message = framed(&message.to_string());
        stdin.write_all(&message).expect("the server reads");
    };
    send(json!({"id": 0, "method": "initialize", "params": {"capabilities": {}}}));
    send(json!({"method": "initialized", "params": {}}));
    let document = json!({"uri": "untitled:a", "languageId": "gram", "version": 1,
        "text": long_document(100_000)});
    send(json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}));
    // Each pipe holds 64 KiB: these are 2 MB of messages, with more in answer.
    let params = json!({"textDocument": {"uri": "untitled:a"}, "padding": "-".repeat(20_000)});
    for id in 1..=100 {
        let method = "textDocument/documentSymbol";
        send(json!({"id": id, "method": method, "params": params}));
    }
    send(json!({"id": 101, "method": "shutdown"}));
    send(json!({"method": "exit"}));
    let mut stdout = BufReader::new(child.stdout.take().expect("its output is a pipe"));
    let messages = std::iter::from_fn(|| read_message(&mut stdout));
    let answered: Vec<i64> = messages
        .filter_map(|message| message["id"].as_i64())
        .collect();
    assert!(answered.iter().copied().eq(0..=101), "{answered:?}");
    assert!(child.wait().expect("the command ends").success());
}

#[test]
fn ends_without_a_message_when_the_client_closes_its_input() {
    let mut child = command(&[]).spawn().expect("the command starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    // The server may end when it sends the first response, before all requests are written.
    for _ in 0..100 {
        let message = json!({"id": 1, "method": "x"}).to_string();
        if stdin.write_all(&framed(&message)).is_err() {
            break;
        }
    }
    let mut stderr = String::new();
    let mut errors = child.stderr.take().expect("its errors are a pipe");
    errors.read_to_string(&mut stderr).expect("errors are text");
    let status = child.wait().expect("the command ends");
    assert_eq!((status.code(), stderr.as_str()), (Some(1), ""));
}
