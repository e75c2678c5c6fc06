use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet<T: ToString>(name: T) -> String {
    name.to_string()
}

fn main() {}
