use agent_runtime::tool;

/// Greets somebody
#[tool]
#[tool]
fn greet(name: String) -> String {
    name
}

fn main() {}
