use agent_runtime::tool;

/// Greets
#[tool]
mod greetings {}

fn main() {}
