use agent_runtime::{tool, tools};

/// Greets
#[tool]
fn greet() {}

/// Greets in a friendly way
#[tool(name = "greet")]
fn greet_warmly() {}

/// Says goodbye
#[tool]
fn part() {}

/// Greets in a hurry
#[tool(name = "greet")]
fn greet_briefly() {}

fn main() {
    let _ = tools![greet, greet_warmly, part, greet_briefly];
}
