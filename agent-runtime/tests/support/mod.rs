//! Shared helpers of the tests: an agent that greets, its tools, and short constructors.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "several test programs include this file, and each uses a part"
)]

pub mod server;

use agent_runtime::conversation::{INTERRUPTED, Role, ToolCall};
use agent_runtime::model::ModelReply;
use agent_runtime::tool::{DynamicTool, ToolConfig, ToolDescriptor, ToolFuture};
use agent_runtime::{Agent, Conversation, Tool, ToolContext, ToolError, ToolLibrary, ToolSpec};
use serde_json::{Value, json};

pub const GREETING: &str = "Returns a friendly greeting message for the given name";

/// The spec of the greeting tool, as in the first design document: the name is required.
pub fn hello_spec() -> ToolSpec {
    ToolSpec::new("sayHello", GREETING, "(personName::Text)==>(::String)").expect("a spec")
}

/// The greeting tool, which knows a default.
pub fn hello_tool() -> DynamicTool {
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

/// A tool without parameters, called `name`, that does what the closure says.
pub fn tool<F, R>(name: &'static str, invoke: F) -> DynamicTool
where
    F: Fn(Value) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    config(name).build(invoke).expect("a tool")
}

pub fn config(name: &'static str) -> ToolConfig {
    ToolConfig::with_signature(name, "Does something.", "()==>(::Any)")
}

/// The spec of a tool made by [`tool`].
pub fn spec(name: &'static str) -> ToolSpec {
    ToolSpec::new(name, "Does something.", "()==>(::Any)").expect("a spec")
}

pub fn greeter() -> Agent {
    agent([hello_spec()])
}

/// An agent with these tools.
pub fn agent(tools: impl IntoIterator<Item = ToolSpec>) -> Agent {
    let agent = Agent::new("greeter", "OpenAI/gpt-6-luna", "Greet people.").expect("an agent");
    tools.into_iter().fold(agent, |agent, tool| {
        agent.with_tool(tool).expect("a further tool")
    })
}

pub fn library(tools: impl IntoIterator<Item = DynamicTool>) -> ToolLibrary {
    let mut library = ToolLibrary::new();
    for tool in tools {
        library.add(tool).expect("a good name");
    }
    library
}

/// An answer that makes these calls: id, tool, arguments.
pub fn calls(calls: &[(&str, &str, &str)]) -> ModelReply {
    ModelReply::calls(
        calls
            .iter()
            .map(|(id, tool, args)| ToolCall::new(*id, *tool, *args)),
    )
}

/// The results in a conversation: call id, content, whether it is an error.
pub fn results(conversation: &Conversation) -> Vec<(String, String, bool)> {
    conversation
        .messages()
        .iter()
        .filter(|message| message.role() == Role::Function)
        .map(|message| {
            let id = message.call_id().unwrap_or_default().to_owned();
            (id, message.content().to_owned(), message.is_error())
        })
        .collect()
}

pub fn ada() -> Value {
    json!({"personName": "Ada"})
}

/// Checks that a conversation has nothing of a run that failed with its first request, or the question and the beginning of
/// the answer that was streamed.
pub fn check_unanswered(conversation: &Conversation) {
    match conversation.messages() {
        [] => {}
        [question, answer] => {
            assert_eq!(question.role(), Role::User);
            let text = answer.content();
            assert!(text.ends_with(&format!(" {INTERRUPTED}")), "{text}");
        }
        messages => panic!("{messages:?}"),
    }
}

/// A tool of a server, which may describe it anew at any time.
pub struct Served(pub ToolDescriptor);

impl Tool for Served {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.0
    }

    fn call<'a>(&'a self, _: &'a str, _: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async { Ok("served".into()) })
    }
}
