use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(minimum = 1, maximum = 5, default = 6)] x: u8) {
    let _ = x;
}

fn main() {}
