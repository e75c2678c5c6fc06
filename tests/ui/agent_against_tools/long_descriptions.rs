use agent_runtime::{agent, tool};

/// Finds the rows of a table by what stands in one of its columns, and says of each how well it matches
#[tool]
fn find() -> String {
    String::new()
}

fn main() {
    let _ = agent! {
        tools: [find],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds the rows of a table by what stands in one of the columns, and says of each how well it matches" } |
                ()==>(::String)
            ]
        ]
    };
}
