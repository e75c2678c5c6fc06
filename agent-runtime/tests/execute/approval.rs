//! Calls that a person decides on.

use crate::support::{agent, calls, config, library, results, spec};
use agent_runtime::journal::MemoryJournal;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{AwaitingApproval, Decision, PendingCall, RunOutcome};
use agent_runtime::runtime::RunStream;
use agent_runtime::{Conversation, Error, Event, Runtime, ToolError, ToolLibrary};
use serde_json::Value;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

fn risky() -> (agent_runtime::Agent, ToolLibrary, Scripted) {
    let risky = config("risky").requires_approval(true);
    let risky = risky
        .build(|_| async { Ok("boom".into()) })
        .expect("a tool");
    let model = Scripted::new([calls(&[("a", "risky", "{}")]), ModelReply::text("Done.")]);
    (agent([spec("risky")]), library([risky]), model)
}

#[tokio::test]
async fn denies_without_approver_when_asked_to() {
    let (agent, library, model) = risky();
    let runtime = Runtime::with_model(model);
    let mut conversation = Conversation::new();
    let result = runtime
        .run(&agent, "Hi")
        .tools(&library)
        .conversation(&mut conversation)
        .deny_without_approver()
        .await;
    let used = result.expect("an answer").tools_used.remove(0);
    assert!(matches!(used.result, Err(ToolError::Authorization(_))));
    assert!(results(&conversation)[0].1.contains("approval"));
}

#[tokio::test]
async fn pauses_without_approver_and_keeps_the_conversation() {
    let (agent, library, model) = risky();
    let runtime = Runtime::with_model(model);
    let mut conversation = Conversation::new();
    let error = runtime
        .execute(&agent, "Hi", &mut conversation, &library)
        .await
        .expect_err("a pause");
    assert!(error.is_awaiting_approval(), "{error}");
    assert!(conversation.is_empty());
    let paused = AwaitingApproval::of(&error).expect("the run");
    assert_eq!(paused.calls[0].tool, "risky");
    let id = &paused.calls[0].id;
    let named = format!("the call `{id}` of `greeter/risky`, and the runtime has no approver");
    assert!(error.to_string().contains(&named), "{error}");

    let mut run = paused.run.clone();
    let unknown = run.approve("call_9", Decision::Approve);
    let unknown = unknown.expect_err("no such call").to_string();
    let waiting = format!("on the call `call_9`; these calls wait: `{id}` of `greeter/risky`");
    assert!(unknown.contains(&waiting), "{unknown}");
    run.approve(&paused.calls[0].id, Decision::Approve)
        .expect("it waits");
    let outcome = runtime.resume(&mut run).tools(&library).await;
    assert!(matches!(outcome, Ok(RunOutcome::Done(_))), "{outcome:?}");
    assert_eq!(run.conversation().len(), 4);
    let ended = run
        .approve(id, Decision::Approve)
        .expect_err("it has ended");
    assert!(ended.to_string().contains("no call waits"), "{ended}");
}

#[tokio::test]
async fn a_stream_ends_with_the_pause() {
    let (agent, library, model) = risky();
    let runtime = Runtime::with_model(model);
    let mut events = runtime.run(&agent, "Hi").tools(&library).stream();
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event);
    }
    let error = last.expect("an event").expect_err("a pause");
    let paused = AwaitingApproval::of(&error).expect("the run");
    assert_eq!(paused.run.to_json()["format"], "agent-run");
    assert_eq!(paused.calls.len(), 1);
}

#[tokio::test]
async fn asks_the_approver() {
    let (agent, library, model) = risky();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let runtime = Runtime::builder().model(model).approver({
        let asked = Arc::clone(&asked);
        move |call: PendingCall| {
            asked.lock().expect("no panic").push(call.tool);
            async { Decision::Approve }
        }
    });
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&agent, "Hi", &mut conversation, &library)
        .await;
    let used = response.expect("an answer").tools_used.remove(0);
    assert_eq!(used.result, Ok("boom".into()));
    assert_eq!(*asked.lock().expect("no panic"), ["risky"]);
}

