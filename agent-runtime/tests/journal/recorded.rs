//! The records of a run in a journal, and damage to them.

use super::Crashing;
use crate::support::{agent, calls, config, library, spec};
use agent_runtime::conversation::StoreError;
use agent_runtime::journal::{
    Commit, Journal, MemoryJournal, Record, RunFilter, RunInfo, RunState,
};
use agent_runtime::model::Cassette;
use agent_runtime::model::{
    ChatFuture, ChatModel, ModelReply, ModelRequest, ReplyPart, ReplySink, Scripted,
};
use agent_runtime::run::{AwaitingApproval, RunOutcome};
use agent_runtime::runtime::OnDrop;
use agent_runtime::{Event, Runtime, ToolLibrary};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

fn acting() -> ToolLibrary {
    let tool = config("act").build(|_| async { Ok("acted".into()) });
    library([tool.expect("a tool")])
}

fn script() -> Scripted {
    Scripted::new([calls(&[("x", "act", "{}")]), ModelReply::text("Done.")])
}

fn runtime(journal: impl Journal, model: Scripted) -> Runtime {
    let builder = Runtime::builder().model(model).journal(journal);
    builder.build().expect("a runtime")
}

async fn kinds(journal: &MemoryJournal) -> Vec<String> {
    let runs = journal.list(&RunFilter::new()).await.expect("a list");
    let stored = journal
        .read(&runs[0].run)
        .await
        .expect("a run")
        .expect("a run");
    stored.verify().expect("whole records");
    let kind = |record: &Record| {
        let json: Value = serde_json::from_str(&record.json()).expect("JSON");
        json["kind"].as_str().expect("a kind").to_owned()
    };
    stored.records.iter().map(kind).collect()
}

#[tokio::test]
async fn a_run_of_two_turns_and_one_call_takes_four_commits() {
    let journal = Crashing::after(1_000);
    let (agent, library) = (agent([spec("act")]), acting());
    let run = runtime(journal.clone(), script());
    run.run(&agent, "Act.")
        .tools(&library)
        .await
        .expect("an answer");
    assert_eq!(1_000 - journal.left.load(Ordering::Relaxed), 4);
    assert_eq!(
        kinds(&journal.inner).await,
        [
            "started",
            "replied",
            "callBegun",
            "callFinished",
            "replied",
            "ended"
        ]
    );
    let runs = journal.list(&RunFilter::new()).await.expect("a list");
    assert_eq!(
        (runs[0].agent.as_str(), runs[0].state),
        ("greeter", RunState::Done)
    );
}

#[tokio::test]
async fn an_exported_cassette_is_replayed_as_it_is() {
    let journal = MemoryJournal::new();
    let (agent, library) = (agent([spec("act")]), acting());
    let model = Scripted::new([calls(&[("x", "act", "{}")]), ModelReply::text("Done.")]);
    let runtime = runtime(journal.clone(), model);
    let ran = runtime.run(&agent, "Act.").tools(&library).await;
    let id = journal.list(&RunFilter::new()).await.expect("a list")[0]
        .run
        .clone();
    let path = std::env::temp_dir().join(format!("agent-journal-{id}.json"));
    let exported = runtime.export_cassette(&id, &library, &path).await;
    assert_eq!(exported.expect("a cassette"), 2);
    let cassette = Cassette::replay(&path);
    let builder = Runtime::builder().cassette(cassette.clone());
    let replaying = builder.build().expect("a runtime");
    let again = replaying.run(&agent, "Act.").tools(&library).await;
    assert_eq!(
        again.expect("an answer").content,
        ran.expect("an answer").content
    );
    cassette.assert_complete();
    let other = replaying.run(&agent, "Act twice.").tools(&library).await;
    assert!(other.is_err(), "another request has no answer");
    std::fs::remove_file(path).expect("a file");
    let missing = runtime.export_cassette("none", &library, "none.json");
    assert!(missing.await.expect_err("no run").is_validation());
}

