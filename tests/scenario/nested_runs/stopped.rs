//! Runs that are dropped or cancelled while agents are called.

use super::*;
use agent_runtime::Cancellation;
use agent_runtime::conversation::Role;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// More polls than a run of these tests needs.
const TOO_MANY: usize = 10_000;

/// Polls a future so many times, each time when something woke it, as an executor does. Returns `None` if it is not
/// ready then.
async fn polled<F: Future + ?Sized>(mut future: Pin<&mut F>, times: usize) -> Option<F::Output> {
    let mut left = times;
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Asserts that each call of a conversation has a result, and returns the number of the results.
fn results(conversation: &Conversation) -> usize {
    let messages = conversation.messages();
    let calls: usize = messages
        .iter()
        .map(|message| message.tool_calls().len())
        .sum();
    let results = messages
        .iter()
        .filter(|message| message.role() == Role::Function);
    assert_eq!(results.count(), calls);
    calls
}

#[tokio::test]
async fn a_run_can_be_dropped_at_each_await() {
    let server = both_look_up().serve();
    let (runtime, library) = (runtime(&server), library());
    let mut interrupted = 0;
    for polls in 0..TOO_MANY {
        let mut conversation = Conversation::new();
        let run = runtime.run(&SUPPORT, "What did I order?").tools(&library);
        let mut run = run
            .conversation(&mut conversation)
            .streaming()
            .into_future();
        let ended = polled(run.as_mut(), polls).await;
        drop(run);
        let calls = results(&conversation);
        interrupted += usize::from(calls == 2 && conversation.messages().len() == 4);
        assert_goes_on(&runtime, &mut conversation).await;
        if let Some(outcome) = ended {
            assert_eq!(outcome.expect("an answer").content, "Ada ordered a lamp.");
            assert!(
                interrupted > 3,
                "dropped {interrupted} times while agents were called"
            );
            return;
        }
    }
    panic!("the run does not end");
}

#[tokio::test]
async fn a_run_can_be_cancelled_at_each_await() {
    let server = both_look_up().serve();
    let (runtime, library) = (runtime(&server), library());
    let mut interrupted = 0;
    for polls in 0..TOO_MANY {
        let mut conversation = Conversation::new();
        let cancellation = Cancellation::new();
        let run = runtime.run(&SUPPORT, "What did I order?").tools(&library);
        let run = run
            .conversation(&mut conversation)
            .cancellation(cancellation.clone());
        let mut run = run.into_future();
        let ended = polled(run.as_mut(), polls).await;
        let has_ended = ended.is_some();
        if !has_ended {
            cancellation.cancel();
            let error = run.await.expect_err("it was cancelled");
            assert!(error.is_cancelled(), "{error}");
        } else {
            drop(run);
        }
        let calls = results(&conversation);
        interrupted += usize::from(calls == 2 && !has_ended);
        assert_goes_on(&runtime, &mut conversation).await;
        if let Some(outcome) = ended {
            assert_eq!(outcome.expect("an answer").content, "Ada ordered a lamp.");
            assert!(
                interrupted > 3,
                "cancelled {interrupted} times while agents were called"
            );
            return;
        }
    }
    panic!("the run does not end");
}
