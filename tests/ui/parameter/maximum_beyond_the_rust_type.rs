use agent_runtime::tool;

/// Dims the light
#[tool]
fn dim(#[tool(maximum = 300)] level: u8) {
    let _ = level;
}

fn main() {}
