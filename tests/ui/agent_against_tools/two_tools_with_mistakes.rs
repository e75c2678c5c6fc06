use agent_runtime::{agent, tool};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

/// Finds rows
#[tool]
fn find(name: String) -> String {
    name
}

fn main() {
    let _ = agent! {
        tools: [get_time, find],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds rows" } | (name::Int)==>(::String)],
            [getTime:Tool { description: "Says the time" } | ()==>(::String)]
        ]
    };
}
