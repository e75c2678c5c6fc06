//! Runs that are stopped before their answer: by the caller and by time limits.

use crate::support::{agent, calls, config, library, results, spec, tool};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{Decision, MAX_CALLS_AT_ONCE, RunOutcome};
use agent_runtime::runtime::OnDrop;
use agent_runtime::{Cancellation, Conversation, Runtime, ToolLibrary};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A tool that says when it starts and when it is dropped before its end.
fn endless(started: &Arc<tokio::sync::Notify>, dropped: &Arc<AtomicU32>) -> ToolLibrary {
    struct OnDrop(Arc<AtomicU32>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (started, dropped) = (Arc::clone(started), Arc::clone(dropped));
    let endless = config("endless")
        .build_with_context(move |_, context| {
            let (started, guard) = (Arc::clone(&started), OnDrop(Arc::clone(&dropped)));
            let dropped = Arc::clone(&dropped);
            // Work elsewhere hears of the end through the context.
            tokio::spawn(async move {
                context.cancellation().cancelled().await;
                dropped.fetch_add(10, Ordering::SeqCst);
            });
            async move {
                let _guard = guard;
                started.notify_one();
                std::future::pending().await
            }
        })
        .expect("a tool");
    library([endless, tool("quick", |_| async { Ok("done".into()) })])
}

#[tokio::test]
async fn dropping_a_run_cancels_its_tools_and_keeps_what_was_done() {
    let started = Arc::new(tokio::sync::Notify::new());
    let dropped = Arc::new(AtomicU32::new(0));
    let library = endless(&started, &dropped);
    let agent = agent([spec("endless"), spec("quick")]);
    let model = Scripted::new([calls(&[("a", "endless", "{}"), ("b", "quick", "{}")])]);
    let runtime = Runtime::with_model(model);
    let mut conversation = Conversation::new();
    {
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        tokio::select! {
            _ = run => panic!("the tool does not end"),
            () = started.notified() => {}
        }
    }
    while dropped.load(Ordering::SeqCst) < 11 {
        tokio::task::yield_now().await;
    }
    conversation.check().expect("a valid history");
    let results = results(&conversation);
    assert!(results[0].2 && results[0].1.contains("cancelled"));
    assert_eq!((results[1].1.as_str(), results[1].2), ("done", false));
    // And it can go on.
    let model = Scripted::new([ModelReply::text("Again.")]);
    let runtime = Runtime::with_model(model.clone());
    let reply = runtime
        .execute(&agent, "Again?", &mut conversation, &library)
        .await;
    assert_eq!(reply.expect("an answer").content, "Again.");
    assert_eq!(model.requests()[0].messages.len(), 5);
}

#[tokio::test]
async fn cancelling_a_run_gives_a_cancelled_error() {
    let started = Arc::new(tokio::sync::Notify::new());
    let library = endless(&started, &Arc::default());
    let agent = agent([spec("endless"), spec("quick")]);
    let model = Scripted::new([calls(&[("a", "endless", "{}")])]);
    let cancellation = Cancellation::new();
    let cancel = cancellation.clone();
    tokio::spawn(async move {
        started.notified().await;
        cancel.cancel();
    });
    let mut conversation = Conversation::new();
    let error = Runtime::with_model(model)
        .run(&agent, "Hi")
        .tools(&library)
        .conversation(&mut conversation)
        .cancellation(cancellation)
        .await
        .expect_err("cancelled");
    assert!(error.is_cancelled());
    assert_eq!(conversation.len(), 3);
    conversation.check().expect("a valid history");
}

#[tokio::test(start_paused = true)]
async fn a_run_beyond_its_timeout_ends_with_a_limit_error() {
    let library = endless(&Arc::default(), &Arc::default());
    let agent = agent([spec("endless")]);
    let turn = || calls(&[("", "endless", "{}")]);
    let runtime = Runtime::builder()
        .model(Scripted::new([turn(), turn(), turn()]))
        .run_timeout(Duration::from_secs(15))
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    let error = runtime
        .execute(&agent, "Hi", &mut conversation, &library)
        .await
        .expect_err("too long");
    assert!(error.is_limit() && error.is_timeout(), "{error:?}");
    assert!(!error.is_unavailable(), "{error:?}");
    assert_eq!(results(&conversation).len(), 2);
    conversation.check().expect("a valid history");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_answer_times_out() {
    struct Silent;
    impl agent_runtime::model::ChatModel for Silent {
        fn chat<'a>(
            &'a self,
            _: &'a agent_runtime::model::ModelRequest,
        ) -> agent_runtime::model::ChatFuture<'a> {
            Box::pin(std::future::pending())
        }
    }
    let mut conversation = Conversation::new();
    let error = Runtime::with_model(Silent)
        .run(agent([]), "Hi")
        .conversation(&mut conversation)
        .await
        .expect_err("no answer");
    assert!(error.is_llm() && error.is_unavailable(), "{error}");
    assert!(error.is_timeout(), "{error:?}");
    assert!(conversation.is_empty());
}

