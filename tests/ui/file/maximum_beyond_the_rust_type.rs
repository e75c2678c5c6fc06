use agent_runtime::{agent, tool};

/// Dims the lights
#[tool]
fn dim(levels: Vec<u8>) {
    let _ = levels;
}

fn main() {
    let _ = agent! { tools: [dim], file: "maximum_beyond_the_rust_type.gram" };
}
