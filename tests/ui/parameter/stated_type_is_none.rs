use agent_runtime::tool;

struct Anything;

/// Takes something
#[tool]
fn take(#[tool(type = "{id: Txt}")] x: Anything) {
    let _ = x;
}

fn main() {}