#[tokio::test]
async fn a_run_that_awaits_approval_can_be_saved_as_json() {
    let (agent, library, model) = risky();
    let runtime = Runtime::with_model(model);
    let mut run = runtime
        .run(&agent, "Hi")
        .tools(&library)
        .start()
        .expect("a run");
    let progress = runtime.resume(&mut run).tools(&library).await;
    let RunOutcome::AwaitingApproval(waiting) = progress.expect("a pause") else {
        panic!("the call needs approval");
    };
    let saved = run.to_json().to_string();
    drop(run);
    let saved = serde_json::from_str(&saved).expect("JSON");
    let mut run = runtime.read_run(&saved, &library).expect("the same run");
    run.approve(&waiting[0].id, Decision::Approve)
        .expect("it waits");
    let progress = runtime.resume(&mut run).tools(&library).await;
    let RunOutcome::Done(response) = progress.expect("an answer") else {
        panic!("nothing else needs approval");
    };
    assert_eq!(response.content, "Done.");
    assert_eq!(response.tools_used[0].result, Ok("boom".into()));
}

/// Returns the last item of a stream, and the number of those before it.
async fn last_of(mut events: RunStream<'_>) -> (usize, Result<Event, Error>) {
    let (mut count, mut last) = (0, None);
    while let Some(event) = events.next().await {
        count += usize::from(last.is_some());
        last = Some(event);
    }
    (count, last.expect("an event"))
}

#[tokio::test]
async fn a_run_that_goes_on_is_streamed_with_the_tools_that_it_has() {
    let (agent, library, model) = risky();
    let runtime = Runtime::with_model(model);
    let run = runtime.run(&agent, "Hi").tools(&library).start();
    let mut run = run.expect("a run");
    let (events, last) = last_of(runtime.resume(&mut run).stream()).await;
    let error = last.expect_err("the call needs approval");
    let paused = AwaitingApproval::of(&error).expect("the run");
    assert!(events > 0);
    run.approve(&paused.calls[0].id, Decision::Approve)
        .expect("it waits");
    let (_, last) = last_of(runtime.resume(&mut run).stream()).await;
    let Ok(Event::Finished { response, .. }) = last else {
        panic!("{last:?}");
    };
    assert_eq!(response.tools_used[0].result, Ok("boom".into()));
}

#[tokio::test]
async fn a_recorded_run_is_streamed_after_a_decision() {
    let (agent, library, model) = risky();
    let journal = MemoryJournal::new();
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime.build().expect("a runtime");
    let error = runtime.run(&agent, "Hi").tools(&library).await.unwrap_err();
    let paused = AwaitingApproval::of(&error).expect("the run");
    let (run, call) = (paused.run.id().to_owned(), paused.calls[0].id.clone());
    let waiting = runtime.recover_run(&run).tools(&library).stream();
    let (_, last) = last_of(waiting).await;
    assert!(last.expect_err("no decision").is_awaiting_approval());
    let decided = runtime.recover_run(&run).tools(&library);
    let decided = decided.decisions([(call, Decision::Approve)]).stream();
    let (_, last) = last_of(decided).await;
    assert!(matches!(last, Ok(Event::Finished { .. })), "{last:?}");
}

#[tokio::test]
async fn calls_that_a_decision_settles_are_not_asked_about() {
    let signature = "(n::Int)==>(::Any)";
    let careful = agent_runtime::tool::ToolConfig::with_signature("careful", "Acts.", signature)
        .requires_approval(true)
        .sequential(true)
        .build(|_| async { Ok(Value::Null) })
        .expect("a tool");
    let spec = agent_runtime::ToolSpec::new("careful", "Acts.", signature).expect("a spec");
    let (good, bad) = (r#"{"n": 1}"#, r#"{"n": "one"}"#);
    let list = [good, bad, bad, bad, good].map(|arguments| ("", "careful", arguments));
    let model = Scripted::new([calls(&list), ModelReply::text("Done.")]);
    let asked = Arc::new(AtomicU32::new(0));
    let runtime = Runtime::builder().model(model).approver({
        let asked = Arc::clone(&asked);
        move |_: PendingCall| {
            asked.fetch_add(1, Ordering::SeqCst);
            async { Decision::Deny { reason: None } }
        }
    });
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&agent([spec]), "Hi", &mut conversation, &library([careful]))
        .await
        .expect("an answer");
    // The three bad calls after the first use up the attempts, so the last is settled with it.
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert_eq!(response.tools_used.len(), 5);
    assert!(results(&conversation)[4].1.contains("no attempts"));
}
