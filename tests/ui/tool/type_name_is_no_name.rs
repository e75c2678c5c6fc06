use agent_runtime::tool;

/// Greets somebody
#[tool(type_name = "Greet")]
fn greet(name: String) -> String {
    name
}

fn main() {}
