use agent_runtime::tool;

/// Greets
#[tool]
const GREETING: &str = "hello";

fn main() {}
