//! The runs of each kind of the tests of journals, on a real server. `scenarios` prints their names;
//! `scenarios PORT FILE NAME` runs a scenario in process, writes into the file how it ended, and serves its
//! agent on 127.0.0.1, where the worker dies once at each request to the model.

use agent_restate::DurableAgent;
use agent_restate::restate_sdk::endpoint::ServiceOptions;
use agent_restate::restate_sdk::prelude::Endpoint;
use agent_runtime::Runtime;
use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore, Role};
use agent_runtime::journal::MemoryJournal;
use agent_runtime::model::{ChatFuture, ChatModel, ModelRequest};
use agent_runtime::runtime::RuntimeBuilder;
use serde_json::{Value, json};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use table::{Model, Scenario};

#[path = "../../agent-runtime/tests/support/mod.rs"]
mod support;
#[path = "../../agent-runtime/tests/journal/scenarios/table.rs"]
#[allow(dead_code, unreachable_pub, reason = "tests use the rest of it")]
mod table;

/// The model of a scenario, whose worker dies at each request that was not made before.
struct Dies {
    model: Model,
    /// The requests that were made.
    file: PathBuf,
}

impl ChatModel for Dies {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let answers = request.messages.iter();
        let answers = answers.filter(|message| message.role() == Role::Assistant);
        let line = format!(
            "{} {} {} {}\n",
            request.agent,
            request.model,
            request.messages.len(),
            answers.count()
        );
        let mut lines = fs::read_to_string(&self.file).unwrap_or_default();
        if !lines.contains(&line) {
            lines.push_str(&line);
            fs::write(&self.file, lines).expect("the file");
            std::process::exit(1);
        }
        self.model.chat(request)
    }
}

fn configured(scenario: &Scenario, builder: RuntimeBuilder) -> RuntimeBuilder {
    (scenario.configure)(builder).usage_limits(scenario.limits)
}

/// Runs a scenario in process, and returns how it ended.
async fn ended_in_process(scenario: &Scenario) -> Result<Value, Box<dyn Error>> {
    let conversations = MemoryStore::new();
    let builder = Runtime::builder().model(Model(scenario.model));
    let builder = builder.conversations(conversations.clone());
    let runtime = configured(scenario, builder.journal(MemoryJournal::new())).build()?;
    let (library, name) = (table::tools(), ConversationName::new("ada")?);
    let mut history = scenario.history.clone();
    let run = runtime.run(&scenario.agent, "Go on.").tools(&library);
    let run = run.stored_as(name.clone()).conversation(&mut history);
    let ended = match run.await {
        Ok(response) => json!({"response": response.to_json()}),
        Err(error) => json!({"error": error.to_string()}),
    };
    let added = conversations.load(&name).await?;
    Ok(json!({
        "agent": scenario.agent.name(),
        "before": scenario.history.to_json(),
        "ended": ended,
        "added": added.map(|stored| stored.conversation.to_json()),
    }))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, file, name] = &arguments[..] else {
        table::all()
            .iter()
            .for_each(|scenario| println!("{}", scenario.name));
        return Ok(());
    };
    let (port, file): (u16, _) = (port.parse()?, Path::new(file));
    let mut scenarios = table::all().into_iter();
    let scenario = scenarios.find(|scenario| scenario.name == name);
    let scenario = scenario.ok_or_else(|| format!("no scenario `{name}`"))?;
    fs::write(file, ended_in_process(&scenario).await?.to_string())?;
    let model = Dies {
        model: Model(scenario.model),
        file: file.with_extension("requests"),
    };
    let builder = configured(&scenario, Runtime::builder().model(model));
    let agent = DurableAgent::new(builder, &scenario.agent, &table::tools())?;
    let retries = ServiceOptions::new()
        .retry_policy_initial_interval(Duration::from_millis(20))
        .retry_policy_max_interval(Duration::from_millis(100))
        .retry_policy_max_attempts(1_000);
    let endpoint = Endpoint::builder().bind(agent.into_service()?.options(retries));
    agent_restate::serve(endpoint.build(), ([127, 0, 0, 1], port).into()).await?;
    Ok(())
}
