//! A chat page with two users: Ada, a customer, and Cleo, a clerk. A refund waits until the clerk approves it, also if the
//! server is started again meanwhile.
//!
//! `cargo run -- --offline` needs no key and no network.

mod tools;

use agent_runtime::model::Offline;
use agent_runtime::{Agent, Runtime, agent, tools};
use agent_store::SqliteJournal;
use agent_web::{OwnerLimits, Web};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::routing::get;
use axum::serve::ListenerExt;
use std::error::Error;
use std::time::Duration;
use tools::{Account, find_order, refund_order};

/// The agent. `cargo check` compares its file with the functions.
static SUPPORT: Agent = agent! {
    tools: [find_order, refund_order],
    file: "agents/support.gram"
};

/// Returns the user of a request. A real server looks up its session here.
async fn user(parts: Parts) -> Result<String, &'static str> {
    let cookies = parts
        .headers
        .get("cookie")
        .and_then(|text| text.to_str().ok());
    let mut cookies = cookies.unwrap_or_default().split("; ");
    match cookies.find_map(|cookie| cookie.strip_prefix("user=")) {
        Some(user @ ("ada" | "cleo")) => Ok(user.to_owned()),
        _ => Err("choose a user first"),
    }
}

/// The routes of the agents. Runs and conversations are kept in the journal of the runtime.
fn agents(runtime: &Runtime) -> Result<Web<String>, agent_runtime::Error> {
    let library = tools![find_order, refund_order];
    agent_web::router(runtime, [SUPPORT.clone()], library)
        .owner(user)
        .each_run(|user, run| run.extension(Account(user.to_owned())))
        .may_decide(|user, _run, _call| user == "cleo")
        .per_owner(OwnerLimits::new().concurrent(3).dollars_per_day(1.0))
        .build()
}

/// The routes of the page.
fn page() -> Router {
    let file = |media_type, text: &'static str| {
        get(move || async move { ([(CONTENT_TYPE, media_type)], text) })
    };
    Router::new()
        .route(
            "/",
            file(
                "text/html; charset=utf-8",
                include_str!("../page/index.html"),
            ),
        )
        .route(
            "/chat.js",
            file(
                "text/javascript; charset=utf-8",
                include_str!("../page/chat.js"),
            ),
        )
        .route(
            "/chat.css",
            file("text/css; charset=utf-8", include_str!("../page/chat.css")),
        )
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The log has the reasons of failed runs, which clients do not get.
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .init();
    let mut runtime = Runtime::builder().journal(SqliteJournal::open("runs.db").await?);
    if std::env::args().any(|word| word == "--offline") {
        runtime = runtime.model(Offline::new());
    }
    let web = agents(&runtime.build()?)?;
    // Continues the runs that an earlier process left.
    web.recover();
    let app = page().nest("/agents", web.router());
    let address = "127.0.0.1:8700";
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .map_err(|error| format!("cannot serve the page at {address}: {error}"))?;
    println!("The page is at http://{}/", listener.local_addr()?);
    let closing = async move {
        let _ = tokio::signal::ctrl_c().await;
        web.close(Duration::from_secs(10)).await;
    };
    let listener = listener.tap_io(|stream| {
        // Sends each event at once.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, app)
        .with_graceful_shutdown(closing)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::conversation::{MemoryStore, ToolCall};
    use agent_runtime::journal::MemoryJournal;
    use agent_runtime::model::{ChatModel, ModelReply, Scripted};
    use agent_runtime::serde_json::{Value, json};
    use axum::body::{Body, to_bytes};
    use axum::http::{Request, StatusCode};
    use tower::ServiceExt;

    /// The routes, with this model. Runs and conversations are kept in memory.
    fn service(model: impl ChatModel + 'static) -> Result<Router, agent_runtime::Error> {
        let runtime = Runtime::builder()
            .model(model)
            .journal(MemoryJournal::new())
            .conversations(MemoryStore::new());
        Ok(agents(&runtime.build()?)?.router())
    }

    struct Answer {
        status: StatusCode,
        /// The id of the run.
        run: String,
        /// The events of the run, up to its end or until it waits.
        events: String,
    }

    /// Sends a request of a user to a route: a POST with a body, a GET without one.
    async fn send(service: &Router, user: &str, route: &str, body: Option<Value>) -> Answer {
        let method = if body.is_some() { "POST" } else { "GET" };
        let body = body.map_or_else(String::new, |body| body.to_string());
        let request = Request::builder()
            .method(method)
            .uri(route)
            .header("cookie", format!("user={user}"))
            .header("content-type", "application/json")
            .body(Body::from(body));
        let answer = service.clone().oneshot(request.expect("a request")).await;
        let answer = answer.expect("an answer");
        let run = answer.headers().get("x-run-id");
        let run = run.map(|run| String::from_utf8_lossy(run.as_bytes()).into_owned());
        let status = answer.status();
        let events = to_bytes(answer.into_body(), usize::MAX).await;
        Answer {
            status,
            run: run.unwrap_or_default(),
            events: String::from_utf8_lossy(&events.expect("the events")).into_owned(),
        }
    }

    #[tokio::test]
    async fn an_order_is_found() -> Result<(), Box<dyn Error>> {
        let service = service(Offline::new())?;
        let message = json!({"message": "Where is order 1042?"});
        let found = send(&service, "ada", "/support/runs", Some(message)).await;
        assert!(
            found
                .events
                .contains("Order 1042 of ada was sent on Monday."),
            "{}",
            found.events
        );
        Ok(())
    }

    /// The model is scripted, so that the test says what it calls.
    #[tokio::test]
    async fn a_refund_waits_until_the_clerk_decides() -> Result<(), Box<dyn Error>> {
        let model = Scripted::new([
            ModelReply::calls([ToolCall::new("1", "refundOrder", r#"{"number": 1042}"#)]),
            ModelReply::text("It is not refunded, because it was used."),
        ]);
        let service = service(model.clone())?;
        let message = json!({"message": "Refund order 1042"});
        let asked = send(&service, "ada", "/support/runs", Some(message)).await;
        assert!(
            asked.events.contains(r#"{"type":"waiting""#),
            "{}",
            asked.events
        );

        let decision = json!({"decisions": {"1": {"type": "deny", "reason": "It was used."}}});
        let decisions = format!("/runs/{}/decisions", asked.run);
        let by_ada = send(&service, "ada", &decisions, Some(decision.clone())).await;
        assert_eq!(by_ada.status, StatusCode::FORBIDDEN);
        let by_cleo = send(&service, "cleo", &decisions, Some(decision)).await;
        assert_eq!(by_cleo.status, StatusCode::ACCEPTED);

        // The run has gone on, and Ada follows it to its end.
        let events = format!("/runs/{}/events", asked.run);
        let answered = send(&service, "ada", &events, None).await;
        assert!(
            answered
                .events
                .contains("It is not refunded, because it was used."),
            "{}",
            answered.events
        );
        model.assert_complete();
        Ok(())
    }
}
