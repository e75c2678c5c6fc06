use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: &String) -> String {
    name.clone()
}

fn main() {}
