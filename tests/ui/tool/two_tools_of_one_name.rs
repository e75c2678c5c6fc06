use agent_runtime::{tool, tools};

/// Greets somebody
#[tool]
fn greet(name: String) -> String {
    name
}

/// Greets somebody else
#[tool(name = "greet")]
fn welcome(name: String) -> String {
    name
}

fn main() {
    let _ = tools![greet, welcome];
}
