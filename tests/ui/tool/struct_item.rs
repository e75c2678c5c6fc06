use agent_runtime::tool;

/// Greets somebody
#[tool]
struct Greeter;

fn main() {}
