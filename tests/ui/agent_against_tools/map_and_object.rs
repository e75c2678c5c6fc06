use agent_runtime::{agent, tool};

use std::collections::HashMap;

/// Finds rows
#[tool]
fn find(scores: HashMap<String, f64>) -> String {
    format!("{scores:?}")
}

fn main() {
    let _ = agent! {
        tools: [find],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds rows" } |
                (scores::Object {fields: {a: "Double"}})==>(::String)
            ]
        ]
    };
}
