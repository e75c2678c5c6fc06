use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(timeout = "5s")] x: u8) {
    let _ = x;
}

fn main() {}
