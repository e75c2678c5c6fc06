//! A chat page with two users: Ada, a customer, and Cleo, a clerk. The agent looks up the user's own orders, and a refund
//! waits until a clerk approves it, also if the server is started again meanwhile.
//!
//! `cargo run -q -p web-chat -- --offline` needs no key and no network. Without `--offline`, `OPENAI_API_KEY` is used.
//! `--journal FILE` or `--journal postgres://…` says where runs and conversations are kept, and `--port N` where the page
//! is.

mod demo_model;
mod options;
#[cfg(test)]
mod tests;

use agent_runtime::{Agent, Runtime, ToolContext, ToolError, ToolLibrary, agent, tool, tools};
use agent_store::{PostgresJournal, SqliteJournal};
use agent_web::{OwnerLimits, Web};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::routing::get;
use demo_model::DemoModel;
use options::Options;
use std::error::Error;
use std::time::Duration;

/// The user for whom a run is.
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

fn support() -> (Agent, ToolLibrary) {
    let support = agent! {
        tools: [find_order, refund_order],
        [support:Agent {
            instruction: "Help the customer with orders. Refund an order when the customer asks for it.",
            model: "OpenAI/gpt-6-luna"
        } | findOrder, refundOrder]
    };
    (support, tools![find_order, refund_order])
}

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

async fn web(options: &Options) -> Result<Web<String>, Box<dyn Error>> {
    let mut runtime = Runtime::builder();
    if options.offline {
        runtime = runtime.model(DemoModel);
    }
    runtime = match options.journal.starts_with("postgres") {
        true => runtime.journal(PostgresJournal::connect(&options.journal).await?),
        false => runtime.journal(SqliteJournal::open(&options.journal).await?),
    };
    let (support, tools) = support();
    let web = agent_web::router(&runtime.build()?, [support], tools)
        .owner(user)
        .each_run(|user, run| run.extension(Account(user.to_owned())))
        .may_decide(|user, _, _| is_clerk(user))
        .per_owner(OwnerLimits::new().concurrent(3).dollars_per_day(1.0))
        .build()?;
    Ok(web)
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

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read(std::env::args().skip(1))?;
    let web = web(&options).await?;
    // What an earlier process left.
    web.recover();
    let app = page().nest("/agents", web.router());
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", options.port)).await?;
    println!("The page is at http://{}/", listener.local_addr()?);
    let closing = async move {
        let _ = tokio::signal::ctrl_c().await;
        web.close(Duration::from_secs(10)).await;
    };
    Ok(axum::serve(listener, app)
        .with_graceful_shutdown(closing)
        .await?)
}
