use agent_runtime::tool;

/// Greets
#[tool]
trait Greeter {}

fn main() {}
