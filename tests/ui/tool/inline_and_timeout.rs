use agent_runtime::tool;

/// Greets somebody
#[tool(inline, timeout = "5s")]
fn greet(name: String) -> String {
    name
}

fn main() {}
