//! The hello world agent: one function, one agent, checked against each other by the compiler.
//!
//! `cargo run -q -p hello-world -- "Hello, I'm Ada"` runs it without a key and without a network.
//! With `OPENAI_API_KEY` set, `--model OpenAI/gpt-6-luna` talks to the real service, and
//! `--base-url http://127.0.0.1:8080/v1` to any server that speaks its protocol.

mod options;
#[cfg(test)]
mod tests;

use agent_runtime::{Agent, Conversation, Event, Model, Runtime, agent, tool, tools};
use options::{Options, read_options};
use std::process::ExitCode;

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(#[tool(default = "world")] person_name: String) -> String {
    format!("Hello, {person_name}! Nice to meet you.")
}

/// Change `Text` to `Int`, and `cargo check` fails on that word.
const AGENT: Agent = agent! {
    tools: [say_hello],
    [hello_world_agent:Agent {
        description: "A friendly agent that uses the sayHello tool to greet users",
        instruction: "You are a friendly assistant. Have friendly conversations with the user. When the user greets you or says hello, use the `sayHello` tool to respond with a personalized greeting.",
        model: "OpenAI/gpt-6-luna"
    } |
        [sayHello:Tool { description: "Returns a friendly greeting message for the given name" } |
            (personName::Text {default: "world"})==>(::String)
        ]
    ]
};

#[tokio::main]
async fn main() -> ExitCode {
    let options = match read_options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    match run(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            let mut source = std::error::Error::source(&error);
            while let Some(cause) = source {
                eprintln!("  caused by: {cause}");
                source = cause.source();
            }
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), agent_runtime::Error> {
    let mut agent = AGENT;
    let mut runtime = Runtime::builder();
    match &options.model {
        Some(model) => {
            let model = Model::parse(model)
                .map_err(|error| agent_runtime::Error::configuration(error.to_string()))?;
            agent = agent.with_model(model);
        }
        None => runtime = runtime.offline(),
    }
    if let Some(url) = options.base_url {
        runtime = runtime.base_url(url);
    }
    let library = tools![say_hello];
    let mut conversation = Conversation::new();
    println!("💬 {}", options.message);
    let mut print = |event: &Event| {
        if let Event::ToolFinished { invocation, .. } = event {
            println!("🛠️ {invocation}");
        }
    };
    let reply = runtime
        .build()?
        .run(&agent, &options.message)
        .tools(&library)
        .conversation(&mut conversation)
        .observer(&mut print)
        .await?;
    println!("🤖 {}", reply.content);
    Ok(())
}
