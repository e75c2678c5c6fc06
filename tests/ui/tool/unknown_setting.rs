use agent_runtime::tool;

/// Greets somebody
#[tool(timout = "5s")]
fn greet(name: String) -> String {
    name
}

fn main() {}
