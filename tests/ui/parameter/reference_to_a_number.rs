use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: &u8) {
    let _ = x;
}

fn main() {}
