use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: String) -> std::pin::Pin<Box<dyn Future<Output = String> + Send>> {
    Box::pin(async move { name })
}

fn main() {}
