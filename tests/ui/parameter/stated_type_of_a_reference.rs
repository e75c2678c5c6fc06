use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(type = "Text")] x: &str) {
    let _ = x;
}

fn main() {}
