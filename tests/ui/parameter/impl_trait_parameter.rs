use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: impl Into<String>) -> String {
    name.into()
}

fn main() {}
