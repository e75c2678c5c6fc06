use agent_runtime::tool;

/// Greets somebody
#[tool(min_length = 1)]
fn greet(name: String) -> String {
    name
}

fn main() {}
