use agent_runtime::{tool_set, tools};

/// Greets
fn greet() {}

tool_set! { GREETERS = [greet] }

fn main() {
    let _ = tools![greet];
    greet();
}
