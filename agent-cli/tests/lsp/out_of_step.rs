//! Changes that are lost, after which only the client knows the text, and those that only look so.

use crate::session::{Session, framed};
use serde_json::{Value, json};

const URI: &str = "untitled:a";

fn formatting(session: &mut Session) -> Value {
    session.request(
        "textDocument/formatting",
        json!({"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": true}}),
    )
}

#[test]
fn a_lost_message_sets_documents_aside_until_their_whole_text_comes() {
    let values = format!(r#"{{"method":"x","params":[0{}]}}"#, ",0".repeat(1_000_000));
    let long = format!(r#"{{"method":"{}"}}"#, "x".repeat(65 << 20));
    for (what, body) in [("no JSON", "{"), ("values", &values), ("length", &long)] {
        let mut session = Session::open(&[], json!({}));
        session.did_open(URI, 1, "[a:Agnt]");
        assert_eq!(session.findings(URI, 1).len(), 1, "{what}");
        session.raw(&framed(body));
        assert!(session.next().get("error").is_some(), "{what}");
        assert_eq!(session.next()["method"], "window/logMessage", "{what}");
        let retracted = json!({"uri": URI, "diagnostics": []});
        assert_eq!(session.next()["params"], retracted, "{what}");
        let start = json!({"line": 0, "character": 0});
        let insert = json!({"range": {"start": start, "end": start}, "text": "x"});
        session.did_change(URI, 2, json!([insert]));
        let answer = formatting(&mut session);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("open it again"), "{what}: {message}");
        session.did_change(URI, 3, json!([insert, {"text": "[a:Agnt]"}, insert]));
        let found = session.findings(URI, 3);
        assert_eq!(
            found[0]["range"]["start"]["character"], 0,
            "{what}: {found:?}"
        );
        assert!(formatting(&mut session).get("result").is_some(), "{what}");
        session.finish();
    }
}

#[test]
fn halves_of_a_surrogate_pair_keep_the_text_in_step() {
    let mut session = Session::open(&[], json!({}));
    session.did_open(URI, 1, "/* */ [a:Agnt]");
    session.findings(URI, 1);
    for (version, column, half) in [(2, 3, r"\ud83d"), (3, 4, r"\ude01")] {
        let body = format!(
            r#"{{"method":"textDocument/didChange","params":{{
                "textDocument":{{"uri":"{URI}","version":{version}}},
                "contentChanges":[{{"range":{{
                    "start":{{"line":0,"character":{column}}},
                    "end":{{"line":0,"character":{column}}}
                }},"text":"{half}"}}]
            }}}}"#
        );
        session.raw(&framed(&body));
        session.findings(URI, version);
    }
    let range = json!({"start": {"line": 0, "character": 11}, "end": {"line": 0, "character": 15}});
    session.did_change(URI, 4, json!([{"range": range, "text": "(b)"}]));
    session.findings(URI, 4);
    let answer = formatting(&mut session);
    let edits = answer["result"].to_string();
    assert!(!edits.contains("Agnt"), "{answer}");
    session.finish();
}
