use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: (u8, String)) {
    let _ = x;
}

fn main() {}
