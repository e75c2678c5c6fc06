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

/// The routes of the agents. Runs and conversations are kept in the file `journal`.
async fn agents(journal: &str, is_offline: bool) -> Result<Web<String>, Box<dyn Error>> {
    let mut runtime = Runtime::builder().journal(SqliteJournal::open(journal).await?);
    if is_offline {
        runtime = runtime.model(Offline::new());
    }
    let library = tools![find_order, refund_order];
    Ok(
        agent_web::router(&runtime.build()?, [SUPPORT.clone()], library)
            .owner(user)
            .each_run(|user, run| run.extension(Account(user.to_owned())))
            .may_decide(|user, _run, _call| user == "cleo")
            .per_owner(OwnerLimits::new().concurrent(3).dollars_per_day(1.0))
            .build()?,
    )
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
    let is_offline = std::env::args().any(|word| word == "--offline");
    let web = agents("runs.db", is_offline).await?;
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
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use tower::ServiceExt;

    async fn send(service: &Router, user: &str, message: &str) -> String {
        let request = Request::post("/support/runs")
            .header("cookie", format!("user={user}"))
            .header("content-type", "application/json")
            .body(Body::from(format!(r#"{{"message": "{message}"}}"#)));
        let answer = service.clone().oneshot(request.expect("a request")).await;
        let body = to_bytes(answer.expect("an answer").into_body(), usize::MAX).await;
        String::from_utf8_lossy(&body.expect("a body")).into_owned()
    }

    #[tokio::test]
    async fn an_order_is_found_and_a_refund_waits() -> Result<(), Box<dyn Error>> {
        let folder = std::env::temp_dir().join(format!("__NAME__-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let journal = folder.join("runs.db").display().to_string();
        let service = agents(&journal, true).await?.router();
        let found = send(&service, "ada", "Where is order 1042?").await;
        assert!(
            found.contains("Order 1042 of ada was sent on Monday."),
            "{found}"
        );
        let asked = send(&service, "ada", "Please refund order 1042").await;
        assert!(asked.contains(r#"{"type":"waiting""#), "{asked}");
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }
}
