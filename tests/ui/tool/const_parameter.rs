use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet<const N: usize>(name: String) -> String {
    name
}

fn main() {}
