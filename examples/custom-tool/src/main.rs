//! A tool that is known only at run time: a closure and two JSON Schemas.
//!
//! `cargo run -q -p custom-tool` asks for the weather in Ulm, without a key and without a network.
//! The offline model takes the city from the quotes: `-- 'And the weather in "Oslo"?'`.

#[cfg(test)]
mod tests;
mod weather;

use agent_runtime::spec::AgentPattern;
use agent_runtime::{Agent, Conversation, Runtime, ToolLibrary};
use std::error::Error;
use std::process::ExitCode;

const AGENT: &str = include_str!("../agents/forecaster.gram");

const USAGE: &str = "\
usage: custom-tool [MESSAGE]

Asks the forecaster, by default: What is the weather in \"Ulm\"?";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let message = match words.as_slice() {
        [] => "What is the weather in \"Ulm\"?".to_owned(),
        [word] if word == "-h" || word == "--help" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [word, ..] if word.starts_with('-') => {
            eprintln!("there is no option `{word}`\n\n{USAGE}");
            return ExitCode::from(2);
        }
        words => words.join(" "),
    };
    match answer(&message).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The agent, from its file.
fn forecaster() -> Result<Agent, Box<dyn Error>> {
    Ok(AgentPattern::parse(AGENT)?.to_agent()?)
}

async fn answer(message: &str) -> Result<(), Box<dyn Error>> {
    let mut library = ToolLibrary::new();
    library.add(weather::get_weather()?)?;
    // `Runtime::from_env()?` asks the model of the file instead.
    let runtime = Runtime::offline();
    let mut conversation = Conversation::new();
    let reply = runtime
        .execute(&forecaster()?, message, &mut conversation, &library)
        .await?;
    println!("💬 {message}");
    for used in &reply.tools_used {
        println!("🛠️ {used}");
    }
    println!("🤖 {}", reply.content);
    Ok(())
}
