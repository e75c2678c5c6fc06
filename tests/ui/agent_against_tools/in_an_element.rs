use agent_runtime::{agent, tool};

/// Finds rows
#[tool]
fn find(lists: Vec<Vec<String>>) -> String {
    lists.concat().concat()
}

fn main() {
    let _ = agent! {
        tools: [find],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds rows" } |
                (lists::Array {elementType: {type: "Array", elementType: "Int"}})==>(::String)
            ]
        ]
    };
}
