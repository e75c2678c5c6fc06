use agent_runtime::tool;

/// Takes something
#[tool]
fn take(größe: f64) {
    let _ = größe;
}

fn main() {}
