use agent_runtime::{agent, tool};

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(person_name: String) -> String {
    person_name
}

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

fn main() {
    // The agent does not have it, though it is registered.
    let _ = agent! {
        tools: [say_hello, get_time],
        [greeter:Agent {
            instruction: "Greet.", model: "OpenAI/gpt-6-luna", toolChoice: "getTime"
        } | sayHello]
    };
}
