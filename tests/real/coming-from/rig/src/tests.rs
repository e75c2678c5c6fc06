//! Tests without a key.

use super::{stream, support};
use rig::test_utils::{MockCompletionModel, MockStreamEvent, MockTurn};
use serde_json::{Value, json};

/// A model that makes one call, and then says "Done.".
fn calls(tool: &str, arguments: Value) -> MockCompletionModel {
    MockCompletionModel::from_turns([
        MockTurn::tool_call("1", tool, arguments),
        MockTurn::text("Done."),
    ])
}

/// The messages of the second request, which has the result of the call.
fn second_request(model: &MockCompletionModel) -> String {
    serde_json::to_string(&model.requests()[1].chat_history).unwrap()
}

#[tokio::test]
async fn finds_the_order() {
    let model = calls("find_order", json!({"number": 17}));
    let response = support(model.clone(), |_| false)
        .prompt("Where is order 17?")
        .await
        .unwrap();
    assert_eq!(response.output(), "Done.");
    assert!(second_request(&model).contains("Order 17 was sent on Monday."));
}

#[tokio::test]
async fn asks_before_a_refund() {
    for (yes, result) in [(true, "Order 17 is refunded."), (false, "Not today.")] {
        let model = calls("refund_order", json!({"number": 17}));
        support(model.clone(), move |_| yes)
            .prompt("Refund order 17")
            .await
            .unwrap();
        assert!(second_request(&model).contains(result));
    }
}

#[tokio::test]
async fn streams_the_answer() {
    let model = MockCompletionModel::from_stream_turns([[
        MockStreamEvent::text("It was sent "),
        MockStreamEvent::text("on Monday."),
        MockStreamEvent::final_response_with_default_usage(),
    ]]);
    let answer = stream(&support(model, |_| false), "Where is order 17?")
        .await
        .unwrap();
    assert_eq!(answer, "It was sent on Monday.");
}

#[tokio::test]
async fn the_model_reads_the_error_of_serde() {
    let model = calls("find_order", json!({"number": "seventeen"}));
    support(model.clone(), |_| false)
        .prompt("Where is it?")
        .await
        .unwrap();
    let sent = second_request(&model);
    assert!(
        sent.contains(r#"invalid type: string \"seventeen\", expected u32"#),
        "{sent}"
    );
}

#[tokio::test]
async fn an_unknown_tool_ends_the_run() {
    let agent = support(calls("find_ordr", json!({"number": 17})), |_| false);
    let error = agent.prompt("Where is it?").await.unwrap_err().to_string();
    assert!(
        error.starts_with("model attempted to call unknown or disallowed tool `find_ordr`"),
        "{error}"
    );
}

#[tokio::test]
async fn one_request_is_too_few_for_a_call() {
    let agent = support(calls("find_order", json!({"number": 17})), |_| false);
    let error = agent
        .prompt("Where is it?")
        .max_turns(1)
        .await
        .unwrap_err()
        .to_string();
    assert_eq!(error, "reached the max turns limit of 1");
}
