use agent_runtime::{agent, tool};

/// Finds rows
#[tool]
fn find(
    /// Whose rows
    name: String,
) -> String {
    name
}

fn main() {
    let _ = agent! {
        tools: [find], exact,
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds rows" } | (name::Text {description: "the name"})==>(::String)]
        ]
    };
}
