use agent_runtime::{agent, tool};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".into()
}

agent! {
    pub static CLOCK, export: "../gram", tools: [get_time],
    [clock:Agent { instruction: "Tell the time.", model: "OpenAI/gpt-6-luna" } | getTime]
}

fn main() {}
