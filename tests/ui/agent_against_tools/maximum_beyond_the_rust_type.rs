use agent_runtime::{agent, tool};

/// Dims the light
#[tool]
fn dim(level: u8) {
    let _ = level;
}

fn main() {
    let _ = agent! {
        tools: [dim],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [dim:Tool { description: "Dims the light" } |
                (level::Int {minimum: 1, maximum: 300})==>(::Null)
            ]
        ]
    };
}
