use agent_runtime::tool;

/// Greets somebody
#[tool]
async fn greet(name: String) -> impl Future<Output = String> {
    async move { name }
}

fn main() {}
