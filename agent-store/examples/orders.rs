//! The worker of the tests in tests/real/journal: an agent that pays orders, with a journal in PostgreSQL.
//! `orders pay ORDER…` sends orders one after another in a stored conversation, `orders repair` continues the
//! runs of a worker that was killed, and `orders show` prints the runs and the conversation. DATABASE_URL is
//! the database, GATE the address of the model with the name of the case, and LEDGER the file to which each
//! payment adds a line.

use agent_runtime::conversation::{ConversationName, ConversationStore, ToolCall};
use agent_runtime::journal::{Journal, RunFilter};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::run::{Decision, PendingCall};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Agent, Error, Runtime, ToolError, ToolLibrary, agent, serde_json};
use agent_store::{PostgresJournal, PostgresStore};
use serde_json::{Value, json};
use std::error::Error as StdError;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

static PAYER: Agent = agent! {
    tools: [dynamic pay_pay],
    [payer:Agent {instruction: "Pay the parts of each order.", model: "Scripted/any"} |
        [pay_pay:Tool {description: "Pays a part of an order"} | (order::Text)==>(part::Int)==>(::Any)]
    ]
};

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("the variable {name} is set"))
}

/// Sends a request to the gate, and returns the body of the answer.
async fn ask(method: &str, path: &str, body: &str) -> std::io::Result<String> {
    let gate = variable("GATE");
    let (address, case) = gate.rsplit_once('/').expect("an address and a case");
    let mut stream = TcpStream::connect(address.replace('/', ":")).await?;
    let length = body.len();
    let request =
        format!("{method} /{case}/{path} HTTP/1.0\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    Ok(body.to_owned())
}

/// The model of the tests, over HTTP.
struct Model;

impl ChatModel for Model {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let body = json!({"messages": request.messages}).to_string();
            let asked = ask("POST", "v1/chat/completions", &body).await;
            let answer = asked.map_err(|error| Error::llm(error.to_string()))?;
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            Ok(reply(&answer))
        })
    }
}

/// Reads an answer in the format of OpenAI.
fn reply(answer: &Value) -> ModelReply {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let message = &answer["choices"][0]["message"];
    let calls = message["tool_calls"].as_array();
    let mut reply = match calls {
        None => ModelReply::text(text(&message["content"])),
        Some(calls) => ModelReply::calls(calls.iter().map(|call| {
            let function = &call["function"];
            let (id, tool) = (text(&call["id"]), text(&function["name"]));
            ToolCall::new(id, tool, text(&function["arguments"]))
        })),
    };
    reply.id = Some(text(&answer["id"]));
    reply
}

/// Returns the order and the part of a call.
fn order_and_part(arguments: &Value) -> (&str, i64) {
    let order = arguments["order"].as_str().unwrap_or_default();
    (order, arguments["part"].as_i64().unwrap_or_default())
}

fn paid(order: &str, part: i64) -> Value {
    format!("part {part} of {order} is paid").into()
}

/// Pays, which is not idempotent.
async fn pay(arguments: Value) -> Result<Value, ToolError> {
    let (order, part) = order_and_part(&arguments);
    let ledger = OpenOptions::new().append(true).open(variable("LEDGER"));
    // One write to the end of the file.
    let line = format!("{order},{part},,{}\n", std::process::id());
    let written = ledger.and_then(|mut ledger| ledger.write_all(line.as_bytes()));
    written.expect("the ledger");
    ask("GET", &format!("{order}/{part}"), "")
        .await
        .expect("the gate");
    Ok(paid(order, part))
}

/// Decides on a call in doubt by the ledger, as a person would.
async fn decide(call: PendingCall) -> Decision {
    let arguments: Value = serde_json::from_str(&call.arguments).expect("JSON");
    let (order, part) = order_and_part(&arguments);
    let ledger = std::fs::read_to_string(variable("LEDGER")).expect("the ledger");
    let is_paid = ledger.contains(&format!("{order},{part},"));
    match call.in_doubt && is_paid {
        true => Decision::Done {
            result: paid(order, part),
        },
        false => Decision::Approve,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn StdError>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let journal = PostgresJournal::connect(&variable("DATABASE_URL")).await?;
    let runtime = Runtime::builder()
        .model(Model)
        .journal(journal.clone())
        .approver(decide)
        .build()?;
    let signature = "(order::Text)==>(part::Int)==>(::Any)";
    let pay = ToolConfig::with_signature("pay_pay", "Pays a part of an order", signature)
        .build_with_context(|arguments, _| pay(arguments))?;
    let mut library = ToolLibrary::new();
    library.add(pay)?;
    match arguments.first().map(String::as_str) {
        Some("pay") => send(&runtime, &library, &arguments[1..]).await,
        Some("repair") => repair(&runtime, &library, &journal).await,
        Some("show") => show(&journal).await,
        _ => Err("say what to do: pay, repair or show".into()),
    }
}

fn conversation() -> ConversationName {
    ConversationName::new("ada").expect("a name")
}

/// Sends orders. If an order fails, the next one is still sent.
async fn send(
    runtime: &Runtime,
    library: &ToolLibrary,
    orders: &[String],
) -> Result<(), Box<dyn StdError>> {
    for order in orders {
        println!("💬 {order}");
        let run = runtime.run(&PAYER, order.as_str()).tools(library);
        match run.stored_as(conversation()).await {
            Ok(response) => println!("🤖 {}", response.content),
            Err(error) => println!("error: {error}"),
        }
    }
    Ok(())
}

/// Continues runs until all have ended, for at most a minute.
async fn repair(
    runtime: &Runtime,
    library: &ToolLibrary,
    journal: &PostgresJournal,
) -> Result<(), Box<dyn StdError>> {
    for _ in 0..240 {
        for recovered in runtime.recover(library).await? {
            println!("{}  {:?}", recovered.info.run, recovered.outcome);
        }
        if journal
            .list(&RunFilter::new())
            .await?
            .iter()
            .all(|run| run.state.is_over())
        {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    Err("some runs have not ended".into())
}

async fn show(journal: &PostgresJournal) -> Result<(), Box<dyn StdError>> {
    let mut runs = Vec::new();
    for info in journal.list(&RunFilter::new()).await? {
        let stored = journal.read(&info.run).await?.ok_or("the run is gone")?;
        stored.verify()?;
        let records = stored.records.iter();
        let records: Result<Vec<Value>, _> = records
            .map(|record| serde_json::from_str(&record.json()))
            .collect();
        runs.push(json!({"run": info.run, "state": info.state.as_str(), "records": records?}));
    }
    let store = PostgresStore::connect(&variable("DATABASE_URL")).await?;
    let stored = store.load(&conversation()).await?;
    let messages = stored.map(|stored| json!(stored.conversation.messages()));
    println!(
        "{}",
        json!({"runs": runs, "conversation": messages.unwrap_or(json!([]))})
    );
    Ok(())
}
