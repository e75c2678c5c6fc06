use agent_runtime::tool;

/// # Greets
///
/// Somebody.
#[tool]
fn greet(name: String) -> String {
    name
}

fn main() {}
