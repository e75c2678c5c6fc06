use agent_runtime::tool;

/// Greets somebody
#[tool(read_only, destructive)]
fn greet(name: String) -> String {
    name
}

fn main() {}
