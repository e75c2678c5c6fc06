//! Requests to the web server: bodies, paths and cursors. None is an error of the server, and each answer is JSON, or a
//! stream whose events are.
//!
//! The input is up to five requests, with a line `====` between two. The first line of a request is its method, its path
//! and `Last-Event-ID`; `$run` is the id of the last run. The rest is its body.

#![no_main]

use agent_fuzz::app::{self, Answer};
use agent_fuzz::{block_on, first_line, sections};
use agent_runtime::conversation::{MemoryStore, ToolCall};
use agent_runtime::journal::MemoryJournal;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Agent, Runtime, ToolLibrary, agent, tool, tools};
use axum::Router;
use axum::http::request::Parts;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::sync::LazyLock;

/// Finds an order
#[tool]
fn find_order(number: u32) -> String {
    format!("Order {number} was sent.")
}

/// Pays an order back
#[tool(requires_approval)]
fn refund(number: u32) -> String {
    format!("Order {number} is refunded.")
}

static LIBRARY: LazyLock<ToolLibrary> = LazyLock::new(|| tools![find_order, refund]);

static AGENT: LazyLock<Agent> = LazyLock::new(|| {
    agent! {
        tools: [find_order, refund],
        [support:Agent {instruction: "Help {{name}}.", model: "Scripted/any"} | findOrder, refund]
    }
});

fuzz_target!(|input: &[u8]| block_on(requests(input)));

async fn owner(parts: Parts) -> Result<String, &'static str> {
    let user = parts.headers.get("x-user");
    let user = user.and_then(|user| user.to_str().ok());
    user.map(str::to_owned).ok_or("sign in")
}

fn router() -> Router {
    let call =
        |id: &str, tool: &str| ModelReply::calls([ToolCall::new(id, tool, r#"{"number": 7}"#)]);
    let replies = [
        call("1", "findOrder"),
        call("2", "refund"),
        ModelReply::text("It was sent."),
        ModelReply::text("Bye."),
    ];
    let runtime = Runtime::builder()
        .model(Scripted::new(replies))
        .variable("name", "them")
        .journal(MemoryJournal::new())
        .conversations(MemoryStore::new())
        .build()
        .expect("a runtime");
    let web = agent_web::router(&runtime, [AGENT.clone()], LIBRARY.clone()).owner(owner);
    let web = web.variables(["name"]).allow_edits().show_reasons();
    web.build().expect("the routes").router()
}

async fn requests(input: &[u8]) {
    let router = router();
    let mut run = String::new();
    for section in sections(input).into_iter().take(5) {
        let (line, body) = first_line(section);
        let line = line.replace("$run", &run);
        let mut words = line.splitn(3, ' ');
        let (method, path) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let headers = [
            ("x-user", "ada"),
            ("content-type", "application/json"),
            ("last-event-id", words.next().unwrap_or_default()),
        ];
        // The body may name the run, too.
        let body = String::from_utf8_lossy(body).replace("$run", &run);
        let Some(answer) = app::send(&router, method, path, &headers, body).await else {
            continue;
        };
        if let Some(id) = answer.header("x-run-id") {
            run = id.to_owned();
        }
        check(&answer);
    }
}

fn check(answer: &Answer) {
    let (status, text) = (answer.status, answer.text());
    assert_ne!(status, 500, "{text}");
    match answer.header("content-type").unwrap_or_default() {
        "text/event-stream" => {
            for line in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
                assert!(line == "[DONE]" || is_json(line), "{line}");
            }
        }
        // A request without an answer, or one that the router answers by itself.
        _ if text.is_empty() => assert!(matches!(status, 202 | 204 | 400 | 405), "{status}"),
        "application/problem+json" => {
            let problem: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(problem["status"], status, "{text}");
            let detail = problem["detail"].as_str().unwrap_or_default();
            assert!(!detail.is_empty(), "{text}");
        }
        _ => assert!(is_json(&text), "{text}"),
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok()
}
