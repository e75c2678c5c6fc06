//! A support desk: an agent that asks specialists. One reads the customer's words and answers without any, so that they cannot
//! tell the others what to do; one pays money back when a person approves.
//!
//! `cargo run -q -p support-desk -- --approve` runs it without a key and without a network: a script answers in place
//! of a model. `--model OpenAI/gpt-6-luna`, with `OPENAI_API_KEY` set, asks a real model, and `--base-url
//! http://127.0.0.1:8080/v1` any server that speaks its protocol.
//!
//! The refund waits for a person. Without `--approve` or `--deny` the run is saved in `support-desk.json`, or
//! in the file of `--save FILE`, and `--resume FILE --approve` continues it, in another process.

mod desk;
mod options;
mod script;
#[cfg(test)]
mod tests;

use agent_runtime::run::{Decision, Run, RunOutcome};
use agent_runtime::{Agent, Error, Event, Model, Runtime};
use desk::{SUPPORT, library};
use options::{Options, read_options};
use script::Script;
use std::fmt::Display;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let options = match read_options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    let mut print = |line: String| println!("{line}");
    match run(&options, &mut print).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the desk, or continues a saved run, and prints the lines of the run.
async fn run(options: &Options, print: &mut (dyn FnMut(String) + Send)) -> Result<(), Error> {
    let (agent, runtime) = desk(options)?;
    let library = library();
    let mut run = match &options.resume {
        Some(file) => {
            let text = std::fs::read_to_string(file).map_err(|error| failed(file, &error))?;
            let json = serde_json::from_str(&text).map_err(|error| failed(file, &error))?;
            runtime.read_run(&json, &library)?
        }
        None => {
            print(format!("💬 {}", options.message));
            runtime
                .run(&agent, &options.message)
                .tools(&library)
                .start()?
        }
    };
    loop {
        let mut observer = |event: &Event| show(event, print);
        match runtime.resume(&mut run).observer(&mut observer).await? {
            RunOutcome::Done(response) => {
                print(format!("🤖 {}", response.content));
                print(format!("   {} requests", response.usage.requests));
                return Ok(());
            }
            RunOutcome::AwaitingApproval(calls) => {
                for call in &calls {
                    let arguments = &call.arguments;
                    print(format!("❓ {} {arguments} ({})", call.path, call.id));
                    if let Some(guarded) = &call.guarded {
                        print(format!("   ⚠ {guarded}"));
                    }
                }
                let Some(is_approved) = options.decision else {
                    return save(&run, options, print);
                };
                for call in &calls {
                    run.approve(&call.id, decision(is_approved))?;
                }
            }
        }
    }
}

/// The agent and the runtime that the options ask for.
fn desk(options: &Options) -> Result<(Agent, Runtime), Error> {
    let Some(model) = &options.model else {
        return Ok((SUPPORT.clone(), Runtime::with_model(Script)));
    };
    let model = Model::parse(model).map_err(|error| Error::configuration(error.to_string()))?;
    let runtime = match &options.base_url {
        Some(url) => Runtime::builder().base_url(url).build()?,
        None => Runtime::from_env()?,
    };
    Ok((SUPPORT.clone().with_model_everywhere(&model), runtime))
}

fn decision(is_approved: bool) -> Decision {
    match is_approved {
        true => Decision::Approve,
        false => Decision::Deny {
            reason: Some("The customer was not charged twice.".to_owned()),
        },
    }
}

/// Saves a run with the runs of its specialists.
fn save(run: &Run, options: &Options, print: &mut dyn FnMut(String)) -> Result<(), Error> {
    let file = &options.save;
    let json = run.to_json().to_string();
    std::fs::write(file, json).map_err(|error| failed(file, &error))?;
    print(format!(
        "the run is saved; go on with `--resume {file} --approve`, or with `--deny`"
    ));
    Ok(())
}

fn failed(file: &str, error: &dyn Display) -> Error {
    Error::validation(format!("`{file}`: {error}"))
}

/// Shows the calls of the desk, and those of its specialists with their path.
fn show(event: &Event, print: &mut (dyn FnMut(String) + Send)) {
    match event {
        Event::ToolFinished { invocation, .. } => print(format!("🛠️ {invocation}")),
        Event::Nested { path, event, .. } => {
            if let Event::ToolFinished { invocation, .. } = &**event {
                print(format!("🛠️ {path}/{invocation}"));
            }
        }
        _ => {}
    }
}
