use agent_runtime::tool;

/// Greets somebody
#[tool(export = "../gram")]
fn greet(name: String) -> String {
    name
}

fn main() {}
