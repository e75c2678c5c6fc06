//! The worker of the tests with a real server: an agent whose tools write each act into a file, and a model
//! whose answers depend on its request alone. `worker PORT FILE` serves it on 127.0.0.1.

use agent_restate::restate_sdk::endpoint::ServiceOptions;
use agent_restate::restate_sdk::prelude::Endpoint;
use agent_restate::{DurableAgent, MediaFolder};
use agent_runtime::conversation::{Role, ToolCall};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::{Agent, Error, Runtime, agent, tool, tools};
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

static CLERK: Agent = agent! {
    tools: [look, pay, refund, copy, wait],
    [clerk:Agent {instruction: "Pay what is due.", model: "Scripted/any"} | look, pay, refund, copy, wait]
};

/// A key that no log may have.
const KEY: &str = "sk-worker-0123456789abcdef";

fn file() -> String {
    std::env::args().nth(2).unwrap_or_default()
}

/// Whether the test made a file with this ending.
fn is_set(ending: &str) -> bool {
    std::path::Path::new(&format!("{}.{ending}", file())).exists()
}

/// Writes what was done into the file.
fn act(what: &str, order: &str) {
    let file = OpenOptions::new().create(true).append(true).open(file());
    // One write, because other calls append to the file, too.
    let line = format!("{what} {order}\n");
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("the file");
}

async fn a_while() {
    tokio::time::sleep(Duration::from_millis(30)).await;
}

/// Looks something up
#[tool(read_only)]
async fn look(order: &str) -> String {
    act("look", order);
    a_while().await;
    format!("{order} is there")
}

/// Pays
#[tool]
async fn pay(order: &str) -> String {
    act("pay", order);
    a_while().await;
    format!("{order} is paid; the key is {KEY}")
}

/// Pays back
#[tool(requires_approval)]
async fn refund(order: &str, amount: Option<i64>) -> String {
    act("refund", order);
    a_while().await;
    format!("{} of {order} is paid back", amount.unwrap_or(5))
}

/// Returns a text of so many megabytes
#[tool(read_only)]
async fn copy(megabytes: i64) -> String {
    "x".repeat(usize::try_from(megabytes).unwrap_or_default() << 20)
}

/// Waits for a number of seconds
#[tool(read_only)]
async fn wait(order: &str, seconds: i64) -> String {
    act("wait", order);
    tokio::time::sleep(Duration::from_secs(seconds.unsigned_abs())).await;
    act("waited", order);
    "the time is over".to_owned()
}

/// Answers by the messages since the last message of the user.
struct Model;

impl ChatModel for Model {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let messages = &request.messages;
        let asked = messages
            .iter()
            .rposition(|message| message.role() == Role::User);
        let asked = asked.unwrap_or(0);
        let text = messages[asked].content().to_owned();
        let (kind, order) = text.split_once(' ').unwrap_or((&text, "nothing"));
        let since = messages[asked..].iter();
        let turn = since
            .filter(|message| message.role() == Role::Assistant)
            .count();
        let call = |id: &str, tool: &str, more: &str| {
            let arguments = format!(r#"{{"order": "{order}-{turn}"{more}}}"#);
            ToolCall::new(format!("{id}{turn}"), tool, arguments)
        };
        let reply = match (kind, turn) {
            ("order", 0) => ModelReply::calls([
                call("a", "look", ""),
                call("b", "look", ""),
                call("c", "pay", ""),
            ]),
            ("order", 1 | 4) => ModelReply::calls([call("c", "pay", "")]),
            ("order" | "refund", 2) | ("refund", 0) => ModelReply::calls([call("r", "refund", "")]),
            ("two", 0) => ModelReply::calls([call("r", "refund", ""), call("s", "refund", "")]),
            ("order", 3) => ModelReply::calls([call("a", "look", "")]),
            ("copy", 0) => {
                let megabytes = format!(r#"{{"megabytes": {order}}}"#);
                ModelReply::calls([ToolCall::new("c", "copy", megabytes)])
            }
            ("wait", 0) => ModelReply::calls([call("w", "wait", r#", "seconds": 30"#)]),
            ("look", 0..6) => ModelReply::calls([call("a", "look", "")]),
            ("think", 0) => ModelReply::text("Thought."),
            _ => ModelReply::text(format!("{order} is done, says {KEY}.")),
        };
        let asked = format!("{order}-{turn}");
        let is_long = kind == "think";
        Box::pin(async move {
            act("ask", &asked);
            match is_long {
                true => tokio::time::sleep(Duration::from_secs(30)).await,
                false => a_while().await,
            }
            match is_set("down") {
                true => Err(Error::llm("the provider is down").into_unavailable()),
                false => Ok(reply),
            }
        })
    }
}

#[tokio::main]
async fn main() {
    let port: u16 = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .expect("a port");
    let runtime = Runtime::builder().model(Model).secret(KEY).max_attempts(1);
    let tools = match is_set("without-refund") {
        true => tools![look, pay, copy, wait],
        false => tools![look, pay, refund, copy, wait],
    };
    let clerk = DurableAgent::new(runtime, &CLERK, &tools).expect("an agent");
    let media = MediaFolder::open(format!("{}.media", file())).expect("a folder");
    let clerk = match is_set("without-media") {
        true => clerk,
        false => clerk.media_store(media),
    };
    let service = clerk.into_service().expect("an object");
    // The tests kill so often that the engine's pauses would grow to minutes.
    let retries = ServiceOptions::new()
        .retry_policy_initial_interval(Duration::from_millis(100))
        .retry_policy_max_interval(Duration::from_millis(500))
        .retry_policy_max_attempts(1_000);
    let endpoint = Endpoint::builder().bind(service.options(retries)).build();
    let served = agent_restate::serve(endpoint, ([127, 0, 0, 1], port).into());
    served.await.expect("a free port");
}
