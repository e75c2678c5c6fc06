//! A model-written summary in the place of what is cut.

use crate::support::agent;
use agent_runtime::conversation::{ProviderPart, Retention, SummaryOptions, ToolCall};
use agent_runtime::model::{
    ChatFuture, ChatModel, FinishReason, ModelReply, ModelRequest, Scripted, Usage,
};
use agent_runtime::{Agent, Cancellation, Conversation, Error, Message, Model, Runtime};
use serde_json::{Value, json};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

fn turn(n: usize) -> [Message; 4] {
    let id = format!("call_{n}");
    let call = ToolCall::new(&id, "sayHello", "{\"personName\":\"Ada\"}");
    [
        Message::user(format!("Question {n}")),
        Message::assistant("").with_tool_calls([call]),
        Message::function("sayHello", id, format!("Result {n}")),
        Message::assistant_parts([
            format!("Answer {n}").into(),
            ProviderPart::new("Anthropic", json!(["x"])).into(),
        ]),
    ]
}

fn turns(count: usize) -> Conversation {
    (1..=count).flat_map(turn).collect()
}

fn keep(turns: usize) -> Retention {
    Retention::new().last_turns(turns)
}

fn texts(conversation: &Conversation) -> Vec<&str> {
    conversation
        .messages()
        .iter()
        .map(Message::content)
        .collect()
}

#[tokio::test]
async fn a_summary_replaces_removed_turns() {
    let model = Scripted::new([
        ModelReply::text(" Two questions. ").with_usage(Usage::of_request(7, 3)),
        ModelReply::text("Three questions."),
    ]);
    let runtime = Runtime::with_model(model.clone());
    let mut conversation = turns(4);
    let before = conversation.clone();

    let done = runtime
        .summarise(
            &agent([]),
            &mut conversation,
            &keep(3),
            SummaryOptions::new(),
        )
        .await;
    let done = done.expect("a summary");
    assert_eq!(done.removed, before.messages()[..8]);
    assert_eq!((done.usage.input_tokens, done.usage.requests), (7, 1));
    assert!(conversation.messages()[0].is_summary());
    assert_eq!(
        conversation.messages()[0].content(),
        "Summary of the conversation so far:\nTwo questions."
    );
    assert_eq!(conversation.messages()[1..], before.messages()[8..]);
    assert_eq!(conversation.check(), Ok(()));

    // The model reads what is cut, and is offered no tools.
    let request = &model.requests()[0];
    assert!(request.tools.is_empty() && request.messages.len() == 1);
    let said: Value = serde_json::from_str(request.messages[0].content()).expect("JSON");
    assert_eq!(said.as_array().expect("messages").len(), 8);
    assert_eq!(said[2]["content"], "Result 1");
    assert_eq!(said[3]["content"], "Answer 1");

    // A conversation within the budget is unchanged, and the next summary includes the first.
    let again = runtime
        .summarise(
            &agent([]),
            &mut conversation,
            &keep(2),
            SummaryOptions::new(),
        )
        .await;
    assert!(again.expect("nothing to do").removed.is_empty());
    let more = runtime
        .summarise(
            &agent([]),
            &mut conversation,
            &keep(1),
            SummaryOptions::new(),
        )
        .await;
    assert_eq!(more.expect("a summary").removed.len(), 5);
    let said: Value =
        serde_json::from_str(model.requests()[1].messages[0].content()).expect("JSON");
    assert!(
        said[0]["content"]
            .as_str()
            .expect("text")
            .contains("Two questions.")
    );
    assert_eq!(conversation.turns().count(), 1);
    model.assert_complete();
}

#[tokio::test]
async fn a_budget_leaves_room_for_the_summary() {
    let runtime = Runtime::with_model(Scripted::new([ModelReply::text("Short.")]));
    let policy = Retention::new().token_budget(200).count_tokens(|_| 10);
    let options = SummaryOptions::new().about_tokens(20);
    let mut conversation = turns(6);
    let done = runtime
        .summarise(&agent([]), &mut conversation, &policy, options)
        .await;
    assert_eq!(done.expect("a summary").removed.len(), 16);
    assert_eq!(conversation.turns().count(), 2);
    // Turns that fit without a summary are left alone.
    let mut fits = turns(5);
    let done = runtime
        .summarise(&agent([]), &mut fits, &policy, SummaryOptions::new())
        .await;
    assert_eq!(
        (done.expect("nothing to do").removed.len(), fits),
        (0, turns(5))
    );
}

