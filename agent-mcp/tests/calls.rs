//! Calls and their results, in both revisions of the protocol.

use crate::fixture::{NEW, OLD, call, connected, server, until};
use agent_runtime::serde_json::json;
use agent_runtime::tool::invoke_tool;
use agent_runtime::{ToolContext, ToolError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[tokio::test]
async fn a_server_of_each_revision_is_connected_and_called() {
    for revision in [NEW, OLD] {
        let server = connected(&json!({"revision": revision})).await;
        assert_eq!(server.protocol(), revision);
        assert_eq!(server.name(), "s");
        assert_eq!(server.server_name(), Some("fixture"));
        assert_eq!(server.server_version(), Some("1.2.3"));
        let result = call(&server, "s_echo", &json!({"text": "hi"})).await;
        assert_eq!(result, Ok(json!("hi")), "{revision}");
    }
}

#[tokio::test]
async fn structured_content_is_validated_against_the_output_schema() {
    let server = connected(&json!({})).await;
    let result = call(&server, "s_sum", &json!({"a": 2})).await;
    assert_eq!(result, Ok(json!({"sum": 3})));
    let error = call(&server, "s_badSum", &json!({})).await;
    let Err(ToolError::Execution(text)) = error else {
        panic!("{error:?}");
    };
    assert!(
        text.contains("was called") && text.contains("sum"),
        "{text}"
    );
}

#[tokio::test]
async fn arguments_are_validated_before_the_server_gets_them() {
    let server = connected(&json!({})).await;
    let error = call(&server, "s_echo", &json!({"text": 5})).await;
    assert!(matches!(error, Err(ToolError::Validation(_))), "{error:?}");
}

#[tokio::test]
async fn what_the_schema_allows_reaches_the_server() {
    let integer = json!({"type": "integer"});
    let uuid = json!({"type": "string", "format": "uuid"});
    for (schema, arguments) in [
        (json!({"type": "object"}), json!({"x": 1})),
        (
            json!({"type": "object", "additionalProperties": integer}),
            json!({"x": 1}),
        ),
        (
            json!({"type": "object", "patternProperties": {"^x": integer}}),
            json!({"x": 1, "y": []}),
        ),
        (
            json!({"type": "object", "dependentRequired": {"x": ["y"]}}),
            json!({"x": 1, "y": 2}),
        ),
        (
            json!({"type": "object", "properties": {"id": uuid}}),
            json!({"id": "6ba7b8109dad11d180b400c04fd430c8"}),
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}),
            json!({"a": null}),
        ),
    ] {
        let tools = json!([{"name": "arguments", "inputSchema": schema}]);
        let server = connected(&json!({"lists": [tools]})).await;
        let result = call(&server, "s_arguments", &arguments).await;
        assert_eq!(result, Ok(arguments.to_string().into()), "{schema}");
    }
}

#[tokio::test]
async fn errors_of_tools_and_of_the_protocol_are_errors_of_the_call() {
    let server = connected(&json!({})).await;
    let error = call(&server, "s_fail", &json!({"text": "no such city"})).await;
    assert_eq!(error, Err(ToolError::Execution("no such city".to_owned())));
    let error = call(&server, "s_refuse", &json!({"text": "not today"})).await;
    let error = error.expect_err("an error").to_string();
    for word in ["`refuse`", "`s`", "not today", "-32602"] {
        assert!(error.contains(word), "{error}");
    }
}

#[tokio::test]
async fn progress_arrives_and_a_dropped_call_is_cancelled() {
    for revision in [NEW, OLD] {
        let server = connected(&json!({"revision": revision})).await;
        let reports = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&reports);
        let context = ToolContext::detached()
            .with_progress(move |text| seen.lock().expect("a list").push(text.to_owned()));
        let library = server.library();
        let tool = library.lookup("s_progress").expect("a tool");
        let call_of_tool = invoke_tool(&**tool, r#"{"text": "half"}"#, &context);
        // The server reports progress and never answers.
        tokio::select! {
            result = call_of_tool => panic!("{result:?}"),
            () = until("a report", || !reports.lock().expect("a list").is_empty()) => {}
        }
        assert_eq!(*reports.lock().expect("a list"), ["half"]);
        let mut cancelled = json!("0");
        for _ in 0..1_000 {
            cancelled = call(&server, "s_cancelled", &json!({}))
                .await
                .expect("a count");
            if cancelled != "0" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(cancelled, "1", "{revision}");
    }
}

#[tokio::test]
async fn a_call_has_the_timeout_of_its_server() {
    let script = json!({"calls": {"echo": "hang"}});
    let server = server(&script).timeout(Duration::from_millis(50));
    let server = server.connect().await.expect("a server");
    let library = server.library();
    let settings = *library
        .lookup("s_echo")
        .expect("a tool")
        .descriptor()
        .settings();
    assert_eq!(settings.timeout, Some(Duration::from_millis(50)));
    let error = call(&server, "s_echo", &json!({})).await;
    assert_eq!(error, Err(ToolError::Timeout));
}

#[tokio::test]
async fn a_call_has_60_seconds_unless_said_otherwise() {
    let server = connected(&json!({})).await;
    for tool in &server.library() {
        let timeout = tool.descriptor().settings().timeout;
        assert_eq!(timeout, Some(Duration::from_secs(60)));
    }
}

#[tokio::test]
async fn a_closed_server_refuses_calls() {
    let server = connected(&json!({})).await;
    server.close().await;
    let error = call(&server, "s_echo", &json!({})).await;
    let error = error.expect_err("closed").to_string();
    assert!(error.contains("was closed"), "{error}");
}
