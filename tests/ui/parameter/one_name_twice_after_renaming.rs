use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: u8, #[tool(name = "x")] y: u8) {
    let _ = (x, y);
}

fn main() {}
