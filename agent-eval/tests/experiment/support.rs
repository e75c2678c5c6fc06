//! An agent that greets, and its tool.

use agent_runtime::tool::{DynamicTool, ToolConfig};
use agent_runtime::{Agent, ToolLibrary, ToolSpec};

pub(crate) const GREETING: &str = "Returns a friendly greeting message for the given name";

/// The greeting tool, whose parameter has a default.
pub(crate) fn hello_tool() -> DynamicTool {
    ToolConfig::with_signature(
        "sayHello",
        GREETING,
        "(personName::Text {default: \"world\"})==>(::String)",
    )
    .build(|args| async move {
        let name = args["personName"].as_str().unwrap_or("world").to_owned();
        Ok(format!("Hello, {name}! Nice to meet you.").into())
    })
    .expect("a tool")
}

/// An agent with the greeting tool, whose parameter it requires.
pub(crate) fn greeter() -> Agent {
    let hello = ToolSpec::new("sayHello", GREETING, "(personName::Text)==>(::String)");
    agent([hello.expect("a spec")])
}

/// An agent with these tools.
pub(crate) fn agent(tools: impl IntoIterator<Item = ToolSpec>) -> Agent {
    let agent = Agent::new("greeter", "OpenAI/gpt-6-luna", "Greet people.").expect("an agent");
    tools.into_iter().fold(agent, |agent, tool| {
        agent.with_tool(tool).expect("a further tool")
    })
}

pub(crate) fn library(tools: impl IntoIterator<Item = DynamicTool>) -> ToolLibrary {
    let mut library = ToolLibrary::new();
    for tool in tools {
        library.add(tool).expect("a good name");
    }
    library
}
