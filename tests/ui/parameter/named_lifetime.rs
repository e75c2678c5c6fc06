use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: &'static str) -> String {
    name.to_owned()
}

fn main() {}
