use agent_runtime::tool;

/// Takes something
#[tool]
fn take(x: Box<dyn Fn() + Send>) {
    let _ = x;
}

fn main() {}
