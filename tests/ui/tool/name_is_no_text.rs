use agent_runtime::tool;

/// Greets somebody
#[tool(name = 5)]
fn greet(name: String) -> String {
    name
}

fn main() {
    let _ = greet {};
}
