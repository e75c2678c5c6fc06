//! This project's runtime, as its users use it.

use super::{Failure, INPUT, greeting};
use agent_runtime::{Agent, Conversation, Environment, Runtime, ToolLibrary, agent, tool, tools};

/// Returns a friendly greeting message for the given name
#[tool(inline)]
fn say_hello(person_name: &str) -> String {
    greeting(person_name)
}

pub(crate) struct Prepared {
    runtime: Runtime,
    agent: Agent,
    library: ToolLibrary,
}

impl Prepared {
    pub(super) fn new(base_url: &str) -> Result<Self, Failure> {
        let agent = agent! {
            tools: [say_hello],
            [greeter:Agent {
                instruction: "You are a friendly assistant. Greet the user with the sayHello tool.",
                model: "OpenAI/gpt-4o-mini"
            } | sayHello]
        };
        let runtime = Runtime::builder()
            .environment(Environment::empty())
            .base_url(base_url);
        Ok(Self {
            runtime: runtime.build()?,
            agent,
            library: tools![say_hello],
        })
    }

    pub(super) async fn run(&self) -> Result<String, Failure> {
        let mut conversation = Conversation::new();
        let response = self
            .runtime
            .execute(&self.agent, INPUT, &mut conversation, &self.library)
            .await?;
        Ok(response.content)
    }
}
