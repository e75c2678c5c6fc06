//! Tests of the assertions on calls.

use crate::support::{agent, calls, hello_spec, hello_tool, library, spec, tool};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::testing::ToolCalls;
use agent_runtime::{AgentResponse, Conversation, Runtime, ToolError};
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A run with successful calls, a failed one, and a call of an unknown tool.
async fn run() -> (AgentResponse, Conversation) {
    let model = Scripted::new([
        calls(&[
            ("c1", "look", "{}"),
            ("c2", "sayHello", r#"{"personName": "Ada"}"#),
        ]),
        calls(&[
            ("c3", "sayHello", r#"{"personName": "Bob"}"#),
            ("c4", "fail", "{}"),
        ]),
        ModelReply::text("Done."),
    ]);
    let library = library([
        hello_tool(),
        tool("look", |_| async { Ok(json!({"n": 1})) }),
        tool("fail", |_| async {
            Err(ToolError::execution("it is broken"))
        }),
    ]);
    let agent = agent([hello_spec(), spec("look"), spec("fail")]);
    let mut conversation = Conversation::new();
    let response = Runtime::with_model(model)
        .execute(&agent, "Hello", &mut conversation, &library)
        .await;
    (response.expect("an answer"), conversation)
}

/// Returns the message and the line of an assertion that panics.
fn panics(assertion: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(assertion)).expect_err("it holds");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().expect("a text")).to_owned(),
    }
}

#[tokio::test]
async fn assertions_accept_matching_calls() {
    let (response, conversation) = run().await;
    response.assert_tool_called("sayHello").times(2);
    response
        .assert_tool_called("look")
        .once()
        .with(json!({}))
        .returning(json!({"n": 1}));
    response
        .assert_tool_called("sayHello")
        .with(json!({"personName": "Bob"}))
        .once();
    response
        .assert_tool_called("sayHello")
        .with_some(json!({"personName": "Ada"}))
        .once();
    response
        .assert_tool_called("sayHello")
        .returning("Hello, Ada! Nice to meet you.")
        .once();
    response
        .assert_tool_called("fail")
        .once()
        .failing("it is broken");
    response.assert_tool_not_called("sayGoodbye");
    response.assert_calls(["look", "sayHello", "sayHello", "fail"]);
    response.assert_order(["look", "fail"]);

    conversation
        .assert_tool_called("look")
        .once()
        .returning(json!({"n": 1}));
    conversation
        .assert_tool_called("sayHello")
        .with(json!({"personName": "Ada"}))
        .once();
    conversation.assert_tool_called("fail").failing("broken");
    conversation.assert_order(["look", "sayHello"]);
    Conversation::new().assert_calls([]);
    Conversation::new().assert_no_failed_calls();
}

/// A run in which a tool asks for other arguments. After the third time it has no attempts left.
async fn run_with_retries(times: usize) -> (AgentResponse, Conversation) {
    let turns = (0..times).map(|_| calls(&[("", "pick", "{}")]));
    let model = Scripted::new(turns.chain([ModelReply::text("Done.")]));
    let library = library([tool("pick", |_| async {
        Err(ToolError::retry("pick Ulm"))
    })]);
    let mut conversation = Conversation::new();
    let response = Runtime::with_model(model)
        .execute(&agent([spec("pick")]), "Hello", &mut conversation, &library)
        .await;
    (response.expect("an answer"), conversation)
}

/// A call counts as failed only when the tool may not be called again.
#[tokio::test]
async fn a_retry_is_no_failed_call() {
    let (response, conversation) = run_with_retries(2).await;
    response.assert_no_failed_calls();
    response
        .assert_tool_called("pick")
        .failing("pick Ulm")
        .times(2);
    let told = panics(|| response.assert_no_retries());
    let expected = "in answer to 2 of 2 calls, a tool asked for other arguments\nthe calls were:";
    assert!(told.starts_with(expected), "{told}");
    // A conversation does not distinguish the two, because it has only the text.
    panics(|| conversation.assert_no_failed_calls());
    panics(|| conversation.assert_no_retries());

    let (response, _) = run_with_retries(3).await;
    let told = panics(|| response.assert_no_failed_calls());
    assert!(told.starts_with("1 of 3 calls failed"), "{told}");

    let (response, _) = run().await;
    response.assert_no_retries();
    Conversation::new().assert_no_retries();
}

const MADE: &str = "\nthe calls were:\n  1. look {} → {\"n\":1}\n  2. sayHello {\"personName\":\"Ada\"} → \
                    Hello, Ada! Nice to meet you.\n  3. sayHello {\"personName\":\"Bob\"} → Hello, Bob! \
                    Nice to meet you.\n  4. fail {} ✗ ";

#[tokio::test]
async fn failed_assertions_list_the_calls() {
    let (response, _) = run().await;
    let check = |assertion: &dyn Fn(), expected: &str| {
        let told = panics(assertion);
        let (what, made) = told.split_at(told.find('\n').expect("the calls"));
        assert_eq!(what, expected);
        assert!(made.starts_with(MADE), "{made}");
    };
    check(
        &|| drop(response.assert_tool_called("say_hello")),
        "`say_hello` was not called; did you mean `sayHello`?",
    );
    check(
        &|| drop(response.assert_tool_called("zebra")),
        "`zebra` was not called",
    );
    check(
        &|| drop(response.assert_tool_called("sayHello").once()),
        "`sayHello` was called twice, not once",
    );
    check(
        &|| {
            drop(
                response
                    .assert_tool_called("sayHello")
                    .with(json!({"personName": "Eve"})),
            )
        },
        "`sayHello` was called, but not with {\"personName\":\"Eve\"}",
    );
    check(
        &|| {
            let called = response
                .assert_tool_called("sayHello")
                .with(json!({"personName": "Ada"}));
            drop(called.returning("Bye."));
        },
        "`sayHello` with {\"personName\":\"Ada\"} was called, but not with the result \"Bye.\"",
    );
    check(
        &|| drop(response.assert_tool_called("fail").failing("timeout")),
        "`fail` was called, but not with the failure \"timeout\"",
    );
    check(
        &|| response.assert_tool_not_called("look"),
        "`look` was called once",
    );
    check(
        &|| response.assert_calls(["look", "fail"]),
        "the calls should be `look`, `fail`",
    );
    check(
        &|| response.assert_order(["fail", "look"]),
        "the calls should have the order `fail`, `look`, but there is no `look` after `fail`",
    );
    check(&|| response.assert_no_failed_calls(), "1 of 4 calls failed");
    let none = panics(|| drop(Conversation::new().assert_tool_called("look")));
    assert_eq!(none, "`look` was not called\nno tool was called");
}

#[test]
fn a_panic_has_the_line_of_the_test() {
    let place = std::sync::Arc::new(std::sync::Mutex::new(None));
    let noted = std::sync::Arc::clone(&place);
    let before = std::panic::take_hook();
    let this = std::thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == this {
            let location = panic
                .location()
                .map(|place| (place.file().to_owned(), place.line()));
            *noted.lock().expect("no panic") = location;
        }
    }));
    let line = line!() + 1;
    let told = panics(|| drop(Conversation::new().assert_tool_called("look")));
    std::panic::set_hook(before);
    assert!(told.starts_with("`look`"));
    let place = place.lock().expect("no panic").clone();
    assert_eq!(place, Some((file!().to_owned(), line)));
}
