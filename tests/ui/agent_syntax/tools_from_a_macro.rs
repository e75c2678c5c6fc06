use agent_runtime::{agent, tool};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

fn main() {
    let _ = agent! {
        tools: [vec![get_time]],
        [clock:Agent { instruction: "Tell the time.", model: "OpenAI/gpt-6-luna" } | getTime]
    };
}
