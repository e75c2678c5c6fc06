//! An agent that processes orders. Charging a customer needs a person's approval, and must not happen twice.
//!
//! In process, with a journal in a file:
//!
//! ```sh
//! cargo run -q -p durable-orders -- 17
//! ```
//!
//! The run waits for the approval in `orders.db`, also if this process ends now. `cargo run -q -p durable-orders -- 17
//! --approve` finds it there, approves the charge and ends the run.
//!
//! On [Restate](https://restate.dev), with the same agent and the same tools, for as many machines as you like:
//!
//! ```sh
//! npx @restatedev/restate-server@1.7.12
//! cargo run -q -p durable-orders -- --restate
//! ```
//!
//! Register the worker once with `curl localhost:9070/deployments --json '{"uri": "http://localhost:9080"}'`. Then each
//! order is a conversation:
//!
//! ```sh
//! curl localhost:8080/orders/17/send --json '{"message": "Process the order 17"}' &
//! curl localhost:8080/orders/17/progress --json '{"since": 0}'
//! curl localhost:8080/orders/17/approve --json '{"call": "charge-17", "decision": "approve"}'
//! ```
//!
//! Kill the worker or the server at any time, and start it again: the order continues where it was.

use agent_restate::DurableAgent;
use agent_restate::restate_sdk::prelude::Endpoint;
use agent_runtime::conversation::{ConversationName, Role, ToolCall};
use agent_runtime::journal::{Journal, RunFilter, RunInfo, RunState};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::run::{AwaitingApproval, Decision, RunOutcome};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Runtime, ToolContext, ToolLibrary, agent, tool, tools};
use agent_store::SqliteJournal;
use std::error::Error;

/// Looks up what an order costs, in euros
#[tool(read_only)]
async fn find_order(order: &str) -> String {
    format!("The order {order} costs 120 euros.")
}

/// Charges the customer of an order
///
/// It is neither `idempotent` nor `read_only`: if the process dies in the middle of a charge, a person decides whether it
/// was made. A payment provider that takes an idempotency key would let the tool be `idempotent`.
#[tool(requires_approval)]
async fn charge(context: &ToolContext, order: &str, euros: i64) -> String {
    let key = context.idempotency_key();
    println!("💶 The customer of the order {order} is charged {euros} euros. ({key})");
    format!("{euros} euros were charged.")
}

static ORDERS: Agent = agent! {
    tools: [find_order, charge],
    [orders:Agent {instruction: "Process the order.", model: "Scripted/clerk"} | findOrder, charge]
};

fn library() -> ToolLibrary {
    tools![find_order, charge]
}

/// Returns the settings that both ways share. With a key, `Runtime::builder()` and a model such as `OpenAI/gpt-6-luna` are enough.
fn runtime() -> RuntimeBuilder {
    Runtime::builder().model(Clerk)
}

/// A model that needs neither a key nor a network.
struct Clerk;

impl ChatModel for Clerk {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let asked = request
            .messages
            .iter()
            .rposition(|message| message.role() == Role::User)
            .unwrap_or_default();
        let text = request.messages[asked].content();
        let order = text.rsplit(' ').next().unwrap_or_default();
        let results = request.messages[asked..]
            .iter()
            .filter(|message| message.role() == Role::Function);
        let call = |tool: &str, name: &str, more: &str| {
            let arguments = format!(r#"{{"order": "{order}"{more}}}"#);
            ModelReply::calls([ToolCall::new(format!("{name}-{order}"), tool, arguments)])
        };
        let reply = match results.count() {
            0 => call("findOrder", "find", ""),
            1 => call("charge", "charge", r#", "euros": 120"#),
            _ => ModelReply::text(format!("The order {order} is processed.")),
        };
        Box::pin(async move { Ok(reply) })
    }
}

/// Serves the agent to Restate.
async fn on_restate() -> Result<(), Box<dyn Error>> {
    let orders = DurableAgent::new(runtime(), &ORDERS, &library())?;
    let endpoint = Endpoint::builder().bind(orders.into_service()?).build();
    println!("The agent `orders` is served on port 9080.");
    agent_restate::serve(endpoint, "0.0.0.0:9080".parse()?).await?;
    Ok(())
}

/// Processes an order in this process. The runs that an earlier process left are continued first.
async fn in_process(order: &str, file: &str, approve: bool) -> Result<(), Box<dyn Error>> {
    let journal = SqliteJournal::open(file).await?;
    let runtime = runtime().journal(journal.clone()).build()?;
    let library = library();
    for recovered in runtime.recover(&library).await? {
        println!("The run {} was continued.", recovered.info.run);
    }
    // As on Restate, each order is a conversation.
    let name = ConversationName::new(order)?;
    let mut runs = journal.list(&RunFilter::new()).await?.into_iter();
    let is_waiting =
        |run: &RunInfo| run.state == RunState::Waiting && run.conversation.as_ref() == Some(&name);
    let run = match runs.find(is_waiting) {
        Some(waiting) => waiting.run,
        None if approve => {
            println!("No charge of the order {order} waits for an approval.");
            return Ok(());
        }
        None => {
            let run = runtime.run(&ORDERS, format!("Process the order {order}"));
            match run.tools(&library).stored_as(name).await {
                Ok(response) => {
                    println!("🤖 {}", response.content);
                    return Ok(());
                }
                Err(error) => match AwaitingApproval::of(&error) {
                    Some(paused) => paused.run.id().to_owned(),
                    None => return Err(error.into()),
                },
            }
        }
    };
    if !approve {
        println!("The charge waits for your approval: repeat the command with `--approve`.");
        return Ok(());
    }
    let call = format!("charge-{order}");
    let recovered = runtime
        .recover_run(&run)
        .tools(&library)
        .decisions([(call, Decision::Approve)]);
    match recovered.await?.outcome? {
        RunOutcome::Done(response) => println!("🤖 {}", response.content),
        other => println!("{other:?}"),
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--restate") {
        return on_restate().await;
    }
    let file = std::env::var("ORDERS_DB").unwrap_or_else(|_| "orders.db".to_owned());
    let mut orders = arguments
        .iter()
        .filter(|argument| !argument.starts_with('-'));
    let order = orders.next().map_or("17", String::as_str);
    in_process(order, &file, has("--approve")).await
}
