use agent_runtime::tool;

/// Greets somebody
#[tool(name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
fn greet(name: String) -> String {
    name
}

fn main() {}
