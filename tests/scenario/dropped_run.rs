//! A caller that loses interest in the middle of a call.

use agent_runtime::conversation::{Role, ToolCall};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Agent, Conversation, Runtime, ToolContext, agent, tool, tools};
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::task::Poll;
use std::thread;
use std::time::Duration;

/// The signals from the tools to the test.
#[derive(Default)]
struct Seen {
    waits: AtomicBool,
    dropped: AtomicBool,
}

impl Seen {
    fn of(context: &ToolContext) -> Arc<Self> {
        let seen = context.extension::<Arc<Self>>();
        Arc::clone(seen.expect("the runtime was given one"))
    }
}

/// Says so when it goes out of scope.
struct SaysWhenDropped(Arc<Seen>);

impl Drop for SaysWhenDropped {
    fn drop(&mut self) {
        self.0.dropped.store(true, Ordering::SeqCst);
    }
}

/// Looks at the clock
#[tool(inline)]
fn look_at_clock() -> String {
    "noon".to_owned()
}

/// Waits for the bus
#[tool]
async fn wait_for_bus(context: &ToolContext) -> String {
    let seen = Seen::of(context);
    let _guard = SaysWhenDropped(Arc::clone(&seen));
    seen.waits.store(true, Ordering::SeqCst);
    pending().await
}

/// Digs a hole
#[tool]
fn dig(context: &ToolContext) -> String {
    Seen::of(context).waits.store(true, Ordering::SeqCst);
    while !context.is_cancelled() {
        thread::yield_now();
    }
    let stopped = context.extension::<mpsc::Sender<()>>();
    // The test may have given up waiting.
    let _ = stopped.expect("the runtime was given one").send(());
    "a hole".to_owned()
}

static AGENT: Agent = agent! {
    tools: [look_at_clock, wait_for_bus, dig],
    [traveller:Agent {instruction: "Travel.", model: "OpenAI/gpt-6-luna"} |
        lookAtClock, waitForBus, dig
    ]
};

/// Drives a future until the condition holds, and drops it there.
async fn drop_when(future: impl Future, condition: impl Fn() -> bool) {
    let mut future = pin!(future);
    poll_fn(|context| {
        if condition() {
            return Poll::Ready(());
        }
        assert!(
            future.as_mut().poll(context).is_pending(),
            "the future ended before it was to be dropped"
        );
        // The condition may come true on another thread, which wakes nobody.
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[tokio::test]
async fn a_dropped_run_leaves_a_valid_conversation() {
    let model = Scripted::new([
        ModelReply::calls([
            ToolCall::new("bus", "waitForBus", "{}"),
            ToolCall::new("clock", "lookAtClock", "{}"),
        ]),
        ModelReply::text("It was noon when you left."),
    ]);
    let seen = Arc::new(Seen::default());
    let runtime = Runtime::builder()
        .model(model.clone())
        .extension(Arc::clone(&seen))
        .build()
        .expect("a runtime");
    let library = tools![look_at_clock, wait_for_bus, dig];
    let mut conversation = Conversation::new();
    let run = runtime.execute(&AGENT, "Take the bus", &mut conversation, &library);
    drop_when(run, || seen.waits.load(Ordering::SeqCst)).await;
    assert!(seen.dropped.load(Ordering::SeqCst), "the tool is stopped");

    conversation.check().expect("a history that can be sent");
    let told: Vec<(Role, Option<&str>, bool)> = conversation
        .messages()
        .iter()
        .map(|message| (message.role(), message.call_id(), message.is_error()))
        .collect();
    let expected = [
        (Role::User, None, false),
        (Role::Assistant, None, false),
        (Role::Function, Some("bus"), true),
        (Role::Function, Some("clock"), false),
    ];
    assert_eq!(told, expected);
    let messages = conversation.messages();
    assert!(messages[2].content().contains("cancelled"), "{messages:?}");
    assert_eq!(messages[3].content(), "noon");

    // The next run sends all of it.
    let before = conversation.clone();
    let response = runtime
        .execute(&AGENT, "What time was it?", &mut conversation, &library)
        .await
        .expect("an answer");
    assert_eq!(response.content, "It was noon when you left.");
    let sent = &model.requests()[1].messages;
    assert_eq!(sent[..4], *before.messages());
    assert_eq!(sent[4].content(), "What time was it?");
}

#[tokio::test]
async fn a_blocking_tool_is_cancelled_when_its_run_is_dropped() {
    let model = Scripted::new([ModelReply::call("dig", "{}")]);
    let seen = Arc::new(Seen::default());
    let (stopped, hears) = mpsc::channel::<()>();
    let runtime = Runtime::builder()
        .model(model)
        .extension(Arc::clone(&seen))
        .extension(stopped)
        .build()
        .expect("a runtime");
    let library = tools![look_at_clock, wait_for_bus, dig];
    let mut conversation = Conversation::new();
    let run = runtime.execute(&AGENT, "Dig!", &mut conversation, &library);
    drop_when(run, || seen.waits.load(Ordering::SeqCst)).await;
    conversation.check().expect("a history that can be sent");
    assert!(conversation.messages()[2].is_error());
    // The time is only for a tool that never hears of it; the test takes none of it otherwise.
    let heard = hears.recv_timeout(Duration::from_secs(60));
    heard.expect("the tool hears of it");
}
