use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(name = "the x")] x: u8) {
    let _ = x;
}

fn main() {}
