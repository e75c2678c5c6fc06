//! Servers whose tools change while they are in use.

use crate::fixture::{NEW, OLD, call, connected};
use agent_runtime::serde_json::{Value, json};
use std::time::Duration;

/// A script whose list is another one when it is read again.
fn script(revision: &str, before: &Value, after: &Value) -> Value {
    let change = json!({"name": "change", "inputSchema": {"type": "object"}});
    let list = |schema: &Value| match schema {
        Value::Null => json!([change]),
        schema => json!([{"name": "echo", "inputSchema": schema}, change]),
    };
    json!({"revision": revision, "lists": [list(before), list(after)]})
}

fn schema(properties: &Value, required: &Value) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

#[tokio::test]
async fn a_breaking_change_is_an_error_that_says_what_changed() {
    let text = json!({"text": {"type": "string"}});
    let before = schema(&text, &json!([]));
    for (after, word) in [
        (
            schema(&json!({"text": {"type": "integer"}}), &json!([])),
            "text",
        ),
        (
            schema(
                &json!({"text": {"type": "string"}, "place": {"type": "string"}}),
                &json!(["place"]),
            ),
            "place",
        ),
        (Value::Null, "no longer has it"),
        (json!({"type": "array"}), "cannot be read"),
        (json!(true), "its `inputSchema` is a boolean"),
    ] {
        for revision in [NEW, OLD] {
            let server = connected(&script(revision, &before, &after)).await;
            let result = call(&server, "s_echo", &json!({"text": "a"})).await;
            assert_eq!(result, Ok(json!("a")));
            let error = changed(&server).await;
            for word in [word, "`echo`", "`s`", "changed since it was bound"] {
                assert!(error.contains(word), "{revision}: {error}");
            }
        }
    }
}

/// Has the server change its list, and returns the error of the next call that knows of it.
async fn changed(server: &agent_mcp::ConnectedServer) -> String {
    call(server, "s_change", &json!({}))
        .await
        .expect("a result");
    // The notification is handled by a task of its own.
    for _ in 0..1_000 {
        if let Err(error) = call(server, "s_echo", &json!({"text": "a"})).await {
            return error.to_string();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the change stays unnoticed");
}

#[tokio::test]
async fn a_compatible_change_passes() {
    let before = schema(&json!({"text": {"type": "string"}}), &json!(["text"]));
    let after = json!({
        "type": "object",
        "description": "Says it",
        "properties": {"text": {"type": "string"}, "loud": {"type": "boolean"}},
        "required": ["text"],
    });
    let mut script = script(OLD, &before, &after);
    let listed = json!({"name": "listed", "inputSchema": {"type": "object"}});
    for list in script["lists"].as_array_mut().expect("lists") {
        list.as_array_mut().expect("tools").push(listed.clone());
    }
    let server = connected(&script).await;
    call(&server, "s_change", &json!({}))
        .await
        .expect("a result");
    // The notification is handled by a task of its own.
    let mut count = json!("1");
    for _ in 0..1_000 {
        count = call(&server, "s_listed", &json!({}))
            .await
            .expect("a count");
        if count == "2" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(count, "2");
    let result = call(&server, "s_echo", &json!({"text": "a"})).await;
    assert_eq!(result, Ok(json!("a")));
    // The model still calls what it was told of.
    let library = server.library();
    let tool = library.lookup("s_echo").expect("a tool");
    let signature = tool.descriptor().signature().expect("a signature");
    assert!(!signature.to_string().contains("loud"));
}

#[tokio::test]
async fn a_restarted_server_is_compared_with_what_was_bound() {
    let before = schema(&json!({"text": {"type": "string"}}), &json!([]));
    let after = schema(&json!({"word": {"type": "string"}}), &json!([]));
    let mut script = script(OLD, &before, &after);
    let marker = format!("agent-mcp-{}-restarted", std::process::id());
    let marker = std::env::temp_dir().join(marker);
    script["marker"] = marker.to_string_lossy().into();
    script["calls"] = json!({"change": "die"});
    let server = connected(&script).await;
    let result = call(&server, "s_echo", &json!({"text": "a"})).await;
    assert_eq!(result, Ok(json!("a")));
    let error = call(&server, "s_change", &json!({})).await;
    assert!(error.is_err(), "{error:?}");
    let error = call(&server, "s_echo", &json!({"text": "a"})).await;
    std::fs::remove_file(marker).expect("the server made the file");
    let error = error.expect_err("it has another parameter").to_string();
    assert!(error.contains("changed since it was bound"), "{error}");
    assert!(error.contains("`text`"), "{error}");
}
