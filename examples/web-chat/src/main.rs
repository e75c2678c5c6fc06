//! A chat page with two users: Ada, a customer, and Cleo, a clerk. The agent looks up the user's own orders, and a refund
//! waits until a clerk approves it, also if the server is started again meanwhile.
//!
//! `cargo run -q -p web-chat -- --offline` needs no key and no network. Without `--offline`, `OPENAI_API_KEY` is used.
//! `--journal FILE` or `--journal postgres://…` sets where runs and conversations are kept, and `--port N`
//! where the page is.

mod demo_model;
#[cfg(test)]
mod tests;

use agent_runtime::{Agent, Runtime, ToolContext, ToolError, agent, tool, tools};
use agent_store::{PostgresJournal, SqliteJournal};
use agent_web::{OwnerLimits, Web};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::routing::get;
use axum::serve::ListenerExt;
use demo_model::DemoModel;
use std::error::Error;
use std::time::Duration;

/// The user of a run.
struct Account(String);

fn account(context: &ToolContext) -> Result<&str, ToolError> {
    let account = context.extension::<Account>();
    account
        .map(|Account(user)| user.as_str())
        .ok_or_else(|| ToolError::Execution("the run has no user".into()))
}

/// Looks up an order of the user
#[tool]
fn find_order(context: &ToolContext, number: u32) -> Result<String, ToolError> {
    let user = account(context)?;
    Ok(format!("Order {number} of {user} was sent on Monday."))
}

/// Pays the price of an order back
#[tool(requires_approval)]
fn refund_order(context: &ToolContext, number: u32) -> Result<String, ToolError> {
    let user = account(context)?;
    Ok(format!("Order {number} of {user} is refunded."))
}

const SUPPORT: Agent = agent! {
    tools: [find_order, refund_order],
    [support:Agent {
        instruction: "Help the customer with orders. Refund an order when the customer asks for it.",
        model: "OpenAI/gpt-6-luna"
    } | findOrder, refundOrder]
};

/// The user of a request. A real server looks up its session here.
async fn user(parts: Parts) -> Result<String, &'static str> {
    let text = |name| parts.headers.get(name)?.to_str().ok();
    let cookies = text("cookie").unwrap_or_default().split("; ");
    let cookie = cookies
        .filter_map(|cookie| cookie.strip_prefix("user="))
        .next();
    match text("x-user").or(cookie) {
        Some(user @ ("ada" | "cleo")) => Ok(user.to_owned()),
        _ => Err("choose a user first"),
    }
}

fn is_clerk(user: &str) -> bool {
    user == "cleo"
}

async fn web(journal: &str, is_offline: bool) -> Result<Web<String>, Box<dyn Error>> {
    let mut runtime = Runtime::builder();
    if is_offline {
        runtime = runtime.model(DemoModel);
    }
    runtime = match journal.starts_with("postgres") {
        true => runtime.journal(PostgresJournal::connect(journal).await?),
        false => runtime.journal(SqliteJournal::open(journal).await?),
    };
    let tools = tools![find_order, refund_order];
    Ok(agent_web::router(&runtime.build()?, [SUPPORT], tools)
        .owner(user)
        .each_run(|user, run| run.extension(Account(user.to_owned())))
        .may_decide(|user, _, _| is_clerk(user))
        .per_owner(OwnerLimits::new().concurrent(3).dollars_per_day(1.0))
        .build()?)
}

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

/// The value of an option of the command line.
fn option(name: &str, default: &str) -> String {
    let mut words = std::env::args().skip_while(|word| word != name);
    words.nth(1).unwrap_or_else(|| default.to_owned())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let is_offline = std::env::args().any(|word| word == "--offline");
    let web = web(&option("--journal", "web-chat.db"), is_offline).await?;
    // Continues the runs that an earlier process left.
    web.recover();
    let app = page().nest("/agents", web.router());
    let listener =
        tokio::net::TcpListener::bind(format!("127.0.0.1:{}", option("--port", "8700"))).await?;
    println!("The page is at http://{}/", listener.local_addr()?);
    let closing = async move {
        let _ = tokio::signal::ctrl_c().await;
        web.close(Duration::from_secs(10)).await;
    };
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true); // sends each event at once
    });
    Ok(axum::serve(listener, app)
        .with_graceful_shutdown(closing)
        .await?)
}