#[tokio::test]
async fn a_failure_leaves_the_conversation_untouched() {
    let call = || ModelReply::call("sayHello", "{}");
    for (reply, words) in [
        (ModelReply::text(" "), "wrote no summary"),
        (call(), "wrote no summary"),
        (
            ModelReply::text("Half of").with_finish_reason(FinishReason::Length),
            "cut off",
        ),
        (
            ModelReply::text("I").with_finish_reason(FinishReason::ContentFilter),
            "content_filter",
        ),
    ] {
        let runtime = Runtime::with_model(Scripted::new([reply]));
        check_untouched(&runtime, words).await;
    }
    let down = Scripted::default().then_error(Error::llm("the provider is down"));
    check_untouched(&Runtime::with_model(down), "is down").await;
}

async fn check_untouched(runtime: &Runtime, words: &str) {
    let mut conversation: Conversation = turns(3);
    // Also what was to be mended stays.
    conversation.push(Message::function("t", "nobody", "r"));
    let before = conversation.clone();
    let done = runtime
        .summarise(
            &agent([]),
            &mut conversation,
            &keep(1),
            SummaryOptions::new(),
        )
        .await;
    let error = done.expect_err(words);
    assert!(
        error.is_llm() && error.to_string().contains(words),
        "{error}"
    );
    assert_eq!(conversation, before);
}

/// A model that never answers.
struct Silent;

impl ChatModel for Silent {
    fn chat<'a>(&'a self, _: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_can_be_cancelled() {
    let runtime = Runtime::builder()
        .model(Silent)
        .model_timeout(Duration::from_secs(5));
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = turns(3);

    // Dropped.
    {
        let agent = agent([]);
        let policy = keep(1);
        let mut asking =
            pin!(runtime.summarise(&agent, &mut conversation, &policy, SummaryOptions::new()));
        let polled = asking
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(polled, Poll::Pending));
    }
    assert_eq!(conversation, turns(3));

    // By the signal.
    let signal = Cancellation::new();
    let options = SummaryOptions::new().cancellation(signal.clone());
    let cancelling = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        signal.cancel();
    });
    let done = runtime
        .summarise(&agent([]), &mut conversation, &keep(1), options)
        .await;
    assert!(done.expect_err("cancelled").is_cancelled());
    cancelling.await.expect("the signal is given");
    assert_eq!(conversation, turns(3));

    // By the clock.
    let done = runtime
        .summarise(
            &agent([]),
            &mut conversation,
            &keep(1),
            SummaryOptions::new(),
        )
        .await;
    let error = done.expect_err("too late");
    assert!(
        error.is_unavailable() && error.to_string().contains("within 5s"),
        "{error}"
    );
    assert_eq!(conversation, turns(3));
}

#[tokio::test]
async fn another_model_can_write_the_summary() {
    let small = Scripted::new([ModelReply::text("Short.")]);
    let runtime = Runtime::builder().provider("Small", small.clone());
    let runtime = runtime.build().expect("a runtime");
    let agent = Agent::new("guide", "Scripted/any", "Guide.").expect("an agent");
    let model = Model::new("Small", "one").expect("a model");
    let options = SummaryOptions::new().model(model).instruction("Be brief.");
    let mut conversation = turns(3);
    let done = runtime
        .summarise(&agent, &mut conversation, &keep(0), options)
        .await;
    done.expect("a summary");
    assert_eq!(
        texts(&conversation),
        ["Summary of the conversation so far:\nShort."]
    );
    let request = &small.requests()[0];
    assert!(
        request.instruction.starts_with("Be brief."),
        "{}",
        request.instruction
    );
    assert_eq!(request.model.to_string(), "Small/one");
}

#[tokio::test]
async fn repairs_a_conversation_also_when_nothing_is_removed() {
    let runtime = Runtime::with_model(Scripted::default());
    let mut conversation = turns(1);
    conversation.push(Message::function("t", "nobody", "r"));
    let done = runtime
        .summarise(
            &agent([]),
            &mut conversation,
            &keep(1),
            SummaryOptions::new(),
        )
        .await;
    assert_eq!(done.expect("no request").repairs.len(), 1);
    assert_eq!(conversation, turns(1));
}
