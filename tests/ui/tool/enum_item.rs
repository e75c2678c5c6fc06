use agent_runtime::tool;

/// Greetings
#[tool]
enum Greeting {
    Hello,
}

fn main() {
    let _ = Greeting::Hello;
}
