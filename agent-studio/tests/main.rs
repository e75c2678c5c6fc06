//! The routes, asked as the page asks them.

mod branches;
mod recorded;
mod trials;
mod wire;

use agent_project::known_tools::KnownTools;
use agent_project::report::Report;
use agent_project::source::{self, Source};
use agent_runtime::conversation::MemoryStore;
use agent_runtime::journal::MemoryJournal;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Runtime, ToolContext, ToolLibrary, agent, tool, tools};
use agent_studio::{DocumentAgent, Documents, Studio};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;
use tower::ServiceExt;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Greets a person
#[tool]
fn say_hello(person_name: &str) -> String {
    format!("Hello, {person_name}!")
}

/// Pays an order back
#[tool(requires_approval)]
fn refund(number: u32) -> String {
    format!("Order {number} is refunded.")
}

fn library() -> ToolLibrary {
    tools![say_hello, refund]
}

/// The documents with an agent, whose text has no errors.
fn good() -> Documents {
    let greeter = agent! {
        tools: [say_hello, refund],
        [greeter:Agent {description: "Greets.", instruction: "Greet.", model: "Scripted/any"} | sayHello, refund]
    };
    Documents {
        reports: vec![Report::new(
            Source::inline("greeter.gram", "[greeter:Agent]"),
            Vec::new(),
        )],
        agents: Some(vec![DocumentAgent {
            agent: greeter,
            document: "greeter.gram".to_owned(),
        }]),
        problem: None,
    }
}

/// The documents when the text has an error.
fn bad() -> Documents {
    let text = "[greeter:Agent {instruction: \"Greet.\", model: \"Nobody/any\"}]\n";
    let known = KnownTools::read(&[], Vec::new(), &[], source::read);
    let (known, _) = known.expect("no files");
    let checked = known.check(text);
    assert!(checked.has_errors());
    Documents {
        reports: vec![Report::of(Source::inline("greeter.gram", text), checked)],
        agents: None,
        problem: None,
    }
}

fn studio(replies: impl IntoIterator<Item = ModelReply>) -> Studio {
    let runtime = Runtime::builder()
        .model(Scripted::new(replies))
        .journal(MemoryJournal::default())
        .conversations(MemoryStore::default())
        .secret("sk-very-secret")
        .build();
    let context = ToolContext::detached();
    let studio = Studio::new(runtime.expect("a runtime"), library(), context, TOKEN);
    studio.update(good());
    studio
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{}: {error}", self.text))
    }
}

async fn send(router: &Router, request: Request<Body>) -> Answer {
    let answer = router
        .clone()
        .oneshot(request)
        .await
        .expect("it never fails");
    let (parts, body) = answer.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.expect("a whole body");
    Answer {
        status: parts.status,
        headers: parts.headers,
        text: String::from_utf8(bytes.into()).expect("UTF-8"),
    }
}

fn request(method: &str, path: &str) -> axum::http::request::Builder {
    let request = Request::builder().method(method).uri(path);
    request
        .header("host", "127.0.0.1:8700")
        .header("content-type", "application/json")
}

async fn get(router: &Router, path: &str) -> Answer {
    let request = request("GET", path).header("authorization", format!("Bearer {TOKEN}"));
    send(router, request.body(Body::empty()).expect("a request")).await
}

async fn get_bytes(router: &Router, path: &str) -> (HeaderMap, Vec<u8>) {
    let request = request("GET", path).header("authorization", format!("Bearer {TOKEN}"));
    let request = request.body(Body::empty()).expect("a request");
    let answer = router.clone().oneshot(request).await;
    let (parts, body) = answer.expect("it never fails").into_parts();
    let bytes = to_bytes(body, usize::MAX).await.expect("a whole body");
    (parts.headers, bytes.into())
}

async fn post(router: &Router, path: &str, body: Value) -> Answer {
    ask(router, "POST", path, body).await
}

async fn ask(router: &Router, method: &str, path: &str, body: Value) -> Answer {
    let request = request(method, path).header("authorization", format!("Bearer {TOKEN}"));
    let body = Body::from(body.to_string());
    send(router, request.body(body).expect("a request")).await
}

/// Says something in a conversation, and returns the id of the run.
async fn say(router: &Router, conversation: &str, message: &str) -> String {
    let body = json!({"message": message, "conversation": conversation});
    let begun = post(router, "/api/greeter/runs", body).await;
    assert!(begun.text.contains("\"finished\""), "{}", begun.text);
    let run = begun.headers["x-run-id"].to_str();
    run.expect("an id").to_owned()
}

