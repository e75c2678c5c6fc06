use agent_runtime::tool;

/// Waits
#[tool]
fn wait(#[tool(default = [1, 300])] seconds: Vec<u8>, #[tool(default = -1)] times: u8) {
    let _ = (seconds, times);
}

fn main() {}
