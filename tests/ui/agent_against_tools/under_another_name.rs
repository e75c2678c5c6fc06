use agent_runtime as rt;
use rt::{Agent, tool};

/// Returns a friendly greeting message for the given name
#[tool(crate = rt)]
fn say_hello(person_name: String) -> String {
    format!("Hello, {person_name}! Nice to meet you.")
}

static AGENT: Agent = rt::agent! {
    tools: [say_hello],
    [hello_world_agent:Agent {
        instruction: "Greet the user with the sayHello tool.",
        model: "OpenAI/gpt-6-luna"
    } |
        [sayHello:Tool {description: "Returns a friendly greeting message for the given name"} |
            (personName::Int)==>(::String)
        ]
    ]
};

fn main() {
    println!("{} {}", AGENT.name(), rt::tools![say_hello].len());
}
