use agent_runtime::{Extension, tool};

/// Takes something
#[tool]
fn take(#[tool(description = "What is in stock")] x: Extension<u8>) {
    let _ = x;
}

fn main() {}
