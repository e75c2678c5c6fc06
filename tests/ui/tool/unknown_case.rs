use agent_runtime::tool;

/// Greets somebody
#[tool(rename_all = "snakecase")]
fn greet(name: String) -> String {
    name
}

fn main() {}
