//! An A/B test: one agent, two libraries of tools, the same inputs, and how the two differ.
//!
//! `cargo run -q -p ab-test` runs it without a key and without a network. `--html FILE` and
//! `--json FILE` write the report as a page with plots and as JSON; `--trials N` asks for more runs;
//! `--help` lists them.

mod arguments;
mod casual;
mod formal;

use agent_eval::{Arm, Experiment};
use agent_runtime::{Agent, Runtime, agent, tools};
use arguments::{Arguments, HELP, Wanted};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The agent, from its file. The compiler checks the file against one of the functions: change `Text` to
/// `Int` there, and `cargo check` shows the line.
static AGENT: Agent = agent! { tools: [formal::say_hello], file: "agents/greeter.gram" };

const INPUTS: [&str; 6] = [
    "Hello!",
    "Hello, I'm Ada",
    "Please greet Grace Hopper",
    "Say hello to my friend Alan",
    "Hi, my name is Margaret",
    "What is the weather like?",
];

/// A greeting longer than this is too long for a phone.
const SHORT: usize = 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let wanted = Wanted::read(std::env::args().skip(1));
    let done = match wanted {
        Ok(Wanted::Help) => {
            println!("{HELP}");
            Ok(())
        }
        Ok(Wanted::Report(arguments)) => compare(&arguments).await,
        Err(mistake) => {
            eprintln!("error: {mistake}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn compare(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    // The offline model chooses tools by the words of the input, always in the same way, so that
    // the tools are all that differs. `Runtime::from_env()?` would ask the model of the agent file,
    // and `Arm::model` another one.
    let report = Experiment::new(&AGENT, Runtime::offline())?
        // A library holds implementations by name. Both libraries have a `sayHello`, and the agent runs with
        // either: its tools are bound when it is executed, by the rule that the compiler used.
        .arm(Arm::new("formal").library(tools![formal::say_hello]))
        .arm(Arm::new("casual").library(tools![casual::say_hello]))
        .inputs(INPUTS)
        .trials(arguments.trials)
        // Does the user get a greeting, and is it short?
        .run(|_input, response| !response.tools_used.is_empty() && response.content.len() <= SHORT)
        .await?;

    print!("{report}");
    if let Some(path) = &arguments.html {
        write(path, report.to_html())?;
    }
    if let Some(path) = &arguments.json {
        write(path, report.to_json_text())?;
    }
    Ok(())
}

/// Writes a file. The error names the file.
fn write(path: &Path, text: String) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}
