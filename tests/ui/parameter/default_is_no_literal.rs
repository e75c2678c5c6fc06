use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(#[tool(default = String::new())] name: String) -> String {
    name
}

fn main() {}
