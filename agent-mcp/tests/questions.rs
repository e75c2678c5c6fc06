//! Input that a server asks for.

use crate::fixture::{NEW, OLD, call, connected, server};
use agent_mcp::{InputAnswer, InputForm};
use agent_runtime::serde_json::json;
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn the_host_answers_questions_in_both_revisions() {
    for revision in [NEW, OLD] {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let server = server(&json!({"revision": revision})).on_input(move |request| {
            seen.lock().expect("a list").push(request);
            async { InputAnswer::Accept(json!({"city": "Ulm"})) }
        });
        let server = server.connect().await.expect("a server");
        let result = call(&server, "s_ask", &json!({})).await.expect("a result");
        let result = result.as_str().expect("a text");
        assert!(
            result.contains("accept") && result.contains("Ulm"),
            "{result}"
        );
        let asked = asked.lock().expect("a list");
        assert_eq!(asked.len(), 1);
        assert_eq!(
            (&*asked[0].server, &*asked[0].message),
            ("s", "Which city?")
        );
        let InputForm::Fields(schema) = &asked[0].form else {
            panic!("{:?}", asked[0].form);
        };
        assert_eq!(schema["properties"]["city"]["type"], "string");
    }
}

#[tokio::test]
async fn a_question_is_declined_without_a_host_that_answers() {
    for revision in [NEW, OLD] {
        let server = connected(&json!({"revision": revision})).await;
        let result = call(&server, "s_ask", &json!({})).await.expect("a result");
        let result = result.as_str().expect("a text");
        assert!(result.contains("decline"), "{revision}: {result}");
    }
}

#[tokio::test]
async fn sampling_and_roots_are_refused() {
    for method in ["sampling/createMessage", "roots/list"] {
        let server = connected(&json!({"revision": NEW, "asks": method})).await;
        let error = call(&server, "s_ask", &json!({})).await;
        let error = error.expect_err("refused").to_string();
        assert!(
            error.contains("does not allow") && error.contains(method),
            "{error}"
        );
        // In the older revision the server gets an error, and the fixture passes on that there is no result.
        let server = connected(&json!({"revision": OLD, "asks": method})).await;
        let result = call(&server, "s_ask", &json!({})).await;
        assert_eq!(result, Ok(json!("null")), "{method}");
    }
}
