use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: Option<&str>) -> String {
    name.unwrap_or_default().to_owned()
}

fn main() {}
