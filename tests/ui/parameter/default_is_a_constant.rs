use agent_runtime::tool;

const MOST: u8 = 5;

/// Takes something
#[tool]
fn take(#[tool(default = MOST)] x: u8) {
    let _ = x;
}

fn main() {}
