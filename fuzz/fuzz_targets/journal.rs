//! The records of a run in a journal, and a saved run: whoever wrote them, the run goes on, waits, or is an error that says
//! so, and every reader of the records reads the same.
//!
//! The input is the records, one on each line. A single line may be a saved run.

#![no_main]

use agent_fuzz::{agents, block_on};
use agent_runtime::event::{Event, FollowedEvent};
use agent_runtime::journal::{Commit, Journal, MemoryJournal, Record, RunInfo, StoredRun};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::testing::Replay;
use agent_runtime::{Runtime, ToolLibrary};
use agent_studio::steps::Steps;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::sync::LazyLock;

const RUN: &str = "run_1";

static LIBRARY: LazyLock<ToolLibrary> = LazyLock::new(agents::library);

fuzz_target!(|text: &str| {
    let lines: Vec<&str> = text.lines().collect();
    if let [line] = lines[..] {
        saved_run(line);
    }
    block_on(recorded(&lines));
});

fn runtime(journal: MemoryJournal) -> Runtime {
    let model = Scripted::new([ModelReply::text("Done."), ModelReply::text("Done again.")]);
    let builder = Runtime::builder().model(model).journal(journal);
    builder.build().expect("a runtime")
}

fn saved_run(line: &str) {
    let Ok(json) = serde_json::from_str::<Value>(line) else {
        return;
    };
    let runtime = runtime(MemoryJournal::new());
    let mut run = match runtime.read_run(&json, &LIBRARY) {
        Ok(run) => run,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let saved = run.to_json();
    let again = runtime.read_run(&saved, &LIBRARY).expect("our own form");
    assert_eq!(again.to_json(), saved);
    let _ = block_on(async { runtime.resume(&mut run).tools(&LIBRARY).await });
    run.conversation().check().expect("a valid conversation");
}

/// Creates a journal with the records.
async fn journal(lines: &[&str]) -> (MemoryJournal, StoredRun) {
    let journal = MemoryJournal::new();
    let lease = journal.begin(RUN);
    let mut previous = Record::first_checksum();
    let mut records = Vec::new();
    for (position, line) in (0..).zip(lines) {
        let record = Record::sealed(RUN, position, *line, &previous);
        previous = *record.checksum();
        records.push(record);
    }
    let info = RunInfo::new(RUN, "greeter");
    let commit = Commit::new(0, records, info);
    journal.append(&lease, commit).await.expect("a journal");
    journal.release(&lease);
    let stored = journal.read(RUN).await.expect("a journal").expect("a run");
    stored.verify().expect("the checksums fit");
    (journal, stored)
}

async fn recorded(lines: &[&str]) {
    let (records, stored) = journal(lines).await;
    let runtime = runtime(records.clone());
    let compared = Replay::new(stored.clone()).compare();
    let replayed = Replay::new(stored.clone()).tools(&LIBRARY).compare();
    assert_eq!(
        compared.is_ok(),
        replayed.is_ok(),
        "{compared:?} {replayed:?}"
    );
    let parsed = stored
        .records
        .iter()
        .map(|record| serde_json::from_str(&record.json()));
    if let Ok(steps) = Steps::new::<serde_json::Error>(parsed, Default::default()) {
        let _ = steps.unfinished().count();
    }
    let snapshot = runtime.snapshot(RUN).await;
    let recovered = runtime.recover(&LIBRARY).await.expect("a list");
    for recovered in &recovered {
        if snapshot.is_err() {
            // Nothing can go on that cannot be read.
            assert!(recovered.outcome.is_err(), "{:?}", recovered.outcome);
        }
        if let Some(conversation) = recovered.conversation() {
            conversation.check().expect("a valid conversation");
        }
        if let Err(error) = &recovered.outcome {
            assert!(!error.to_string().is_empty());
        }
    }
    // Records that cannot be read stay as they were; a run that went on has more.
    let after = records.read(RUN).await.expect("a journal").expect("a run");
    after.verify().expect("the checksums fit");
    assert!(after.records.starts_with(&stored.records));
    if recovered.iter().all(|run| run.outcome.is_ok()) && !recovered.is_empty() {
        let events = follow(&runtime).await;
        assert!(
            events
                .last()
                .is_some_and(|followed| followed.event.is_last())
        );
        assert_eq!(events, follow(&runtime).await);
    }
}

async fn follow(runtime: &Runtime) -> Vec<FollowedEvent> {
    let (mut follower, mut events) = (runtime.follow(RUN, None), Vec::new());
    while let Some(next) = follower.next().await {
        let next = next.expect("a run that went on can be read");
        assert!(
            !matches!(next.event, Event::StepReset { .. }),
            "one process alone"
        );
        events.push(next);
    }
    events
}
