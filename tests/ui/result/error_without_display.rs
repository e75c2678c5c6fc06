use agent_runtime::tool;

#[derive(Debug)]
struct Failure;

/// Greets somebody
#[tool]
fn greet(name: String) -> Result<String, Failure> {
    let _ = name;
    Err(Failure)
}

fn main() {}
