use agent_runtime::tool;

/// Greets somebody
#[tool(default = "Ada")]
fn greet(name: String) -> String {
    name
}

fn main() {}
