//! Recorded exchanges of messages, which are replayed and compared.
//!
//! A file in `exchanges/` begins with a description. Each message has the sender on the line before. After a
//! request, the file has all messages of the server up to the response; after an edit, all messages up to
//! the diagnostics. `UPDATE_EXPECT` rewrites the messages of the server.

use crate::session::Session;
use serde_json::{Value, json};
use std::path::Path;

/// The parts of a file.
struct Exchange {
    about: String,
    /// The arguments of the server.
    args: Vec<String>,
    client: Vec<Value>,
}

fn read(text: &str) -> Exchange {
    let mut exchange = Exchange {
        about: String::new(),
        args: Vec::new(),
        client: Vec::new(),
    };
    for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
        let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
        match first.trim() {
            "client:" => {
                let message = serde_json::from_str(rest);
                exchange
                    .client
                    .push(message.unwrap_or_else(|error| panic!("{error}: {rest}")));
            }
            "server:" => {}
            about => {
                exchange.about = format!("{about}\n{rest}").trim_end().to_owned();
                let args = block
                    .lines()
                    .find_map(|line| line.strip_prefix("agent lsp"));
                let args = args.unwrap_or_default().split_whitespace();
                exchange.args = args.map(str::to_owned).collect();
            }
        }
    }
    exchange
}

fn write(speaker: &str, message: &Value) -> String {
    let message = serde_json::to_string_pretty(message).expect("a message is JSON");
    format!("\n{speaker}:\n{message}\n")
}

/// Returns whether the server sends no more messages in response to `message`.
fn is_last(message: &Value, said: &Value) -> bool {
    if !message["id"].is_null() {
        return said["id"] == message["id"] && said["method"].is_null();
    }
    said["method"] == "textDocument/publishDiagnostics"
        && said["params"]["uri"] == message["params"]["textDocument"]["uri"]
}

fn has_answer(message: &Value) -> bool {
    let method = message["method"].as_str().unwrap_or_default();
    let edits = ["didOpen", "didChange", "didClose"];
    !message["id"].is_null()
        || edits
            .iter()
            .any(|edit| method == format!("textDocument/{edit}"))
}

/// Returns the expected content of the file.
fn replay(exchange: &Exchange) -> String {
    let args: Vec<&str> = exchange.args.iter().map(String::as_str).collect();
    let mut session = Session::start(&args);
    let mut text = format!("{}\n", exchange.about);
    for message in &exchange.client {
        text.push_str(&write("client", message));
        let mut sent = message.clone();
        sent["jsonrpc"] = json!("2.0");
        session.send(&sent);
        while has_answer(message) {
            let mut said = session.next();
            assert_eq!(said["jsonrpc"], "2.0");
            said.as_object_mut()
                .expect("a message is an object")
                .remove("jsonrpc");
            text.push_str(&write("server", &said));
            if is_last(message, &said) {
                break;
            }
        }
    }
    let ended = session.ended();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    text
}

#[test]
fn replayed_exchanges_are_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/exchanges");
    let mut count = 0;
    for entry in folder.read_dir().expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        let expected = std::fs::read_to_string(&path).expect("the file can be read");
        let expected = expected.replace("\r\n", "\n");
        let found = replay(&read(&expected));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, found).expect("the file can be written");
        } else {
            let path = path.display();
            assert_eq!(found, expected, "differs from {path}; see UPDATE_EXPECT");
        }
        count += 1;
    }
    assert!(count > 0, "there are exchanges");
}
