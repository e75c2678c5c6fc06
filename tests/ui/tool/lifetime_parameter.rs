use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet<'a>(name: &'a str) -> &'a str {
    name
}

fn main() {}