/// Runs an agent whose tool cancels the run, with the signal given before or not.
async fn check_cancelled(before: bool, requests: usize, made: u32) {
    let signal = Cancellation::new();
    if before {
        signal.cancel();
    }
    let count = Arc::new(AtomicU32::new(0));
    let cancels = tool("cancels", {
        let (count, signal) = (Arc::clone(&count), signal.clone());
        move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            signal.cancel();
            async { Ok(Value::Null) }
        }
    });
    let turn = || calls(&[("", "cancels", "{}")]);
    let model = Scripted::new([turn(), turn(), ModelReply::text("Done.")]);
    let mut conversation = Conversation::new();
    let error = Runtime::with_model(model.clone())
        .run(agent([spec("cancels")]), "Hi")
        .tools(&library([cancels]))
        .conversation(&mut conversation)
        .cancellation(signal)
        .await
        .expect_err("cancelled");
    assert!(error.is_cancelled(), "{error}");
    assert_eq!(model.requests().len(), requests);
    assert_eq!(count.load(Ordering::SeqCst), made);
    conversation.check().expect("a valid history");
}

#[tokio::test]
async fn a_run_cancelled_beforehand_makes_no_request() {
    check_cancelled(true, 0, 0).await;
}

#[tokio::test]
async fn a_run_cancelled_during_a_step_makes_no_further_one() {
    check_cancelled(false, 1, 1).await;
}

/// A runtime tells begun calls from others.
#[tokio::test]
async fn a_stopped_run_reports_the_calls_that_were_not_begun() {
    let started = Arc::new(tokio::sync::Notify::new());
    let library = endless(&started, &Arc::default());
    let agent = agent([spec("endless")]);
    let names: Vec<String> = (0..MAX_CALLS_AT_ONCE + 2)
        .map(|at| format!("c{at}"))
        .collect();
    let list: Vec<_> = names.iter().map(|id| (&**id, "endless", "{}")).collect();
    let cancellation = Cancellation::new();
    let cancel = cancellation.clone();
    tokio::spawn(async move {
        started.notified().await;
        cancel.cancel();
    });
    let mut conversation = Conversation::new();
    Runtime::with_model(Scripted::new([calls(&list)]))
        .run(&agent, "Hi")
        .tools(&library)
        .conversation(&mut conversation)
        .cancellation(cancellation)
        .await
        .expect_err("cancelled");
    let results = results(&conversation);
    let (begun, others) = results.split_at(MAX_CALLS_AT_ONCE);
    assert!(
        begun
            .iter()
            .all(|(_, text, _)| text.starts_with("cancelled"))
    );
    assert_eq!(others.len(), 2);
    assert!(
        others
            .iter()
            .all(|(_, text, _)| text.starts_with("not made"))
    );
}

#[tokio::test]
async fn an_approved_call_that_was_not_begun_is_answered_as_not_made() {
    let risky = config("risky").requires_approval(true);
    let risky = risky.build(|_| async { Ok(1.into()) }).expect("a tool");
    let (agent, library) = (agent([spec("risky")]), library([risky]));
    let runtime = Runtime::with_model(Scripted::new([calls(&[("a", "risky", "{}")])]));
    let run = runtime.run(&agent, "Hi").tools(&library).start();
    let mut run = run.expect("a run");
    let paused = runtime.resume(&mut run).tools(&library).await;
    assert!(matches!(paused, Ok(RunOutcome::AwaitingApproval(_))));
    run.approve("a", Decision::Approve).expect("it waits");
    let mut run = runtime
        .read_run(&run.to_json(), &library)
        .expect("its own form");
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let ended = runtime
        .resume(&mut run)
        .tools(&library)
        .cancellation(cancellation)
        .await;
    assert!(ended.expect_err("cancelled").is_cancelled());
    let (_, text, _) = results(&run.conversation()).remove(0);
    assert!(text.starts_with("not made"), "{text}");
}

/// A file that was saved in the midst of a call says so: what the call did nobody knows.
#[tokio::test]
async fn a_call_begun_before_saving_is_answered_as_cancelled() {
    let started = Arc::new(tokio::sync::Notify::new());
    let library = endless(&started, &Arc::default());
    let agent = agent([spec("endless")]);
    let runtime = Runtime::with_model(Scripted::new([calls(&[("a", "endless", "{}")])]));
    let run = runtime.run(&agent, "Hi").tools(&library).start();
    let mut run = run.expect("a run");
    tokio::select! {
        _ = runtime.resume(&mut run).tools(&library).on_drop(OnDrop::LEAVE) => panic!("it does not end"),
        () = started.notified() => {}
    }
    let mut run = runtime
        .read_run(&run.to_json(), &library)
        .expect("its own form");
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let ended = runtime
        .resume(&mut run)
        .tools(&library)
        .cancellation(cancellation)
        .await;
    assert!(ended.expect_err("cancelled").is_cancelled());
    let (_, text, _) = results(&run.conversation()).remove(0);
    assert!(text.starts_with("cancelled"), "{text}");
}
