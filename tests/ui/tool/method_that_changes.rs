use agent_runtime::tool;

struct Greeter;

impl Greeter {
    /// Greets somebody
    #[tool]
    async fn greet(&mut self, name: String) -> String {
        name
    }
}

fn main() {}
