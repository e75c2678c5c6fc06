use agent_runtime::tool;

struct Greeting;

/// Greets somebody
#[tool]
async fn greet(name: String) -> Option<Greeting> {
    let _ = name;
    None
}

fn main() {}
