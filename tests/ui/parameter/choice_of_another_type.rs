use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(enum = ["a", 5])] x: String) {
    let _ = x;
}

fn main() {}
