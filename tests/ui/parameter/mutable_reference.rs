use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: &mut String) {
    let _ = x;
}

fn main() {}
