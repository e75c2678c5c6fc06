use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: String) -> impl ToString {
    name
}

fn main() {}
