use agent_runtime::tool;

/// Greets somebody
#[tool]
fn greet(name: Vec<impl Into<String>>) -> String {
    name.into_iter().map(Into::into).collect()
}

fn main() {}
