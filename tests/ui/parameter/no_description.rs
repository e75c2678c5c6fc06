use agent_runtime::tool;

/// Takes something
#[tool(require_descriptions)]
fn take(/** What to take */ x: u8, y: u8) {
    let _ = (x, y);
}

fn main() {}
