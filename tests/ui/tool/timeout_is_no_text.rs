use agent_runtime::tool;

/// Greets somebody
#[tool(timeout = 5)]
fn greet(name: String) -> String {
    name
}

fn main() {}
