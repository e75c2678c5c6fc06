//! Runs of agents that call the tools of servers.

use crate::fixture::{NEW, OLD, connected};
use agent_runtime::conversation::ToolCall;
use agent_runtime::media::Part;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::serde_json::json;
use agent_runtime::{Agent, Conversation, Message, Runtime, ToolLibrary};

/// Runs an agent that makes one call, and returns the message with its result.
pub(crate) async fn after_call(library: &ToolLibrary, tool: &str, arguments: &str) -> Message {
    let model = Scripted::new([
        ModelReply::calls([ToolCall::new("c", tool, arguments)]),
        ModelReply::text("Done."),
    ]);
    let agent = Agent::new("a", "Scripted/any", "Look.").expect("an agent");
    let agent = agent.with_reference(tool.to_owned()).expect("a name");
    let mut conversation = Conversation::new();
    let response = Runtime::with_model(model)
        .run(agent, "Look")
        .tools(library)
        .conversation(&mut conversation)
        .await
        .expect("the run ends");
    assert!(format!("{response:?}").contains("Done."), "{response:?}");
    conversation.messages()[2].clone()
}

#[tokio::test]
async fn an_agent_calls_the_tool_of_a_server() {
    for revision in [NEW, OLD] {
        let server = connected(&json!({"revision": revision})).await;
        let library = server.library();
        let message = after_call(&library, "s_echo", r#"{"text": "hi"}"#).await;
        assert_eq!(message.content(), "hi");
        let message = after_call(&library, "s_sum", r#"{"a": 1}"#).await;
        assert_eq!(message.content(), r#"{"sum":2}"#);
    }
}

#[tokio::test]
async fn the_model_sees_media_of_a_server() {
    let server = connected(&json!({})).await;
    let message = after_call(&server.library(), "s_photo", "{}").await;
    let [Part::Text(text), Part::Image(image)] = message.parts() else {
        panic!("{message:?}");
    };
    assert_eq!(text, "A pixel:");
    assert_eq!(image.media_type(), Some("image/png"));
}

#[tokio::test]
async fn a_run_goes_on_after_its_server_died() {
    let server = connected(&json!({"calls": {"echo": "die"}})).await;
    let message = after_call(&server.library(), "s_echo", "{}").await;
    assert!(
        message.content().contains("ended during the call"),
        "{message:?}"
    );
}
