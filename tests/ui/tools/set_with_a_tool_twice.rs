use agent_runtime::{tool, tool_set};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

tool_set! { CLOCKS = [get_time, get_time] }

fn main() {}
