//! rig's agent, as its documentation has it.

#![allow(
    non_snake_case,
    reason = "the name of the parameter is the model's, and rig has no other way to say it"
)]

use super::{Failure, INPUT, INSTRUCTION, greeting};
use rig::agent::{Agent, AgentBuilder};
use rig::providers::openai::OpenAIConfig;
use rig::{rig_tool, tool::ToolExecutionError};

/// Returns a friendly greeting message for the given name
#[rig_tool(name = "sayHello", params(personName = "Whom to greet."))]
fn say_hello(personName: String) -> Result<String, ToolExecutionError> {
    Ok(greeting(&personName))
}

pub(crate) struct Prepared(Agent);

impl Prepared {
    pub(super) fn new(base_url: &str) -> Result<Self, Failure> {
        let client = OpenAIConfig::new("test").with_base_url(base_url).client();
        let model = client.chat("gpt-6-luna");
        let agent = AgentBuilder::new(model)
            .preamble(INSTRUCTION)
            .tool(SayHello)
            .build();
        Ok(Self(agent))
    }

    pub(super) async fn run(&self) -> Result<String, Failure> {
        let answer = self.0.prompt(INPUT).max_turns(3).await?;
        Ok(answer.to_string())
    }
}
