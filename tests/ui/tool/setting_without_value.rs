use agent_runtime::tool;

/// Greets somebody
#[tool(name)]
fn greet(name: String) -> String {
    name
}

fn main() {}
