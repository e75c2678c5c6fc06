use agent_runtime::tool;

/// Greets somebody
#[tool(read_only = "yes")]
fn greet(name: String) -> String {
    name
}

fn main() {}
