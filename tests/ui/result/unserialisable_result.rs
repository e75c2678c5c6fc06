use agent_runtime::tool;

struct Greeting;

/// Greets somebody
#[tool]
fn greet(name: String) -> Greeting {
    let _ = name;
    Greeting
}

fn main() {}
