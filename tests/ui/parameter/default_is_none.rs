use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(default = None)] x: Option<u8>) {
    let _ = x;
}

fn main() {}
