//! The worker of the tests with a real server: an agent whose tools write each act into a file, and a model that answers by
//! what it was asked alone. `worker PORT FILE` serves it on 127.0.0.1.

use agent_restate::DurableAgent;
use agent_restate::restate_sdk::prelude::{Endpoint, HttpServer};
use agent_runtime::conversation::{Role, ToolCall};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::{Agent, Runtime, ToolContext, agent, tool, tools};
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

static CLERK: Agent = agent! {
    tools: [look, pay, refund],
    [clerk:Agent {instruction: "Pay what is due.", model: "Scripted/any"} | look, pay, refund]
};

/// Writes what was done into the file.
async fn act(context: &ToolContext, what: &str) {
    let file = std::env::args().nth(2).unwrap_or_default();
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .expect("the file");
    writeln!(file, "{what} {}", context.idempotency_key()).expect("the file");
    tokio::time::sleep(Duration::from_millis(30)).await;
}

/// Looks something up
#[tool(read_only)]
async fn look(context: &ToolContext, what: &str) -> String {
    act(context, "look").await;
    format!("{what} is there")
}

/// Pays
#[tool]
async fn pay(context: &ToolContext, amount: i64) -> String {
    act(context, "pay").await;
    format!("{amount} is paid")
}

/// Pays back
#[tool(requires_approval)]
async fn refund(context: &ToolContext, amount: i64) -> String {
    act(context, "refund").await;
    format!("{amount} is paid back")
}

/// Answers by the messages since the last one of the user.
struct Model;

impl ChatModel for Model {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let messages = &request.messages;
        let asked = messages
            .iter()
            .rposition(|message| message.role() == Role::User);
        let asked = asked.unwrap_or(0);
        let text = messages[asked].content().to_owned();
        let since = messages[asked..].iter();
        let turn = since
            .filter(|message| message.role() == Role::Assistant)
            .count();
        let call = |id: &str, tool: &str, arguments: &str| {
            ToolCall::new(format!("{id}{turn}"), tool, arguments)
        };
        let reply = match (text.as_str(), turn) {
            ("refund", 0) => ModelReply::calls([call("r", "refund", r#"{"amount": 5}"#)]),
            ("refund", _) => ModelReply::text("Paid back."),
            (_, 0..4) => ModelReply::calls([
                call("a", "look", r#"{"what": "tea"}"#),
                call("b", "look", r#"{"what": "cake"}"#),
                call("c", "pay", r#"{"amount": 1}"#),
            ]),
            _ => ModelReply::text(format!("Done after {} messages.", messages.len())),
        };
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(30)).await;
            Ok(reply)
        })
    }
}

#[tokio::main]
async fn main() {
    let port: u16 = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .expect("a port");
    let runtime = Runtime::builder().model(Model);
    let clerk = DurableAgent::new(runtime, &CLERK, &tools![look, pay, refund]).expect("an agent");
    let endpoint = Endpoint::builder()
        .bind(clerk.into_service().expect("an object"))
        .build();
    HttpServer::new(endpoint)
        .listen_and_serve(([127, 0, 0, 1], port).into())
        .await;
}
