use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(minimum = 5, maximum = 1)] x: u8) {
    let _ = x;
}

fn main() {}