#[tokio::test]
async fn a_run_that_another_process_took_over_ends_with_an_error() {
    let journal = MemoryJournal::new();
    let stolen = journal.clone();
    let tool = config("act").build(move |_| {
        let journal = stolen.clone();
        async move {
            let run = journal.list(&RunFilter::new()).await.expect("a list")[0]
                .run
                .clone();
            // As if this process had stalled for longer than the lease lives.
            let held = journal.acquire(&run).await.expect("a journal");
            assert!(held.is_none(), "a run that goes on is held");
            journal.delete(&run).await.expect("a journal");
            Ok("acted".into())
        }
    });
    let library = library([tool.expect("a tool")]);
    let model = script();
    let error = runtime(journal, model.clone()).run(agent([spec("act")]), "Act.");
    let error = error.tools(&library).await.expect_err("the lease is lost");
    assert!(error.is_journal(), "{error}");
    let source = std::error::Error::source(&error).expect("a source");
    assert!(
        source
            .downcast_ref::<StoreError>()
            .is_some_and(StoreError::is_lease_lost)
    );
    assert_eq!(
        model.requests().len(),
        1,
        "nothing is asked without the lease"
    );
}

#[tokio::test]
async fn a_run_that_goes_on_is_not_recovered() {
    let journal = MemoryJournal::new();
    let other = journal.clone();
    let tool = config("act").build(move |_| {
        let other = runtime(other.clone(), Scripted::new([]));
        async move {
            let runs = other.recover(&ToolLibrary::new()).await;
            assert!(runs.is_ok_and(|runs| runs.is_empty()));
            Ok("acted".into())
        }
    });
    let library = library([tool.expect("a tool")]);
    let agent = agent([spec("act")]);
    let response = runtime(journal, script())
        .run(&agent, "Act.")
        .tools(&library)
        .await;
    assert_eq!(
        response.expect("an answer").tools_used[0].result,
        Ok("acted".into())
    );
}

/// A model that streams a part of its answer and hangs, the first time.
#[derive(Clone, Default)]
struct Hanging {
    requests: Arc<AtomicUsize>,
    hangs: Arc<Notify>,
}

impl ChatModel for Hanging {
    fn chat<'a>(&'a self, _: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async { Ok(ModelReply::text("Done.")) })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        let is_first = self.requests.fetch_add(1, Ordering::Relaxed) == 0;
        Box::pin(async move {
            sink.send(ReplyPart::Text("Do".into())).await;
            if is_first {
                self.hangs.notify_one();
                std::future::pending::<()>().await;
            }
            sink.send(ReplyPart::Text("ne.".into())).await;
            self.chat(request).await
        })
    }
}

/// The events of a recovered run begin with a request, which tells that the part that was streamed is lost. Its tools
/// get the extensions of the options.
#[tokio::test]
async fn a_recovered_run_reports_its_events_anew() {
    let journal = MemoryJournal::new();
    let model = Hanging::default();
    let runtime = Runtime::builder().journal(journal.clone());
    let runtime = runtime.model(model.clone()).build().expect("a runtime");
    let (mut texts, agent) = (String::new(), agent([]));
    let mut observer = |event: &Event| {
        if let Event::TextDelta { text, .. } = event {
            texts.push_str(text);
        }
    };
    let run = runtime
        .run(&agent, "Act.")
        .observer(&mut observer)
        .on_drop(OnDrop::LEAVE)
        .streaming();
    tokio::select! {
        ended = run.into_future() => panic!("{ended:?}"),
        () = model.hangs.notified() => {}
    }
    assert_eq!(texts, "Do");

    let id = journal.list(&RunFilter::new()).await.expect("a list")[0]
        .run
        .clone();
    let mut events = Vec::new();
    let mut observer = |event: &Event| events.push(event.clone());
    let run = runtime
        .recover_run(&id)
        .observer(&mut observer)
        .streaming()
        .await;
    assert!(matches!(
        run.expect("a run").outcome,
        Ok(RunOutcome::Done(_))
    ));
    let text =
        |text: &str| matches!(&events[1], Event::TextDelta { text: part, .. } if part == text);
    assert!(
        matches!(events[0], Event::ModelCalled { .. }) && text("Do"),
        "{events:?}"
    );
}

