use agent_runtime::tool;

/// Greets somebody
#[tool(crate = "agent_runtime")]
fn greet(name: String) -> String {
    name
}

fn main() {}
