//! An agent that was compiled and a pattern that is interpreted do the same.

use crate::scenario::support::hello;
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ModelReply, ModelRequest, Scripted};
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Agent, AgentResponse, Conversation, Executable, Runtime, ToolLibrary};

/// All that can be seen of one execution.
type Seen = (Vec<ModelRequest>, AgentResponse, Conversation);

async fn play(executable: &impl Executable, library: &ToolLibrary, replies: &[ModelReply]) -> Seen {
    let model = Scripted::new(replies.iter().cloned());
    let mut conversation = Conversation::new();
    let response = Runtime::with_model(model.clone())
        .execute(executable, "Hello, I'm Ada", &mut conversation, library)
        .await
        .expect("an answer");
    model.assert_complete();
    (model.requests(), response, conversation)
}

/// Executes the agent, its pattern, and the pattern read back from its text; returns what all
/// three came to.
async fn same(agent: &Agent, library: &ToolLibrary, replies: &[ModelReply]) -> Seen {
    let by_agent = play(agent, library, replies).await;
    let pattern = agent.to_pattern();
    assert_eq!(play(&pattern, library, replies).await, by_agent);
    let read = AgentPattern::parse(&agent.to_gram()).expect("the text of an agent");
    assert_eq!(play(&read, library, replies).await, by_agent);
    by_agent
}

#[tokio::test]
async fn an_agent_with_a_tool_and_its_pattern_do_the_same() {
    let replies = [
        ModelReply::calls([ToolCall::new("a", "sayHello", r#"{"personName":"Ada"}"#)]),
        ModelReply::text("I said hello."),
    ];
    let (requests, response, conversation) = same(&hello::AGENT, &hello::library(), &replies).await;
    // Equality alone would also hold for executions in which nothing happens.
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].instruction, hello::INSTRUCTION);
    assert_eq!(requests[0].tools[0].description(), hello::DESCRIPTION);
    let result = response.tools_used[0].result.as_ref();
    assert_eq!(result.expect("a greeting"), "Hello, Ada! Nice to meet you.");
    assert_eq!(conversation.len(), 4);
}

#[tokio::test]
async fn an_agent_without_tools_and_its_pattern_do_the_same() {
    let replies = [ModelReply::text("Good morning, Ada.")];
    let (requests, response, _) = same(&hello::TALKER, &ToolLibrary::new(), &replies).await;
    assert_eq!(requests.len(), 1);
    assert!(requests[0].tools.is_empty());
    assert_eq!(response.content, "Good morning, Ada.");
    assert!(response.tools_used.is_empty());
}
