use agent_runtime::{agent, tool};

/// Finds rows
#[tool]
fn find(names: Vec<String>) -> String {
    names.concat()
}

fn main() {
    let _ = agent! {
        tools: [find],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds rows" } |
                (names::Array {elementType: "[Text]"})==>(::String)
            ]
        ]
    };
}
