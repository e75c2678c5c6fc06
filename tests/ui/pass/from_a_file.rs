use agent_runtime::{Agent, agent, tool};

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(#[tool(default = "world")] person_name: String) -> String {
    format!("Hello, {person_name}! Nice to meet you.")
}

static AGENT: Agent = agent! { tools: [say_hello], file: "gram/good.gram" };

pub(crate) fn main() {
    assert_eq!(AGENT.name(), "greeter");
    assert_eq!(AGENT.tools().len(), 1);
}
