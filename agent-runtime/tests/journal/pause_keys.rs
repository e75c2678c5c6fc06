//! Paused runs that are continued by someone who has their key.

use crate::support::{agent, calls, config, library, spec};
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{Decision, RunOutcome};
use agent_runtime::runtime::{RecordedRun, RecoveredRun, RunBuilder};
use agent_runtime::{Error, Runtime, ToolLibrary};

fn acting() -> ToolLibrary {
    let tool = config("act").requires_approval(true);
    library([tool
        .build(|_| async { Ok("acted".into()) })
        .expect("a tool")])
}

/// A runtime whose agent acts twice, and the id of a run that is paused at the first call, with the key `first`.
async fn paused(journal: &MemoryJournal) -> (Runtime, String) {
    let model = Scripted::new([
        calls(&[("x", "act", "{}")]),
        calls(&[("y", "act", "{}")]),
        ModelReply::text("Done."),
    ]);
    let builder = Runtime::builder().model(model).journal(journal.clone());
    let runtime = builder.build().expect("a runtime");
    let agent = agent([spec("act")]);
    let mut run = runtime
        .run(&agent, "Act.")
        .tools(&acting())
        .start()
        .expect("a run");
    let outcome = runtime
        .resume(&mut run)
        .tools(&acting())
        .pause_key("first")
        .await;
    assert!(matches!(outcome, Ok(RunOutcome::AwaitingApproval(_))));
    (runtime, run.id().to_owned())
}

/// A recovery of the run that approves a call.
fn approve(runtime: &Runtime, run: &str, call: &str) -> RunBuilder<'static, RecordedRun> {
    let decision = (call.to_owned(), Decision::Approve);
    runtime
        .recover_run(run)
        .tools(&acting())
        .decisions([decision])
}

async fn answer(
    runtime: &Runtime,
    run: &str,
    call: &str,
    key: &str,
) -> Result<RecoveredRun, Error> {
    approve(runtime, run, call).answers(key).await
}

#[tokio::test]
async fn a_key_continues_a_paused_run_once() {
    let journal = MemoryJournal::new();
    let (runtime, run) = paused(&journal).await;
    let wrong = answer(&runtime, &run, "x", "second").await.unwrap_err();
    let expected = format!(
        "the run `{run}` does not wait for decisions with this key; they may have been made already"
    );
    assert!(
        wrong.is_validation() && wrong.to_string().ends_with(&expected),
        "{wrong}"
    );
    assert_eq!(
        journal.list(&RunFilter::new()).await.unwrap()[0].state,
        RunState::Waiting
    );
    let again = approve(&runtime, &run, "x")
        .answers("first")
        .pause_key("second")
        .await
        .unwrap();
    assert!(matches!(again.outcome, Ok(RunOutcome::AwaitingApproval(_))));
    let used = answer(&runtime, &run, "y", "first").await.unwrap_err();
    assert!(used.is_validation(), "{used}");
    let ended = answer(&runtime, &run, "y", "second").await.unwrap();
    assert!(matches!(ended.outcome, Ok(RunOutcome::Done(_))));
    let ended = answer(&runtime, &run, "y", "second").await.unwrap_err();
    assert!(ended.is_validation(), "{ended}");
}

#[tokio::test]
async fn a_key_ends_when_another_person_decides() {
    let journal = MemoryJournal::new();
    let (runtime, run) = paused(&journal).await;
    let decided = approve(&runtime, &run, "x").await;
    assert!(matches!(
        decided.unwrap().outcome,
        Ok(RunOutcome::AwaitingApproval(_))
    ));
    let late = answer(&runtime, &run, "y", "first").await.unwrap_err();
    assert!(late.is_validation(), "{late}");
}

#[tokio::test]
async fn a_key_that_two_use_at_once_continues_the_run_once() {
    let journal = MemoryJournal::new();
    let (runtime, run) = paused(&journal).await;
    let answers = tokio::join!(
        answer(&runtime, &run, "x", "first"),
        answer(&runtime, &run, "x", "first"),
    );
    let continued = [answers.0.is_ok(), answers.1.is_ok()];
    assert_eq!(continued.iter().filter(|ok| **ok).count(), 1);
}
