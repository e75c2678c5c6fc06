use agent_runtime::{ToolContext, tool};

/// Takes something
#[tool]
fn take(#[tool(min_length = 1)] x: &ToolContext) {
    let _ = x;
}

fn main() {}
