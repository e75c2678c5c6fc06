use agent_runtime::tool;

/// Greets somebody
#[tool]
fn grüße(name: String) -> String {
    name
}

fn main() {}
