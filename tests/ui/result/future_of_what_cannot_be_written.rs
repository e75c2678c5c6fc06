use agent_runtime::tool;

struct Greeting;

/// Greets somebody
#[tool]
fn greet(name: String) -> impl Future<Output = Greeting> {
    async move {
        let _ = name;
        Greeting
    }
}

fn main() {}
