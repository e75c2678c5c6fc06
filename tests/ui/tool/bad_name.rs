use agent_runtime::tool;

/// Greets somebody
#[tool(name = "say hello")]
fn greet(name: String) -> String {
    name
}

fn main() {}
