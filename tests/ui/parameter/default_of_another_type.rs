use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(#[tool(default = 5)] name: String) -> String {
    name
}

fn main() {}
