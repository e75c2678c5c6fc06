//! The driver: a scripted model, real tools, one runtime.

mod approval;
mod builder;
mod check;
mod outside_tokio;
mod runs;
mod stopping;
mod tools;

use agent_runtime::model::Scripted;
use agent_runtime::{AgentResponse, Conversation, Error, Runtime, ToolLibrary};

async fn run(
    model: &Scripted,
    agent: &agent_runtime::Agent,
    library: &ToolLibrary,
) -> (Result<AgentResponse, Error>, Conversation) {
    let mut conversation = Conversation::new();
    let result = Runtime::with_model(model.clone())
        .execute(agent, "Hello!", &mut conversation, library)
        .await;
    conversation.check().expect("a valid history");
    (result, conversation)
}
