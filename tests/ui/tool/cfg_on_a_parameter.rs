use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: String, #[cfg(any())] times: u8) -> String {
    name
}

fn main() {}
