use agent_runtime::tool;

struct Greeter;

impl Greeter {
    /// Greets somebody
    #[tool]
    fn greet(self, name: String) -> String {
        name
    }
}

fn main() {
    Greeter.greet("Ada".to_owned());
}
