use agent_runtime::{agent, tool};

/// Finds rows
#[tool]
fn find() -> Option<String> {
    None
}

fn main() {
    let _ = agent! {
        tools: [find],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds rows" } |
                ()==>(::String)
            ]
        ]
    };
}
