use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(pattern = "(")] x: String) {
    let _ = x;
}

fn main() {}
