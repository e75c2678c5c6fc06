use agent_runtime::tool;

trait Greeter {
    /// Greets somebody
    #[tool]
    fn greet(name: String) -> String;
}

fn main() {}
