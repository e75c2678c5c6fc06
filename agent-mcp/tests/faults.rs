//! Servers that misbehave: the call ends with an error, and the next one goes on.

use crate::fixture::{NEW, OLD, call, connected, server};
use agent_mcp::McpServer;
use agent_runtime::ToolError;
use agent_runtime::serde_json::{Value, json};
use std::time::Duration;
use tokio::task::JoinSet;

#[tokio::test]
async fn a_fault_during_a_call_is_an_error_and_the_server_stays_usable() {
    for (fault, words) in [
        ("die", "ended during the call of `echo` (exit status: 3)"),
        ("closed", "ended during the call"),
        ("huge", "more than 16 MiB"),
        ("deep", "cannot be read"),
        ("many values", "more than 1000000 JSON values"),
        ("bad UTF-8", "cannot be read"),
        ("escapes", "erased"),
        ("no result", "its answer is no result of a tool"),
        ("task", "a task"),
    ] {
        for revision in [NEW, OLD] {
            let script = json!({"revision": revision, "calls": {"echo": fault}});
            let server = connected(&script).await;
            let error = call(&server, "s_echo", &json!({})).await;
            let Err(ToolError::Execution(text)) = error else {
                panic!("{fault}, {revision}: {error:?}");
            };
            assert!(text.contains(words), "{fault}: {text}");
            // It is said of each call that it may have been made.
            let is_said = ["was called", "is not known"];
            let is_said = is_said.iter().any(|words| text.contains(words));
            assert!(is_said || fault == "escapes", "{fault}: {text}");
            let result = call(&server, "s_pid", &json!({})).await;
            assert!(result.is_ok(), "{fault}, {revision}: {result:?}");
        }
    }
}

#[tokio::test]
async fn a_fault_without_an_answer_ends_by_the_timeout() {
    for fault in ["hang", "wrong id", "bad JSON"] {
        let script = json!({"calls": {"echo": fault}});
        let server = server(&script).timeout(Duration::from_millis(100));
        let server = server.connect().await.expect("a server");
        let error = call(&server, "s_echo", &json!({})).await;
        assert_eq!(error, Err(ToolError::Timeout), "{fault}");
    }
}

#[tokio::test]
async fn a_second_answer_is_ignored() {
    let server = connected(&json!({"calls": {"echo": "twice"}})).await;
    for _ in 0..3 {
        let result = call(&server, "s_echo", &json!({})).await;
        assert_eq!(result, Ok(json!("late")));
    }
    call(&server, "s_pid", &json!({})).await.expect("a result");
}

#[tokio::test]
async fn the_last_words_of_a_server_are_quoted_without_control_characters() {
    let server = connected(&json!({"calls": {"echo": "die"}})).await;
    let error = call(&server, "s_echo", &json!({})).await;
    let error = error.expect_err("it died").to_string();
    assert!(error.contains("out of memory"), "{error}");
    assert!(!error.contains('\u{1b}'), "{error:?}");
    assert!(error.contains("not known"), "{error}");
}

