use agent_runtime::tool;

/// Takes something
#[tool]
fn take(#[tool(defualt = 5)] x: u8) {
    let _ = x;
}

fn main() {}
