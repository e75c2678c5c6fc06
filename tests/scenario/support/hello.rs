//! The hello world agent and its tool, written as a user writes them.

use agent_runtime::{Agent, ToolLibrary, agent, tool, tools};

pub(crate) const INSTRUCTION: &str =
    "You are a friendly assistant. Greet the user with the sayHello tool.";
pub(crate) const DESCRIPTION: &str = "Returns a friendly greeting message for the given name";

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(#[tool(default = "world")] person_name: String) -> String {
    format!("Hello, {person_name}! Nice to meet you.")
}

/// The macro takes gram, not Rust, so the texts stand here once more; the first scenario holds
/// them against the constants by what goes over the wire.
pub(crate) static AGENT: Agent = agent! {
    tools: [say_hello],
    [hello_world_agent:Agent {
        description: "A friendly agent that uses the sayHello tool to greet users",
        instruction: "You are a friendly assistant. Greet the user with the sayHello tool.",
        model: "OpenAI/gpt-6-luna"
    } |
        [sayHello:Tool { description: "Returns a friendly greeting message for the given name" } |
            (personName::Text {default: "world"})==>(::String)
        ]
    ]
};

/// An agent that only talks.
pub(crate) static TALKER: Agent = agent! {
    [talker:Agent {instruction: "Be kind.", model: "OpenAI/gpt-6-luna"}]
};

pub(crate) fn library() -> ToolLibrary {
    tools![say_hello]
}
