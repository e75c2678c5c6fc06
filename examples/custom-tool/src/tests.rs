//! The agent and its tool, without a key and without a network.

use crate::forecaster;
use crate::weather::get_weather;
use agent_runtime::conversation::ToolCall;
use agent_runtime::library::bind_agent_tools;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::serde_json::json;
use agent_runtime::testing::ToolCalls as _;
use agent_runtime::tool::invoke_tool;
use agent_runtime::{AgentResponse, Conversation, Runtime, ToolContext, ToolError, ToolLibrary};

fn library() -> ToolLibrary {
    let mut library = ToolLibrary::new();
    let tool = get_weather().expect("a tool");
    library.add(tool).expect("the first of its name");
    library
}

async fn ask(runtime: Runtime, message: &str) -> AgentResponse {
    let agent = forecaster().expect("an agent");
    let (mut conversation, library) = (Conversation::new(), library());
    let answer = runtime.execute(&agent, message, &mut conversation, &library);
    answer.await.expect("an answer")
}

#[test]
fn the_tool_is_the_one_that_the_file_declares() {
    let agent = forecaster().expect("an agent");
    assert_eq!(
        bind_agent_tools(&agent, &library())
            .expect("it binds")
            .len(),
        1
    );
}

#[tokio::test]
async fn the_weather_is_looked_up() {
    let response = ask(Runtime::offline(), "What is the weather in \"Oslo\"?").await;
    response
        .assert_tool_called("get_weather")
        .once()
        .with(json!({"city": "Oslo"}))
        .returning(json!({"temperature": -3.5, "conditions": "snowy"}));
    assert!(response.content.contains("snowy"), "{}", response.content);
}

/// Without a city in quotes the offline model leaves it out, and is told so.
#[tokio::test]
async fn a_missing_city_never_reaches_the_tool() {
    let response = ask(Runtime::offline(), "What is the weather like?").await;
    let result = &response.tools_used[0].result;
    assert!(matches!(result, Err(ToolError::Validation(text)) if text.contains("city")));
}

/// The flow that the documents print: an error that says what would work, then another call.
#[tokio::test]
async fn a_model_that_is_told_what_works_tries_that() {
    let call = |id: &str, city: &str| {
        let arguments = json!({"city": city}).to_string();
        ModelReply::calls([ToolCall::new(id, "get_weather", arguments)])
    };
    let model = Scripted::new([
        call("a", "Atlantis"),
        call("b", "Ulm"),
        ModelReply::text("It is cloudy in Ulm."),
    ]);
    let response = ask(Runtime::with_model(model.clone()), "The weather?").await;
    model.assert_complete();
    let [first, second] = response.tools_used.as_slice() else {
        panic!("{:?}", response.tools_used);
    };
    let expected = "There is no weather for \"Atlantis\". Ask for one of Lima, Nairobi, Oslo, Ulm.";
    assert_eq!(first.result, Err(ToolError::Execution(expected.into())));
    assert_eq!((second.attempt, second.result.is_ok()), (2, true));
}

#[tokio::test]
async fn the_tool_can_be_called_alone() {
    let tool = get_weather().expect("a tool");
    let context = ToolContext::detached();
    let result = invoke_tool(&tool, r#"{"city": " lima "}"#, &context).await;
    assert_eq!(
        result,
        Ok(json!({"temperature": 19.0, "conditions": "foggy"}))
    );
    let error = invoke_tool(&tool, r#"{"city": 5}"#, &context).await;
    assert!(matches!(error, Err(ToolError::Validation(_))));
}
