use agent_runtime::tool;

/// Greets somebody
#[tool(inline)]
async fn greet(name: String) -> String {
    name
}

fn main() {}
