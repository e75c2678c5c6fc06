use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: dyn Fn()) {
    let _ = x;
}

fn main() {}
