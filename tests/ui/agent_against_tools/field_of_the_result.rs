use agent_runtime::{GramType, agent, tool};

#[derive(serde::Serialize, GramType)]
struct Person {
    name: String,
    age: Option<u8>,
}

/// Finds a person
#[tool]
fn find() -> Person {
    Person { name: "Ada".to_owned(), age: None }
}

fn main() {
    let _ = agent! {
        tools: [find],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds a person" } |
                ()==>(::Object {fields: [{name: "name", type: "Text"}, {name: "age", type: "Int"}]})
            ]
        ]
    };
}
