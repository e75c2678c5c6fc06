use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(minimum = "five")] x: u8) {
    let _ = x;
}

fn main() {}
