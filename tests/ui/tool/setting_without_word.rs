use agent_runtime::tool;

/// Greets somebody
#[tool("greetSomebody")]
fn greet(name: String) -> String {
    name
}

fn main() {}
