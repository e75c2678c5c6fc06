use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: _) {
    let _ = x;
}

fn main() {}
