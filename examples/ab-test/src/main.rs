//! An A/B test: one agent, two libraries of tools, the same inputs, the answers side by side.
//!
//! `cargo run -q -p ab-test` runs it without a key and without a network.

mod casual;
mod formal;
mod table;

use agent_runtime::{Agent, Conversation, Error, Runtime, ToolLibrary, agent, tools};

/// The agent, from its file. The compiler holds the file against one of the functions: change
/// `Text` to `Int` there, and `cargo check` shows the line.
static AGENT: Agent = agent! { tools: [formal::say_hello], file: "agents/greeter.gram" };

const INPUTS: [&str; 4] = [
    "Hello!",
    "Hello, I'm Ada",
    "Please greet Grace Hopper",
    "What is the weather like?",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    // A library holds implementations by name. Both of these know a `sayHello`, and the agent runs
    // with either: its tools are bound when it is executed, by the rule that the compiler used.
    let library_a = tools![formal::say_hello];
    let library_b = tools![casual::say_hello];

    let mut rows = vec![["input", "A: formal", "B: casual"].map(str::to_owned)];
    for input in INPUTS {
        let a = answer(input, &library_a).await?;
        let b = answer(input, &library_b).await?;
        rows.push([input.to_owned(), a, b]);
    }
    print!("{}", table::aligned(&rows));
    Ok(())
}

/// The agent's answer with the tools of a library.
async fn answer(input: &str, library: &ToolLibrary) -> Result<String, Error> {
    // The offline model chooses tools by the words of the input, always in the same way, so that
    // the tools are all that differs. `Runtime::from_env()?` would ask the model of the agent file.
    let runtime = Runtime::offline();
    // Each answer is the first of a conversation of its own: no test colours the next.
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&AGENT, input, &mut conversation, library)
        .await?;
    // The library does not matter to a run that called no tool, whatever the model said.
    if response.tools_used.is_empty() {
        return Ok("(no tool called)".to_owned());
    }
    Ok(response.content)
}
