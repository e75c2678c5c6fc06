use agent_runtime::tool;

/// Greets somebody
#[tool(name("hello"))]
fn greet(name: String) -> String {
    name
}

fn main() {}