#[tokio::test]
async fn calls_are_recorded_with_the_ids_of_the_run() {
    let journal = MemoryJournal::new();
    let (agent, library) = (agent([spec("act")]), acting());
    let model = Scripted::new([
        calls(&[("x", "act", "{}"), ("x", "act", "{}"), ("", "act", "{}")]),
        ModelReply::text("Done."),
    ]);
    let run = runtime(journal.clone(), model)
        .run(&agent, "Act.")
        .tools(&library);
    run.await.expect("an answer");
    let id = journal.list(&RunFilter::new()).await.expect("a list")[0]
        .run
        .clone();
    let stored = journal.read(&id).await.expect("a run").expect("a run");
    let records: Vec<Value> = stored
        .records
        .iter()
        .map(|record| serde_json::from_str(&record.json()).expect("JSON"))
        .collect();
    let asked = records[1]["toolCalls"].as_array().expect("calls").iter();
    let asked: Vec<&Value> = asked.map(|call| &call["id"]).collect();
    let begun = records
        .iter()
        .filter(|record| record["kind"] == "callBegun");
    let begun: Vec<&Value> = begun.map(|record| &record["call"]).collect();
    assert_eq!(asked, begun);
    assert_eq!(
        asked.iter().collect::<std::collections::HashSet<_>>().len(),
        3
    );
}

#[tokio::test]
async fn a_paused_run_is_continued_by_its_host() {
    let journal = MemoryJournal::new();
    let tool = config("act")
        .requires_approval(true)
        .build(|_| async { Ok("acted".into()) });
    let library = library([tool.expect("a tool")]);
    let (agent, model) = (agent([spec("act")]), script());
    let runtime = runtime(journal.clone(), model);
    let paused = runtime
        .run(&agent, "Act.")
        .tools(&library)
        .await
        .expect_err("it waits");
    let mut run = AwaitingApproval::of(&paused).expect("it waits").run.clone();
    run.approve("x", agent_runtime::run::Decision::Approve)
        .expect("a decision");
    let driven = runtime.resume(&mut run).tools(&library).await;
    assert!(matches!(driven, Ok(RunOutcome::Done(_))), "{driven:?}");
    assert_eq!(
        kinds(&journal).await,
        [
            "started",
            "replied",
            "decisionAsked",
            "started",
            "callBegun",
            "callFinished",
            "replied",
            "ended"
        ]
    );
    let again = runtime.resume(&mut run).tools(&library).await;
    assert!(again.expect_err("it has ended").is_validation());
}

#[tokio::test]
async fn each_change_of_a_record_is_an_error_that_names_the_run() {
    let journal = MemoryJournal::new();
    let (agent, library) = (agent([spec("act")]), acting());
    let run = runtime(journal.clone(), script());
    run.run(&agent, "Act.")
        .tools(&library)
        .await
        .expect("an answer");
    let id = journal.list(&RunFilter::new()).await.expect("a list")[0]
        .run
        .clone();
    let whole = journal.read(&id).await.expect("a run").expect("a run");
    whole.verify().expect("whole records");
    for (at, record) in whole.records.iter().enumerate() {
        for byte in 0..record.json().len() {
            let mut bytes = record.json().into_owned().into_bytes();
            bytes[byte] ^= 1;
            let Ok(json) = String::from_utf8(bytes) else {
                continue;
            };
            let mut changed = whole.clone();
            changed.records[at] = Record::stored(json, *record.checksum());
            let error = changed.verify().expect_err("another text");
            assert!(error.is_format(), "{error}");
            assert!(
                error
                    .to_string()
                    .contains(&format!("`{id}` is damaged: record {at}"))
            );
        }
        let mut cut = whole.clone();
        cut.records.truncate(at);
        assert!(cut.verify().is_err(), "a shorter run");
        cut.count = at as u64;
        assert!(
            cut.verify().is_err(),
            "a shorter run whose number was changed"
        );
        let mut swapped = whole.clone();
        swapped.records.swap(at, (at + 1) % whole.records.len());
        assert!(swapped.verify().is_err(), "another order");
    }
    let mut other = whole.clone();
    other.info.run = "other".to_owned();
    assert!(other.verify().is_err(), "the records of another run");
}

