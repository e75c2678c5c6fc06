use agent_runtime::tool;

/// Greets somebody
#[tool(timeout = "5s", timeout = "6s")]
fn greet(name: String) -> String {
    name
}

fn main() {}
