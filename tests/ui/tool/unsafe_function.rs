use agent_runtime::tool;

/// Greets somebody
#[tool]
unsafe fn greet(name: String) -> String {
    name
}

fn main() {}
