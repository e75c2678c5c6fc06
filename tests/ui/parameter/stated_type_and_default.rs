use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(type = "Int", default = "a")] x: u8) {
    let _ = x;
}

fn main() {}
