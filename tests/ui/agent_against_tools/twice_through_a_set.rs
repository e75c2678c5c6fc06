use agent_runtime::{agent, tool, tool_set};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

tool_set! { CLOCKS = [get_time] }

fn main() {
    let _ = agent! {
        tools: [get_time, ..CLOCKS],
        [clock:Agent { instruction: "Tell the time.", model: "OpenAI/gpt-6-luna" } | getTime]
    };
}
