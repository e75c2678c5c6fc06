use agent_runtime::{agent, tool};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

fn main() {
    let _ = agent! {
        tools: [get_time, dynamic getTime],
        [clock:Agent { instruction: "Tell the time.", model: "OpenAI/m" } |
            [getTime:Tool { description: "Says what time it is" } | ()==>(::String)]
        ]
    };
}
