use agent_runtime::{agent, tool};

/// Says how old somebody is
#[tool]
fn say_age(person_name: String, age: u32) -> String {
    format!("{person_name} is {age}")
}

fn main() {
    let _ = agent! {
        tools: [say_age],
        [greeter:Agent {
            instruction: "Greet people.",
            model: "OpenAI/gpt-6-luna"
        } |
            [sayAge:Tool { description: "Says how old somebody is" } |
                (personName::Int)==>(age::Text)==>(::Bool)
            ]
        ]
    };
}
