use agent_runtime::tool;

/// Greets
#[tool]
fn greet(nothing: ()) {
    let () = nothing;
}

/// Greets all
#[tool]
fn greet_all(nothing: Vec<()>) {
    let _ = nothing;
}

fn main() {}
