use agent_runtime::tool;

/// Greets somebody
#[tool(rename_all = snake_case)]
fn greet(name: String) -> String {
    name
}

fn main() {}
