use agent_runtime::{Extension, tool};

/// Takes something
#[tool]
fn take(Extension(stock): Extension<u8>) {
    let _ = stock;
}

fn main() {}
