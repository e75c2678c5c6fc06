//! Calls that a crash interrupted.

use super::Crashing;
use crate::support::{agent, calls, config, library, results, spec};
use agent_runtime::approval::OnDoubt;
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{AwaitingApproval, Decision, RunOutcome};
use agent_runtime::runtime::OnDrop;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Error, Runtime, ToolLibrary, ToolSpec};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Kills a run between the beginning of its call and the result.
async fn killed(config: ToolConfig) -> (Crashing, ToolLibrary, Arc<AtomicUsize>) {
    killed_call(config, spec("act")).await
}

async fn killed_call(
    config: ToolConfig,
    spec: ToolSpec,
) -> (Crashing, ToolLibrary, Arc<AtomicUsize>) {
    let acts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&acts);
    let tool = config.build(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok("acted".into()) }
    });
    let library = library([tool.expect("a tool")]);
    let journal = Crashing::after(2);
    let model = Scripted::new([calls(&[("x", "act", "{}")])]);
    let runtime = runtime(&journal, model);
    let agent = agent([spec]);
    let run = runtime.run(&agent, "Act.").tools(&library);
    assert!(
        !journal
            .drive(run.on_drop(OnDrop::LEAVE).into_future())
            .await
    );
    assert_eq!(acts.load(Ordering::Relaxed), 1);
    (journal, library, acts)
}

fn runtime(journal: &Crashing, model: Scripted) -> Runtime {
    let builder = Runtime::builder().model(model);
    builder.journal(journal.clone()).build().expect("a runtime")
}

/// The runtime of the next process.
fn next(journal: &Crashing) -> Runtime {
    journal.left.store(1_000, Ordering::Relaxed);
    runtime(journal, Scripted::new([ModelReply::text("Done.")]))
}

