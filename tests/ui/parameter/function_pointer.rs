use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: fn() -> u8) {
    let _ = x;
}

fn main() {}
