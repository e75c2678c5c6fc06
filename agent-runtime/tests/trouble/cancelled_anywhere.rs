//! Runs that are dropped, or cancelled by a signal, at each place where they wait.

use crate::support::{agent, calls, config, library, results, spec};
use agent_runtime::approval::{Approver, DecisionFuture};
use agent_runtime::hook::{HookFuture, RunContext, ToolVerdict};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest, ReplySink, Scripted};
use agent_runtime::run::{Decision, PendingCall};
use agent_runtime::{AgentResponse, Cancellation, Conversation, Error, Hook, Runtime, ToolLibrary};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use tokio::task::yield_now;

/// A model that waits before it answers, and between the parts of its answer.
struct Slow(Scripted);

impl ChatModel for Slow {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            yield_now().await;
            let reply = self.0.chat(request).await;
            yield_now().await;
            reply
        })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            yield_now().await;
            let reply = self.0.chat(request).await?;
            sink.send_reply(&reply).await;
            yield_now().await;
            Ok(reply)
        })
    }
}

/// Waits before and after everything.
struct Waiting;

impl Hook for Waiting {
    fn before_model<'a>(&'a self, _run: &'a RunContext, _: &'a mut ModelRequest) -> HookFuture<'a> {
        Box::pin(async {
            yield_now().await;
            Ok(())
        })
    }

    fn after_model<'a>(
        &'a self,
        _run: &'a RunContext,
        _: &'a ModelRequest,
        _: &'a mut ModelReply,
    ) -> HookFuture<'a> {
        Box::pin(async {
            yield_now().await;
            Ok(())
        })
    }

    fn before_tool<'a>(
        &'a self,
        _run: &'a RunContext,
        _: &'a PendingCall,
        _: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        Box::pin(async {
            yield_now().await;
            Ok(ToolVerdict::Call)
        })
    }
}

impl Approver for Waiting {
    fn decide<'a>(&'a self, _: &'a PendingCall) -> DecisionFuture<'a> {
        Box::pin(async {
            yield_now().await;
            Decision::Approve
        })
    }
}

/// Counts the calls that run.
struct Running(Arc<AtomicUsize>);

impl Running {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn tools(running: &Arc<AtomicUsize>) -> ToolLibrary {
    let settings = [
        config("plain"),
        config("alone").sequential(true),
        config("asked").requires_approval(true),
    ];
    library(settings.map(|config| {
        let running = Arc::clone(running);
        let tool = config.build(move |_| {
            let running = Running::new(&running);
            async move {
                yield_now().await;
                yield_now().await;
                drop(running);
                Ok("fine".into())
            }
        });
        tool.expect("a tool")
    }))
}

fn runtime() -> Runtime {
    let script = Scripted::new([
        calls(&[
            ("a", "plain", "{}"),
            ("b", "plain", "{}"),
            ("c", "alone", "{}"),
            ("d", "plain", "{}"),
        ]),
        calls(&[
            ("e", "asked", "{}"),
            ("f", "plain", "{}"),
            ("g", "invented", "{}"),
        ]),
        ModelReply::text("Done."),
    ]);
    let builder = Runtime::builder()
        .model(Slow(script))
        .hook(Waiting)
        .approver(Waiting);
    builder.build().expect("a runtime")
}

type Response = Result<AgentResponse, Error>;

/// Polls a run as often as is said; gives what it came to if it came so far.
async fn polled(
    mut run: Pin<&mut (impl Future<Output = Response> + ?Sized)>,
    times: usize,
) -> Option<Response> {
    for _ in 0..times {
        let poll = poll_fn(|context| Poll::Ready(run.as_mut().poll(context))).await;
        if let Poll::Ready(response) = poll {
            return Some(response);
        }
        yield_now().await;
    }
    None
}

/// Holds that the history can be sent, that each call has one result, and that nothing runs.
fn check(conversation: &Conversation, running: &AtomicUsize, place: &str) {
    let valid = conversation.check();
    assert!(valid.is_ok(), "{place}: {valid:?}");
    let mut calls: Vec<&str> = conversation
        .messages()
        .iter()
        .flat_map(|message| message.tool_calls())
        .map(|call| call.id())
        .collect();
    let results = results(conversation);
    let mut answered: Vec<&str> = results.iter().map(|(id, ..)| id.as_str()).collect();
    calls.sort_unstable();
    answered.sort_unstable();
    assert_eq!(calls, answered, "{place}");
    assert_eq!(
        running.load(Ordering::Relaxed),
        0,
        "{place}: a tool still runs"
    );
}

/// Ends a run after each number of polls, until it ends by itself; says how many places there were.
async fn end_anywhere(streaming: bool, signalled: bool) -> usize {
    let agent = agent(["plain", "alone", "asked"].map(spec));
    let mut cancelled = 0;
    for times in 0.. {
        assert!(times < 1_000, "the run does not end");
        let running = Arc::default();
        let (runtime, tools) = (runtime(), tools(&running));
        let mut conversation = Conversation::new();
        let cancellation = Cancellation::new();
        let ended = {
            let mut run = runtime
                .run(&agent, "Go")
                .tools(&tools)
                .conversation(&mut conversation)
                .cancellation(cancellation.clone());
            if streaming {
                run = run.streaming();
            }
            let mut run = run.into_future();
            let ended = polled(run.as_mut(), times).await;
            if ended.is_none() && signalled {
                cancellation.cancel();
                // An answer that is there already counts.
                if let Err(error) = run.await {
                    assert!(error.is_cancelled(), "{error}");
                    cancelled += 1;
                }
            }
            ended
        };
        check(&conversation, &running, &format!("after {times} polls"));
        if let Some(response) = ended {
            assert_eq!(response.expect("an answer").tools_used.len(), 7);
            assert!(
                !signalled || cancelled + 2 > times,
                "{cancelled} of {times} were cancelled"
            );
            return times;
        }
    }
    unreachable!("the loop ends with the run")
}

#[tokio::test]
async fn a_run_dropped_anywhere_leaves_a_valid_history_and_no_tool() {
    for streaming in [false, true] {
        let places = end_anywhere(streaming, false).await;
        assert!(places > 20, "there were only {places} places");
    }
}

#[tokio::test]
async fn a_run_cancelled_anywhere_leaves_a_valid_history_and_no_tool() {
    for streaming in [false, true] {
        let places = end_anywhere(streaming, true).await;
        assert!(places > 20, "there were only {places} places");
    }
}
