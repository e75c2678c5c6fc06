//! Paused runs that are continued by someone who has their key.

use crate::support::{agent, calls, config, library, spec};
use agent_runtime::journal::{Journal, MemoryJournal, RunState};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{Decision, RunOutcome};
use agent_runtime::runtime::{DriveOptions, RecoveredRun};
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
    let options = DriveOptions::new().pause_key("first");
    let outcome = runtime.drive(&mut run, &acting(), options).await;
    assert!(matches!(outcome, Ok(RunOutcome::AwaitingApproval(_))));
    (runtime, run.id().to_owned())
}

async fn answer(
    runtime: &Runtime,
    run: &str,
    call: &str,
    options: DriveOptions<'_>,
) -> Result<RecoveredRun, Error> {
    let decision = (call.to_owned(), Decision::Approve);
    runtime
        .recover_run_with(run, &acting(), [decision], options)
        .await
}

fn with(key: &str) -> DriveOptions<'static> {
    DriveOptions::new().answers(key)
}

#[tokio::test]
async fn a_key_continues_a_paused_run_once() {
    let journal = MemoryJournal::new();
    let (runtime, run) = paused(&journal).await;
    let wrong = answer(&runtime, &run, "x", with("second"))
        .await
        .unwrap_err();
    let expected = format!(
        "the run `{run}` does not wait for decisions with this key; they may have been made already"
    );
    assert!(
        wrong.is_validation() && wrong.to_string().ends_with(&expected),
        "{wrong}"
    );
    assert_eq!(journal.list().await.unwrap()[0].state, RunState::Waiting);
    let options = with("first").pause_key("second");
    let again = answer(&runtime, &run, "x", options).await.unwrap();
    assert!(matches!(again.outcome, Ok(RunOutcome::AwaitingApproval(_))));
    let used = answer(&runtime, &run, "y", with("first"))
        .await
        .unwrap_err();
    assert!(used.is_validation(), "{used}");
    let ended = answer(&runtime, &run, "y", with("second")).await.unwrap();
    assert!(matches!(ended.outcome, Ok(RunOutcome::Done(_))));
    let ended = answer(&runtime, &run, "y", with("second"))
        .await
        .unwrap_err();
    assert!(ended.is_validation(), "{ended}");
}

#[tokio::test]
async fn a_key_ends_when_another_person_decides() {
    let journal = MemoryJournal::new();
    let (runtime, run) = paused(&journal).await;
    let decided = answer(&runtime, &run, "x", DriveOptions::new()).await;
    assert!(matches!(
        decided.unwrap().outcome,
        Ok(RunOutcome::AwaitingApproval(_))
    ));
    let late = answer(&runtime, &run, "y", with("first"))
        .await
        .unwrap_err();
    assert!(late.is_validation(), "{late}");
}

#[tokio::test]
async fn a_key_that_two_use_at_once_continues_the_run_once() {
    let journal = MemoryJournal::new();
    let (runtime, run) = paused(&journal).await;
    let answers = tokio::join!(
        answer(&runtime, &run, "x", with("first")),
        answer(&runtime, &run, "x", with("first")),
    );
    let continued = [answers.0.is_ok(), answers.1.is_ok()];
    assert_eq!(continued.iter().filter(|ok| **ok).count(), 1);
}
