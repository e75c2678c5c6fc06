use agent_runtime::{agent, tool};

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(#[tool(default = "world")] person_name: String) -> String {
    format!("Hello, {person_name}! Nice to meet you.")
}

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

fn main() {
    let _ = agent! { tools: [say_hello, get_time], file: "two_tools_with_mistakes.gram" };
}
