use agent_runtime::tool;

/// Greets somebody
#[tool(timeout = "0s")]
fn greet(name: String) -> String {
    name
}

fn main() {}
