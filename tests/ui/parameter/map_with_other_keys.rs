use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: std::collections::BTreeMap<Vec<u8>, String>) {
    let _ = x;
}

fn main() {}
