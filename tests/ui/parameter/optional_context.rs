use agent_runtime::{ToolContext, tool};

/// Takes something
#[tool]
fn take(x: Option<&ToolContext>) {
    let _ = x;
}

fn main() {}
