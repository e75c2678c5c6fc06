use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(type = "[Text")] x: Vec<String>) {
    let _ = x;
}

fn main() {}
