use agent_runtime::tool;

/// Greets somebody
#[tool(retryable = "no")]
fn greet(name: String) -> String {
    name
}

fn main() {}
