use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: String) -> Result<String, Option<String>> {
    Err(Some(name))
}

fn main() {}
