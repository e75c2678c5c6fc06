use agent_runtime::{tool, tool_set};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

mod other {
    /// Says the time in another way
    #[agent_runtime::tool]
    pub fn get_time() -> String {
        "noon".to_owned()
    }
}

tool_set! { CLOCKS = [get_time, other::get_time] }

fn main() {}
