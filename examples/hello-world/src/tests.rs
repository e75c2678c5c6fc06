//! Tests of the agent that need no key and no network: what the model said is replayed from
//! `tests/cassettes`.
//!
//! The files here were recorded from a server that stands in for OpenAI's. To record what the real
//! model says, delete one and run its test with `OPENAI_API_KEY` set.

use crate::{AGENT, say_hello};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::serde_json::json;
use agent_runtime::testing::{Cassette, ToolCalls};
use agent_runtime::{Conversation, Runtime, tools};

/// Tool, types and arguments, with what a model really sent.
#[tokio::test]
async fn a_user_who_gives_a_name_is_greeted_by_it() -> Result<(), agent_runtime::Error> {
    let cassette = Cassette::replay_or_record("tests/cassettes/greeting.json");
    let runtime = Runtime::builder().cassette(cassette.clone()).build()?;
    let mut conversation = Conversation::new();

    let response = runtime
        .execute(
            &AGENT,
            "Hello, I'm Ada",
            &mut conversation,
            &tools![say_hello],
        )
        .await?;

    response
        .assert_called::<say_hello>()
        .once()
        .with(json!({"personName": "Ada"}))
        .returning("Hello, Ada! Nice to meet you.");
    assert!(response.content.contains("Ada"), "{}", response.content);
    cassette.assert_complete();
    Ok(())
}

/// One cassette for a conversation of several inputs.
#[tokio::test]
async fn the_second_input_is_answered_from_what_was_said() -> Result<(), agent_runtime::Error> {
    let cassette = Cassette::replay_or_record("tests/cassettes/conversation.json");
    let runtime = Runtime::builder().cassette(cassette.clone()).build()?;
    let (mut conversation, library) = (Conversation::new(), tools![say_hello]);

    for input in ["Hello, I'm Ada", "What is my name?"] {
        let response = runtime
            .execute(&AGENT, input, &mut conversation, &library)
            .await?;
        assert!(response.content.contains("Ada"), "{}", response.content);
    }

    conversation.assert_calls(["sayHello"]);
    conversation.assert_no_failed_calls();
    cassette.assert_complete();
    Ok(())
}

/// A script does what no model can be relied on to do: here it sends a number for a name.
#[tokio::test]
async fn a_model_that_sends_a_number_is_told_what_is_wrong() -> Result<(), agent_runtime::Error> {
    let model = Scripted::new([ModelReply::call("sayHello", r#"{"personName": 7}"#)])
        .then_with(|request| {
            let result = request.messages.last().expect("the result of the call");
            assert!(result.is_error() && result.content().contains("personName"));
            Ok(ModelReply::call("sayHello", r#"{"personName": "Seven"}"#))
        })
        .then(ModelReply::text("Hello, Seven!"));
    let mut conversation = Conversation::new();

    let response = Runtime::with_model(model.clone())
        .execute(
            &AGENT,
            "Hello, I'm 7",
            &mut conversation,
            &tools![say_hello],
        )
        .await?;

    let greeted = response.assert_called::<say_hello>().times(2);
    greeted.returning("Hello, Seven! Nice to meet you.").once();
    model.assert_complete();
    Ok(())
}
