use agent_runtime::tool;

struct Greeter;

#[tool]
impl Greeter {
    fn greet(&self) {}
}

fn main() {
    Greeter.greet();
}
