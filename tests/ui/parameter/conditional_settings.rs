use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[cfg_attr(all(), tool(default = 5))] x: u8) {
    let _ = x;
}

fn main() {}
