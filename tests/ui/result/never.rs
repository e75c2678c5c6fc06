use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: String) -> ! {
    panic!("{name}")
}

fn main() {}
