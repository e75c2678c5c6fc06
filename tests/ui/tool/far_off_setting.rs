use agent_runtime::tool;

/// Greets somebody
#[tool(colour = "red")]
fn greet(name: String) -> String {
    name
}

fn main() {}
