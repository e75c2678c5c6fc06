use agent_runtime::tool;

/// Greets somebody
#[tool(destructive, inline, read_only, timeout = "1s")]
fn greet(name: String) -> String {
    name
}

fn main() {}
