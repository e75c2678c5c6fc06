use agent_runtime::{agent, tool};

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(#[tool(default = "world")] person_name: String) -> String {
    format!("Hello, {person_name}! Nice to meet you.")
}

fn main() {
    let _ = agent! {
        tools: [say_hello],
        [greeter:Agent {
            instruction: "Greet people.",
            model: "OpenAI/gpt-6-luna"
        } |
            [getWeather:Tool { description: "Returns a friendly greeting message for the given name" } |
                (personName::Text {default: "world"})==>(::String)
            ]
        ]
    };
}