#[tokio::test]
async fn a_fault_while_connecting_is_an_error() {
    for method in ["server/discover", "initialize", "tools/list"] {
        for (fault, words) in [
            ("die", "out of memory"),
            ("huge", ""),
            ("bad UTF-8", ""),
            ("deep", ""),
            ("no result", ""),
        ] {
            let error = server(&script(method, fault)).connect().await;
            let error = error.expect_err(fault).to_string();
            assert!(error.contains("`s`"), "{method}, {fault}: {error}");
            assert!(error.contains(words), "{method}, {fault}: {error}");
            // Values of this program in Rust's form for debugging.
            for debugged in ["Some(", "ListToolsResult", "RequestId", " { "] {
                assert!(!error.contains(debugged), "{method}, {fault}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_while_connecting_is_given_up() {
    let mut connecting = JoinSet::new();
    for method in ["server/discover", "initialize", "tools/list"] {
        for fault in ["hang", "bad JSON", "wrong id"] {
            // Before the tools are read, an answer to another request is an error at once.
            if (method, fault) == ("tools/list", "wrong id") || fault != "wrong id" {
                let server = server(&script(method, fault));
                connecting.spawn(server.connect_timeout(Duration::from_millis(300)).connect());
            }
        }
    }
    while let Some(connected) = connecting.join_next().await {
        let error = connected.expect("no panic").expect_err("no answer");
        assert!(error.is_timeout(), "{error}");
        assert!(
            error
                .to_string()
                .contains("`s` did not answer within 300ms"),
            "{error}"
        );
    }
}

/// A program that prints a greeting is the most frequent mistake of people who write a server.
#[cfg(unix)]
#[tokio::test]
async fn what_a_program_prints_that_is_no_server_is_quoted() {
    let quoted = "; it wrote to its standard output, which is for messages of MCP only: Hello, world; \
                  its standard error ends with: a warning";
    let prints = "echo 'Hello, world'; echo 'a warning' >&2";
    let server = McpServer::stdio("s", "sh", ["-c", prints]);
    let ended = server.connect().await.expect_err("it ended").to_string();
    let words = "the server `s` cannot be connected: it ended";
    assert!(ended.starts_with(words), "{ended}");

    // A slow machine may need more than a second for the lines.
    for seconds in [1, 4, 16, 64] {
        let waits = format!("{prints}; sleep 100");
        let server = McpServer::stdio("s", "sh", ["-c", &waits]);
        let server = server.connect_timeout(Duration::from_secs(seconds));
        let error = server.connect().await.expect_err("no answer").to_string();
        if error == format!("the server `s` did not answer within {seconds}s{quoted}") {
            return;
        }
    }
    panic!("the lines are not quoted");
}

fn script(method: &str, fault: &str) -> Value {
    let revision = match method {
        "initialize" => OLD,
        _ => NEW,
    };
    json!({"revision": revision, "on": {method: fault}})
}

#[tokio::test]
async fn a_server_of_an_older_revision_may_take_long_to_start() {
    // rmcp waits ten seconds for the answer to the first request, and then sends another one.
    let script = json!({"revision": OLD, "starts_in": 10.5});
    let server = connected(&script).await;
    assert_eq!(server.protocol(), OLD);
    call(&server, "s_pid", &json!({})).await.expect("a result");
}

#[tokio::test]
async fn a_server_of_an_older_revision_may_end_at_an_unknown_request() {
    let script = json!({"revision": OLD, "on": {"server/discover": "die"}});
    let server = connected(&script).await;
    assert_eq!(server.protocol(), OLD);
    call(&server, "s_pid", &json!({})).await.expect("a result");
}

#[tokio::test]
async fn a_server_of_an_older_revision_may_have_an_empty_result_for_an_unknown_request() {
    let script = json!({"revision": OLD, "on": {"server/discover": "empty"}});
    let server = connected(&script).await;
    assert_eq!(server.protocol(), OLD);
    call(&server, "s_pid", &json!({})).await.expect("a result");
}

#[tokio::test]
async fn a_server_whose_results_are_all_empty_cannot_be_connected() {
    let script = json!({"on": {"server/discover": "empty", "initialize": "empty"}});
    let error = server(&script).connect().await.expect_err("no server");
    assert!(
        error.to_string().contains("`s` cannot be connected"),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_keeps_ending_is_not_started_for_ever() {
    let server = connected(&json!({"calls": {"echo": "die"}})).await;
    let mut errors = Vec::new();
    for _ in 0..8 {
        let error = call(&server, "s_echo", &json!({})).await;
        errors.push(error.expect_err("it dies").to_string());
    }
    let given_up = |error: &String| error.contains("is not started again");
    assert_eq!(errors.iter().position(given_up), Some(6), "{errors:#?}");
    assert!(given_up(&errors[7]));
}

#[tokio::test]
async fn a_call_that_may_be_repeated_is_made_once_more() {
    let look = json!({"name": "look", "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": true}});
    let script = json!({"lists": [[look]], "calls": {"look": "die"}});
    // Each call that dies needs a restart, and five in a row are allowed: two calls of two attempts, or five of one.
    for (trust, calls) in [(true, 3), (false, 6)] {
        let server = server(&script).trust_annotations(trust);
        let server = server.connect().await.expect("a server");
        let mut died = 0;
        loop {
            let error = call(&server, "s_look", &json!({})).await;
            let error = error.expect_err("it dies").to_string();
            if error.contains("is not started again") {
                break;
            }
            assert!(error.contains("ended during the call"), "{error}");
            died += 1;
        }
        assert_eq!(died, calls, "{trust}");
    }
}
