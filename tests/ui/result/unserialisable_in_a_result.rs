use agent_runtime::tool;

struct Greeting;

/// Greets somebody
#[tool]
fn greet(name: String) -> Result<Greeting, String> {
    Err(name)
}

fn main() {}
