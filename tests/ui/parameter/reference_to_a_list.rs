use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: &Vec<String>) {
    let _ = x;
}

fn main() {}