#[tokio::test]
async fn the_page_needs_no_token_and_everything_else_does() {
    let router = studio([]).router();
    for path in ["/", "/studio.js", "/studio.css"] {
        let answer = send(
            &router,
            request("GET", path).body(Body::empty()).expect("a request"),
        )
        .await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        let policy = answer.headers["content-security-policy"]
            .to_str()
            .expect("a text");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert_eq!(answer.headers["referrer-policy"], "no-referrer");
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
    let wrong = [
        None,
        Some("Bearer ".to_owned()),
        Some(format!("Bearer {}", TOKEN.to_uppercase())),
        Some(format!("Bearer {TOKEN}0")),
        Some(TOKEN.to_owned()),
    ];
    for token in wrong {
        for path in [
            "/studio/state",
            "/studio/runs",
            "/api/conversations",
            "/api/greeter/runs",
        ] {
            let mut request = request("GET", path);
            if let Some(token) = &token {
                request = request.header("authorization", token);
            }
            let answer = send(&router, request.body(Body::empty()).expect("a request")).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path} {token:?}");
            assert_eq!(answer.headers["content-type"], "application/problem+json");
        }
    }
}

#[tokio::test]
async fn requests_of_other_sites_are_refused_even_with_the_token() {
    let router = studio([]).router();
    for (name, value) in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:9999"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        let request =
            request("GET", "/studio/state").header("authorization", format!("Bearer {TOKEN}"));
        let request = request.header(name, value).body(Body::empty());
        let answer = send(&router, request.expect("a request")).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{name}: {value}");
    }
}

#[tokio::test]
async fn a_read_only_page_changes_nothing() {
    let router = studio([]).read_only(true).router();
    let message = json!({"message": "Hello"});
    assert_eq!(
        post(&router, "/api/greeter/runs", message).await.status,
        StatusCode::FORBIDDEN
    );
    let call = json!({"arguments": {"personName": "Ada"}});
    assert_eq!(
        post(&router, "/studio/tools/sayHello/call", call)
            .await
            .status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(get(&router, "/studio/state").await.json()["readOnly"], true);
}

#[tokio::test]
async fn a_document_with_errors_leaves_the_last_good_version_running() {
    let studio = studio([ModelReply::text("Hello!")]);
    let router = studio.router();
    let state = get(&router, "/studio/state").await.json();
    assert_eq!(state["documents"][0]["runs"], "this");
    assert_eq!(state["agents"][0]["name"], "greeter");
    let waiting = tokio::spawn({
        let router = router.clone();
        let path = format!("/studio/changes?after={}", state["version"]);
        async move { get(&router, &path).await }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    studio.update(bad());
    let changed = waiting.await.expect("an answer").json();
    assert_ne!(changed["version"], state["version"]);
    let state = get(&router, "/studio/state").await.json();
    assert_eq!(state["version"], changed["version"]);
    assert_eq!(state["documents"][0]["runs"], "last good");
    let finding = &state["findings"][0];
    assert_eq!(
        (&finding["severity"], &finding["line"]),
        (&json!("error"), &json!(1))
    );
    assert_eq!(finding["excerpt"][0]["line"], 1);
    let begun = post(&router, "/api/greeter/runs", json!({"message": "Hello"})).await;
    assert!(begun.text.contains("\"finished\""), "{}", begun.text);
}

#[tokio::test]
async fn a_run_has_steps_and_a_call_waits() {
    let call = agent_runtime::conversation::ToolCall::new("1", "refund", r#"{"number": 7}"#);
    let router = studio([
        ModelReply::calls([call]),
        ModelReply::text("Refunded; sk-very-secret."),
    ])
    .router();
    let begun = post(&router, "/api/greeter/runs", json!({"message": "Refund 7"})).await;
    let run = begun.headers["x-run-id"]
        .to_str()
        .expect("an id")
        .to_owned();
    let listed = get(&router, "/studio/runs").await.json();
    assert_eq!(
        (&listed[0]["run"], &listed[0]["state"]),
        (&json!(run), &json!("waiting"))
    );
    let shown = get(&router, &format!("/studio/runs/{run}")).await.json();
    assert_eq!(shown["open"][0]["tool"], "refund");
    let decision = json!({"decisions": {"1": {"type": "edit", "args": {"number": 8}}}});
    let decided = post(&router, &format!("/api/runs/{run}/decisions"), decision).await;
    assert!(
        decided.text.contains("Order 8 is refunded."),
        "{}",
        decided.text
    );
    let shown = get(&router, &format!("/studio/runs/{run}")).await;
    assert!(!shown.text.contains("sk-very-secret"), "{}", shown.text);
    let steps = shown.json()["steps"].as_array().expect("steps").clone();
    let kinds: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["said", "replied", "decided", "called", "replied"]);
    assert_eq!(steps[3]["result"], "Order 8 is refunded.");
    let missing = get(&router, "/studio/runs/unknown").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_tool_is_called_alone() {
    let router = studio([]).router();
    let path = "/studio/tools/sayHello/call";
    let called = post(&router, path, json!({"arguments": {"personName": "Ada"}}))
        .await
        .json();
    assert_eq!(called["result"], "Hello, Ada!");
    let wrong = post(&router, path, json!({"arguments": {"personName": 7}}))
        .await
        .json();
    assert!(
        wrong["error"]
            .as_str()
            .is_some_and(|text| text.contains("personName")),
        "{wrong}"
    );
    for (path, body, status) in [
        (path, json!({}), 400),
        (path, json!([]), 400),
        ("/studio/tools/unknown/call", json!({"arguments": {}}), 404),
    ] {
        assert_eq!(post(&router, path, body).await.status.as_u16(), status);
    }
}
