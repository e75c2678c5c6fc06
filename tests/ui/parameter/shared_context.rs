use agent_runtime::{ToolContext, tool};

/// Takes something
#[tool]
fn take(x: std::sync::Arc<ToolContext>) {
    let _ = x;
}

fn main() {}