#[tokio::test]
async fn a_call_that_may_be_repeated_is_made_again() {
    let (journal, library, acts) = killed(config("act").idempotent(true)).await;
    let runs = next(&journal).recover(&library).await.expect("a journal");
    assert!(
        matches!(&runs[0].outcome, Ok(RunOutcome::Done(_))),
        "{runs:?}"
    );
    assert_eq!(acts.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_call_that_may_have_acted_waits_for_a_person() {
    let (journal, library, acts) = killed(config("act")).await;
    let runs = next(&journal).recover(&library).await.expect("a journal");
    let Ok(RunOutcome::AwaitingApproval(calls)) = &runs[0].outcome else {
        panic!("{runs:?}");
    };
    assert_eq!((calls[0].id.as_str(), calls[0].in_doubt), ("x", true));
    assert_eq!(acts.load(Ordering::Relaxed), 1);
    let id = &runs[0].info.run;
    // It waits, so that it is not recovered once more.
    assert!(
        next(&journal)
            .recover(&library)
            .await
            .expect("a journal")
            .is_empty()
    );
    assert_eq!(
        journal.list(&RunFilter::new()).await.expect("a list")[0].state,
        RunState::Waiting
    );

    let done = Decision::Done {
        result: json!("acted, as the bank says"),
    };
    let run = next(&journal)
        .recover_run(id)
        .tools(&library)
        .decisions([("x".to_owned(), done)])
        .await;
    let run = run.expect("a run");
    assert!(matches!(&run.outcome, Ok(RunOutcome::Done(_))), "{run:?}");
    let conversation = run.conversation().expect("a run");
    assert_eq!(
        results(&conversation),
        [("x".to_owned(), "acted, as the bank says".to_owned(), false)]
    );
    assert_eq!(acts.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_call_of_a_drive_that_was_dropped_waits_for_a_person() {
    let acts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&acts);
    let tool = config("act").build(move |_| {
        let is_first = counted.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            if is_first {
                std::future::pending::<()>().await;
            }
            Ok("acted".into())
        }
    });
    let library = library([tool.expect("a tool")]);
    let model = Scripted::new([calls(&[("x", "act", "{}")]), ModelReply::text("Done.")]);
    let journal = MemoryJournal::new();
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime.build().expect("a runtime");
    let agent = agent([spec("act")]);
    let run = runtime.run(&agent, "Act.").tools(&library).start();
    let mut run = run.expect("a run");
    let dropped = tokio::time::timeout(
        Duration::from_millis(200),
        runtime
            .resume(&mut run)
            .on_drop(OnDrop::LEAVE)
            .into_future(),
    );
    assert!(dropped.await.is_err(), "the first call hangs");
    assert_eq!(acts.load(Ordering::Relaxed), 1);
    let Ok(RunOutcome::AwaitingApproval(waiting)) = runtime.resume(&mut run).await else {
        panic!("the call may have acted");
    };
    assert!(waiting[0].in_doubt);
    assert_eq!(acts.load(Ordering::Relaxed), 1);
    run.approve("x", Decision::Approve).expect("it waits");
    let outcome = runtime.resume(&mut run).await;
    assert!(matches!(outcome, Ok(RunOutcome::Done(_))), "{outcome:?}");
    assert_eq!(acts.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_person_repeats_a_call_in_doubt_or_says_that_it_failed() {
    for (decision, expected, made) in [
        (Decision::Approve, ("acted", false), 2),
        (
            Decision::Deny {
                reason: Some("the bank knows nothing".to_owned()),
            },
            (
                "the call was interrupted, and failed: the bank knows nothing",
                true,
            ),
            1,
        ),
    ] {
        let (journal, library, acts) = killed(config("act")).await;
        let runs = next(&journal).recover(&library).await.expect("a journal");
        let id = &runs[0].info.run;
        let run = next(&journal)
            .recover_run(id)
            .tools(&library)
            .decisions([("x".to_owned(), decision)])
            .await;
        let conversation = run.expect("a run").conversation().expect("a run");
        let (text, is_error) = expected;
        assert_eq!(
            results(&conversation),
            [("x".to_owned(), text.to_owned(), is_error)]
        );
        assert_eq!(acts.load(Ordering::Relaxed), made);
    }
}

/// Where nobody can be asked, the host may let the run go on.
#[tokio::test]
async fn a_call_like_one_that_may_have_been_made_requires_approval() {
    const SIGNATURE: &str = "(to::Text)==>(sum::Int)==>(::Any)";
    let (acts, journal) = (Arc::new(AtomicUsize::new(0)), Crashing::after(2));
    let counted = Arc::clone(&acts);
    let tool = ToolConfig::with_signature("pay", "Pays.", SIGNATURE).build(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok("paid".into()) }
    });
    let library = library([tool.expect("a tool")]);
    let spec = ToolSpec::new("pay", "Pays.", SIGNATURE).expect("a spec");
    let agent = agent([spec]);
    let first = r#"{"to": "Ada", "sum": 5}"#;
    let runtime = |replies: Vec<ModelReply>| {
        let builder = Runtime::builder().model(Scripted::new(replies));
        let builder = builder
            .journal(journal.clone())
            .on_doubt(OnDoubt::TellModel);
        builder.build().expect("a runtime")
    };
    let killed = runtime(vec![calls(&[("a", "pay", first)])]);
    let run = killed.run(&agent, "Pay.").tools(&library);
    assert!(
        !journal
            .drive(run.on_drop(OnDrop::LEAVE).into_future())
            .await
    );

    journal.left.store(1_000, Ordering::Relaxed);
    let next = runtime(vec![
        calls(&[("b", "pay", r#"{"to": "Eve", "sum": 5}"#)]),
        calls(&[("c", "pay", r#"{"sum":5,"to":"Ada"}"#)]),
    ]);
    let runs = next.recover(&library).await.expect("a journal");
    let Ok(RunOutcome::AwaitingApproval(waiting)) = &runs[0].outcome else {
        panic!("{runs:?}");
    };
    assert_eq!((waiting[0].id.as_str(), waiting[0].in_doubt), ("c", false));
    assert_eq!(acts.load(Ordering::Relaxed), 2, "another call is made");
    let conversation = runs[0].conversation().expect("a run");
    let (id, told, is_error) = &results(&conversation)[0];
    assert_eq!((id.as_str(), *is_error), ("a", true));
    assert!(told.contains("not known whether it was made"), "{told}");

    let last = runtime(vec![ModelReply::text("Paid.")]);
    let decisions = [("c".to_owned(), Decision::Approve)];
    let run = last
        .recover_run(&runs[0].info.run)
        .tools(&library)
        .decisions(decisions)
        .await;
    let run = run.expect("a run");
    assert!(matches!(&run.outcome, Ok(RunOutcome::Done(_))), "{run:?}");
    assert_eq!(acts.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_result_is_not_accepted_for_a_call_that_was_never_made() {
    let (journal, library) = (Crashing::after(1_000), ToolLibrary::new());
    let tool = config("act")
        .requires_approval(true)
        .build(|_| async { Ok("acted".into()) });
    let mut library = library;
    library.add(tool.expect("a tool")).expect("a name");
    let model = Scripted::new([calls(&[("x", "act", "{}")])]);
    let agent = agent([spec("act")]);
    let paused: Error = runtime(&journal, model)
        .run(&agent, "Act.")
        .tools(&library)
        .await
        .expect_err("it waits");
    let id = AwaitingApproval::of(&paused)
        .expect("it waits")
        .run
        .id()
        .to_owned();
    let done = Decision::Done {
        result: json!("acted"),
    };
    let refused = next(&journal)
        .recover_run(&id)
        .tools(&library)
        .decisions([("x".to_owned(), done)])
        .await;
    let refused = refused.expect_err("it was never made");
    assert!(refused.to_string().contains("not in doubt"), "{refused}");
    // The run waits as before.
    let approved = [("x".to_owned(), Decision::Approve)];
    let run = next(&journal)
        .recover_run(&id)
        .tools(&library)
        .decisions(approved)
        .await
        .expect("a run");
    assert!(matches!(run.outcome, Ok(RunOutcome::Done(_))), "{run:?}");
}

#[tokio::test]
async fn a_result_of_another_type_is_not_accepted() {
    let returns = "()==>(::Int)";
    let config = ToolConfig::with_signature("act", "Does something.", returns);
    let spec = ToolSpec::new("act", "Does something.", returns).expect("a spec");
    let (journal, library, _) = killed_call(config, spec).await;
    let runs = next(&journal).recover(&library).await.expect("a journal");
    let id = &runs[0].info.run;
    let decided = async |result| {
        let done = [("x".to_owned(), Decision::Done { result })];
        next(&journal)
            .recover_run(id)
            .tools(&library)
            .decisions(done)
            .await
    };
    let refused = decided(json!("seventeen")).await;
    let refused = refused.expect_err("another type");
    assert_eq!(
        refused.to_string(),
        "the call `x` of `act` waits still, because the result does not fit `()==>(::Int)`: `$`: expected \
         Int, found the text \"seventeen\""
    );
    let listed = journal.list(&RunFilter::new()).await.expect("a list");
    assert_eq!(listed[0].state, RunState::Waiting);
    let run = decided(json!(17)).await.expect("a run");
    assert!(matches!(&run.outcome, Ok(RunOutcome::Done(_))), "{run:?}");
}

#[tokio::test]
async fn the_time_limit_of_a_run_holds_over_a_crash() {
    for (limit, is_over) in [
        (Duration::from_millis(1), true),
        (Duration::from_secs(600), false),
    ] {
        let (journal, library, _) = killed(config("act").idempotent(true)).await;
        journal.left.store(1_000, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(5)).await;
        let runtime = Runtime::builder()
            .model(Scripted::new([ModelReply::text("Done.")]))
            .journal(journal.clone())
            .run_timeout(limit)
            .build()
            .expect("a runtime");
        let runs = runtime.recover(&library).await.expect("a journal");
        let error = runs[0].outcome.as_ref().err();
        assert_eq!(
            error.is_some_and(|error| error.is_limit() && error.is_timeout()),
            is_over
        );
        let state = journal.list(&RunFilter::new()).await.expect("a list")[0].state;
        assert_eq!(
            state,
            if is_over {
                RunState::Failed
            } else {
                RunState::Done
            }
        );
    }
}

#[tokio::test]
async fn decisions_on_calls_in_doubt_are_replayed() {
    use agent_runtime::testing::{Replay, StepSide};

    let deny = Decision::Deny {
        reason: Some("the bank knows nothing".to_owned()),
    };
    let done = Decision::Done {
        result: json!("acted, as the bank says"),
    };
    for decision in [Decision::Approve, deny, done, Decision::Unknown] {
        let (journal, library, _) = killed(config("act")).await;
        let runs = next(&journal).recover(&library).await.expect("a journal");
        let (id, shown) = (runs[0].info.run.clone(), format!("{decision:?}"));
        let decisions = [("x".to_owned(), decision)];
        let run = next(&journal)
            .recover_run(&id)
            .tools(&library)
            .decisions(decisions)
            .await;
        run.expect("a run").outcome.expect("an answer");
        let stored = journal.read(&id).await.expect("a journal").expect("a run");
        for library in [library, ToolLibrary::new()] {
            let replay = Replay::new(stored.clone()).tools(&library);
            let rebuilt = replay.compare().expect("a run");
            assert_eq!((rebuilt.requests, rebuilt.sent_otherwise.len()), (2, 0));
            let replay = replay.with_agent(agent([spec("act")]));
            let same = replay.compare().expect("a run");
            assert!(same.is_same() && same.requests == 2, "{shown}: {same}");
            // The same call has the same result, and is not made.
            let model = Scripted::new([calls(&[("y", "act", "{}")]), ModelReply::text("Done.")]);
            let live = replay.live(&Runtime::with_model(model)).await;
            let live = live.expect("a replay");
            let steps = live.steps();
            assert!(
                steps.iter().all(|(side, _)| *side == StepSide::Both),
                "{shown}: {steps:?}"
            );
        }
    }
}
