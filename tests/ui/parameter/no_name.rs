use agent_runtime::tool;

/// Takes something
#[tool]
fn take(_: u8) {
    
}

fn main() {}
