use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: &[&str]) {
    let _ = x;
}

fn main() {}
