use agent_runtime::{agent, tool};

/// Finds rows
#[tool]
fn find(name: String, limit: Option<i64>) -> String {
    format!("{name}{limit:?}")
}

fn main() {
    let _ = agent! {
        tools: [find], exact,
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds rows" } | (name::Text)==>(::String)]
        ]
    };
}
