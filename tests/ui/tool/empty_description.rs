use agent_runtime::tool;

/// Greets somebody
#[tool(description = " ")]
fn greet(name: String) -> String {
    name
}

fn main() {}
