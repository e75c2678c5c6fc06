//! Runs whose model cannot be asked, because a key is missing or rejected.

use crate::support::{agent, calls, config, library, results, spec};
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest, Scripted};
use agent_runtime::run::{Decision, RunOutcome};
use agent_runtime::{Error, Runtime, ToolLibrary};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A provider without a key: no request is sent.
struct Keyless;

impl ChatModel for Keyless {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async { self.check(request).and(Ok(ModelReply::text("Never."))) })
    }

    fn check(&self, _: &ModelRequest) -> Result<(), Error> {
        Err(Error::configuration("the key is missing"))
    }
}

/// A provider that gives its replies, and then rejects the key.
struct Rejecting(Scripted, usize, AtomicUsize);

impl ChatModel for Rejecting {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        if self.2.fetch_add(1, Ordering::Relaxed) < self.1 {
            return self.0.chat(request);
        }
        Box::pin(async { Err(Error::configuration("the key was rejected")) })
    }
}

fn rejecting<const N: usize>(replies: [ModelReply; N]) -> Rejecting {
    Rejecting(Scripted::new(replies), N, AtomicUsize::new(0))
}

fn runtime(journal: &MemoryJournal, model: impl ChatModel) -> Runtime {
    let builder = Runtime::builder().model(model);
    builder.journal(journal.clone()).build().expect("a runtime")
}

fn acting(requires_approval: bool) -> (ToolLibrary, Arc<AtomicUsize>) {
    let acts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&acts);
    let tool = config("act").requires_approval(requires_approval);
    let tool = tool.build(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok("acted".into()) }
    });
    (library([tool.expect("a tool")]), acts)
}

async fn state(journal: &MemoryJournal) -> (String, RunState) {
    let mut listed = journal.list(&RunFilter::new()).await.expect("a list");
    let info = listed.pop().expect("a run");
    (info.run, info.state)
}

async fn record_count(journal: &MemoryJournal, run: &str) -> usize {
    let stored = journal.read(run).await.expect("a journal");
    stored.expect("a run").records.len()
}

/// Begins a run whose call waits for a person, and returns its id.
async fn waiting(journal: &MemoryJournal, library: &ToolLibrary) -> String {
    let model = Scripted::new([calls(&[("x", "act", "{}")])]);
    let paused = runtime(journal, model)
        .run(agent([spec("act")]), "Act.")
        .tools(library)
        .await;
    assert!(paused.expect_err("it waits").is_awaiting_approval());
    state(journal).await.0
}

#[tokio::test]
async fn a_missing_key_changes_nothing_when_a_run_is_continued() {
    let journal = MemoryJournal::new();
    let (library, acts) = acting(true);
    let run = waiting(&journal, &library).await;
    let records = record_count(&journal, &run).await;

    let keyless = runtime(&journal, Keyless);
    let decide = || [("x".to_owned(), Decision::Approve)];
    for _ in 0..2 {
        let recovered = keyless
            .recover_run(&run)
            .tools(&library)
            .decisions(decide())
            .await;
        let error = recovered.expect("a run").outcome.expect_err("no key");
        assert!(error.is_configuration(), "{error}");
        assert_eq!(state(&journal).await, (run.clone(), RunState::Waiting));
        assert_eq!(record_count(&journal, &run).await, records);
        assert_eq!(acts.load(Ordering::Relaxed), 0);
    }
    // Nothing is asked while a person must decide, so that no key is needed.
    let waiting = keyless.recover_run(&run).tools(&library).await;
    let waiting = waiting.expect("a run").outcome;
    assert!(
        matches!(&waiting, Ok(RunOutcome::AwaitingApproval(_))),
        "{waiting:?}"
    );

    let good = runtime(&journal, Scripted::new([ModelReply::text("Done.")]));
    let ended = good
        .recover_run(&run)
        .tools(&library)
        .decisions(decide())
        .await;
    assert!(matches!(
        ended.expect("a run").outcome,
        Ok(RunOutcome::Done(_))
    ));
    assert_eq!(acts.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_tool_that_is_missing_when_a_run_is_continued_is_named_with_the_run() {
    let journal = MemoryJournal::new();
    let (library, _) = acting(true);
    let run = waiting(&journal, &library).await;

    let none = ToolLibrary::new();
    let today = runtime(&journal, Scripted::new([]));
    let recovered = today.recover_run(&run).tools(&none).await;
    let error = recovered.expect("a run").outcome.expect_err("no tool");
    let error = error.to_string();
    let begins = format!("the run `{run}` goes on with the agent with which it began: ");
    assert!(
        error.starts_with(&begins) && error.contains("`act`"),
        "{error}"
    );
    assert_eq!(state(&journal).await, (run, RunState::Waiting));
}

#[tokio::test]
async fn a_run_whose_key_is_rejected_later_can_be_recovered() {
    let journal = MemoryJournal::new();
    let (library, acts) = acting(false);
    let agent = agent([spec("act")]);
    let model = rejecting([calls(&[("x", "act", "{}")])]);
    let failed = runtime(&journal, model);
    let failed = failed.run(&agent, "Act.").tools(&library).await;
    assert!(failed.expect_err("no key").is_configuration());
    assert_eq!(state(&journal).await.1, RunState::Running);

    // Once more with the wrong key, and then with the right one.
    let again = runtime(&journal, rejecting([]));
    let again = again.recover(&library).await.expect("a journal");
    assert!(
        again[0]
            .outcome
            .as_ref()
            .expect_err("no key")
            .is_configuration()
    );
    assert_eq!(state(&journal).await.1, RunState::Running);
    let good = runtime(&journal, Scripted::new([ModelReply::text("Done.")]));
    let ended = good.recover(&library).await.expect("a journal");
    assert!(
        matches!(&ended[0].outcome, Ok(RunOutcome::Done(_))),
        "{ended:?}"
    );
    let conversation = ended[0].conversation().expect("a run");
    assert_eq!(
        results(&conversation),
        [("x".to_owned(), "acted".to_owned(), false)]
    );
    assert_eq!(acts.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_run_whose_first_request_is_rejected_has_failed() {
    let journal = MemoryJournal::new();
    let model = runtime(&journal, rejecting([]));
    let failed = model.run(agent([]), "Hello").await;
    assert!(failed.expect_err("no key").is_configuration());
    assert_eq!(state(&journal).await.1, RunState::Failed);
}