#[tokio::test]
async fn a_journal_of_a_newer_version_is_refused() {
    let journal = MemoryJournal::new();
    let lease = journal.begin("r");
    let json = r#"{"kind":"started","format":"agent-journal","version":2,"run":{}}"#;
    let record = Record::sealed("r", 0, json, &Record::first_checksum());
    let commit = Commit::new(0, vec![record], RunInfo::new("r", "a"));
    Journal::append(&journal, &lease, commit)
        .await
        .expect("a journal");
    journal.release(&lease);
    let runs = runtime(journal, Scripted::new([]))
        .recover(&ToolLibrary::new())
        .await;
    let runs = runs.expect("a journal");
    let error = runs[0].outcome.as_ref().expect_err("a newer version");
    assert!(error.is_journal(), "{error:?}");
    let source = std::error::Error::source(error)
        .expect("a source")
        .to_string();
    assert!(
        source.contains("version 2") && source.contains("newer"),
        "{source}"
    );
}

#[tokio::test]
async fn a_journal_in_memory_keeps_the_promises_of_journals() {
    let journal = MemoryJournal::new();
    agent_runtime::testing::check_journal(async || journal.clone()).await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_renewed_during_a_long_call() {
    let journal = MemoryJournal::new();
    let tool = config("act")
        .timeout(Duration::from_secs(300))
        .build(|_| async {
            tokio::time::sleep(Duration::from_secs(200)).await;
            Ok("acted".into())
        });
    let library = library([tool.expect("a tool")]);
    let agent = agent([spec("act")]);
    let run = runtime(journal, script())
        .run(&agent, "Act.")
        .tools(&library)
        .await;
    assert_eq!(run.expect("an answer").content, "Done.");
}

#[tokio::test]
async fn a_result_that_could_not_be_read_again_ends_the_run_with_an_error() {
    let nested = |depth| (0..depth).fold(Value::Null, |value, _| Value::from(vec![value]));
    for (depth, is_kept) in [(20, true), (123, true), (127, false), (1_000, false)] {
        let tool = config("act").build(move |_| async move { Ok(nested(depth)) });
        let (journal, library) = (MemoryJournal::new(), library([tool.expect("a tool")]));
        let ended = runtime(journal.clone(), script())
            .run(agent([spec("act")]), "Act.")
            .tools(&library)
            .await;
        if is_kept {
            ended.expect("an answer");
            kinds(&journal).await;
            continue;
        }
        let error = ended.expect_err("it is too deep");
        assert!(error.is_journal(), "{error}");
        assert!(
            error
                .to_string()
                .contains("`callFinished`: it has 128 lists"),
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_slow_journal_is_not_that_of_a_call() {
    let journal = Crashing {
        takes: Duration::from_secs(12),
        ..Crashing::after(100)
    };
    let slow = config("slow").build(|_| async {
        for _ in 0..5 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok("slow".into())
    });
    let quick = config("quick").build(|_| async { Ok("quick".into()) });
    let library = library([slow.expect("a tool"), quick.expect("a tool")]);
    let model = Scripted::new([
        calls(&[("a", "slow", "{}"), ("b", "quick", "{}")]),
        ModelReply::text("Done."),
    ]);
    let runtime = Runtime::builder().model(model).journal(journal).build();
    let agent = agent([spec("slow"), spec("quick")]);
    let runtime = runtime.expect("a runtime");
    let run = runtime.run(&agent, "Act.").tools(&library);
    let response = run.await.expect("an answer");
    // The commit of the quick result takes longer than the limit of a call, which is ten seconds.
    let results = response.tools_used.iter().map(|call| &call.result);
    assert_eq!(
        results.collect::<Vec<_>>(),
        [&Ok("slow".into()), &Ok("quick".into())]
    );
}
