use agent_runtime::{agent, tool};

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(person_name: String) -> String {
    person_name
}

fn main() {
    let _ = agent! {
        tools: [say_hello],
        [greeter:Agent {
            instruction: "Greet.", model: "OpenAI/gpt-6-luna", toolChoice: "sayHelo"
        } | sayHello]
    };
}
