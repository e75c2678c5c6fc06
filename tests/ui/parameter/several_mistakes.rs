use agent_runtime::tool;

/// Takes something
#[tool]
fn take((a, b): (u8, u8), c: &mut u8, #[tool(default = now())] d: u8, #[tool(nam = "f")] e: u8) {
    let _ = (a, b, c, d, e);
}

fn main() {}
