//! `SqliteJournal`: the contract, the file, and processes that are killed while runs go on.

use crate::any_journal::{
    append, check_appends_of_many_runs, check_damaged_entry, check_damaged_mail, check_ended_runs,
    check_exclusive_runs_at_once, check_large_texts, check_mail_of_many_senders, commit,
};
use crate::killed::{self, Place, Size};
use crate::scenarios;
use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore};
use agent_runtime::journal::{Commit, Journal, Record, RunFilter, RunInfo, RunState, StoredRun};
use agent_runtime::model::ModelReply;
use agent_runtime::run::RunOutcome;
use agent_runtime::runtime::OnDrop;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Runtime, ToolLibrary, agent, serde_json};
use agent_store::{SqliteJournal, SqliteStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("runs.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn open(path: impl AsRef<Path>) -> SqliteJournal {
    SqliteJournal::open(path).await.expect("a journal")
}

#[tokio::test]
async fn keeps_the_promises_of_journals() {
    let folder = Folder::new("contract");
    agent_runtime::testing::check_journal(async || open(folder.file()).await).await;
}

#[tokio::test]
async fn conversations_and_runs_share_a_file() {
    let folder = Folder::new("shared");
    let store = SqliteStore::open(folder.file()).await.expect("a store");
    let journal = open(folder.file()).await;
    let lease = journal.begin("r");
    journal
        .append(&lease, commit("r", RunState::Done))
        .await
        .expect("a commit");
    let listed = store.list(None).await;
    assert!(listed.expect("a list").is_empty());
    assert_eq!(
        journal.list(&RunFilter::new()).await.expect("a list").len(),
        1
    );
}

#[tokio::test]
async fn the_end_of_a_run_and_its_messages_are_one_commit() {
    let folder = Folder::new("one-commit");
    let journal = open(folder.file()).await;
    let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
    let name = ConversationName::new("ada").expect("a name");
    let elsewhere = MemoryStore::new();
    for (store, is_one) in [(None, true), (Some(elsewhere), false)] {
        let mut builder = Runtime::builder().journal(journal.clone());
        if let Some(store) = store {
            builder = builder.conversations(store);
        }
        let runtime = builder.build().expect("a runtime");
        let run = runtime.run(&agent, "Where am I?").stored_as(name.clone());
        run.await.expect("an answer");
        let runs = journal.list(&RunFilter::new()).await.expect("a list");
        let run = &runs.last().expect("a run").run;
        let stored = journal.read(run).await.expect("a run").expect("a run");
        let records = stored.records.iter();
        let records = records.map(|record| serde_json::from_str(&record.json()).expect("JSON"));
        let records: Vec<serde_json::Value> = records.collect();
        let [.., replied, ended] = &records[..] else {
            panic!("{records:?}")
        };
        assert_eq!(replied["kind"], "replied");
        assert_eq!(replied["step"] == ended["step"], is_one);
    }
    let store = SqliteStore::open(folder.file()).await.expect("a store");
    let stored = store.load(&name).await.expect("a store");
    assert_eq!(stored.expect("a conversation").conversation.len(), 2);
}

#[tokio::test]
async fn large_texts_of_records_are_kept_once() {
    let folder = Folder::new("large");
    let journal = open(folder.file()).await;
    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    let kept = || {
        let sql = "SELECT count(*), coalesce(sum(octet_length(text)), 0) FROM payload";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        other.query_row(sql, [], read).expect("a count")
    };
    let change = || {
        let changed = other.execute_batch("UPDATE payload SET text = 'x' || text");
        changed.expect("a change");
    };
    check_large_texts(&journal, kept, change).await;
}

#[tokio::test]
async fn appends_of_many_runs_do_not_disturb_each_other() {
    let folder = Folder::new("together");
    check_appends_of_many_runs(&open(folder.file()).await).await;
}

/// Returns the number of commits in the write-ahead log of a file. Each ends with a frame that has the size of the file
/// (<https://www.sqlite.org/fileformat2.html#the_write_ahead_log>).
fn commits_in_log(file: &Path) -> usize {
    let log = std::fs::read(file.with_extension("db-wal")).expect("a log");
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().expect("four bytes"));
    let frame = 24 + number(8) as usize;
    let frames = (32..log.len()).step_by(frame);
    frames.filter(|at| number(at + 4) > 0).count()
}

#[tokio::test]
async fn appends_of_runs_beside_each_other_share_a_commit() {
    let folder = Folder::new("shared-commit");
    let journal = open(folder.file()).await;
    // The first append waits for this lock, and the others for the first.
    let other = rusqlite::Connection::open(folder.file()).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let appends = (0..50).map(|at| {
        let journal = journal.clone();
        tokio::spawn(async move {
            let run = format!("r{at}");
            let lease = journal.begin(&run);
            let appended = journal.append(&lease, commit(&run, RunState::Running));
            appended.await.expect("a commit");
        })
    });
    let appends: Vec<_> = appends.collect();
    tokio::task::yield_now().await;
    other.execute_batch("ROLLBACK").expect("no lock");
    for append in appends {
        append.await.expect("no panic");
    }
    let commits = commits_in_log(&folder.file());
    assert!(commits <= 2, "{commits} commits");
}

#[tokio::test]
async fn the_files_of_holders_that_are_gone_are_removed() {
    let folder = Folder::new("holders");
    let abandoned = folder.0.join("runs.db-holder-1-2");
    std::fs::write(&abandoned, "").expect("a file");
    let journal = open(folder.file()).await;
    assert!(!abandoned.exists());
    let other = open(folder.file()).await;
    let holders = || {
        let entries = std::fs::read_dir(&folder.0).expect("a folder").flatten();
        entries
            .filter(|entry| entry.file_name().to_string_lossy().contains("-holder-"))
            .count()
    };
    assert_eq!(holders(), 2);
    drop((journal, other));
    assert_eq!(holders(), 0);
}

/// A program that ends after its last append leaves no write-ahead log.
#[tokio::test]
async fn a_journal_is_closed_with_its_last_owner() {
    let folder = Folder::new("closed");
    for _ in 0..50 {
        let journal = open(folder.file()).await;
        let run = format!(
            "r{}",
            journal.list(&RunFilter::new()).await.expect("a list").len()
        );
        let lease = journal.begin(&run);
        let appended = journal.append(&lease, commit(&run, RunState::Done));
        appended.await.expect("a commit");
        drop(journal);
        let entries = std::fs::read_dir(&folder.0).expect("a folder");
        assert_eq!(entries.count(), 1, "only the file itself is left");
    }
}

#[tokio::test]
async fn a_record_that_was_changed_in_the_file_is_found() {
    let folder = Folder::new("changed");
    let journal = open(folder.file()).await;
    append(&journal, commit("r", RunState::Running)).await;
    for (sql, undo) in [
        (
            "UPDATE record SET json = '{ }'",
            "UPDATE record SET json = '{}'",
        ),
        ("UPDATE run SET records = 2", "UPDATE run SET records = 1"),
        (
            "UPDATE record SET number = number + 1",
            "UPDATE record SET number = number - 1",
        ),
        ("DELETE FROM record", ""),
    ] {
        let other = rusqlite::Connection::open(folder.file()).expect("a database");
        other.execute_batch(sql).expect("a change");
        let stored = journal.read("r").await.expect("a run").expect("a run");
        // The position counts by its order, so that another number changes nothing.
        assert_eq!(stored.verify().is_err(), !sql.contains("number"), "{sql}");
        other.execute_batch(undo).expect("a change");
    }
}

#[tokio::test]
async fn a_damaged_entry_hides_no_other_run_and_can_be_deleted() {
    let folder = Folder::new("damaged");
    for change in [
        "state = 'dne'",
        "agent = CAST(x'ff' AS TEXT)",
        "state = CAST(x'ff' AS TEXT), process = CAST(x'ff' AS TEXT)",
    ] {
        let damage = |run: &str| {
            let other = rusqlite::Connection::open(folder.file()).expect("a database");
            let sql = format!("UPDATE run SET {change} WHERE id = '{run}'");
            other.execute_batch(&sql).expect("a change");
        };
        check_damaged_entry(&open(folder.file()).await, damage).await;
    }
}

#[tokio::test]
async fn a_journal_for_reading_alone_is_read_and_never_written() {
    let folder = Folder::new("read-only");
    let missing = SqliteJournal::open_read_only(folder.file()).await;
    missing.expect_err("there is no file");
    assert!(!folder.file().exists());
    let journal = open(folder.file()).await;
    let lease = journal.begin("r");
    let append = journal.append(&lease, commit("r", RunState::Waiting));
    append.await.expect("a commit");
    // Beside a program that writes, and alone.
    for writer in [Some(journal), None] {
        let reader = SqliteJournal::open_read_only(folder.file()).await;
        let reader = reader.expect("a journal");
        assert_eq!(
            reader.list(&RunFilter::new()).await.expect("a list").len(),
            1
        );
        let stored = reader.read("r").await.expect("a run").expect("a run");
        stored.verify().expect("a sound run");
        let appended = reader
            .append(&reader.begin("s"), commit("s", RunState::Done))
            .await;
        for error in [
            appended.expect_err("it cannot be written"),
            reader.acquire("r").await.expect_err("it cannot be written"),
            reader.delete("r").await.expect_err("it cannot be written"),
        ] {
            assert!(error.to_string().contains("reading alone"), "{error}");
        }
        drop((reader, writer));
    }
    std::fs::write(folder.file(), "notes, and no journal").expect("a file");
    let error = SqliteJournal::open_read_only(folder.file()).await;
    let error = error.expect_err("it is no journal");
    assert!(
        error.is_format() && error.to_string().contains("or runs"),
        "{error}"
    );
}

#[tokio::test]
async fn of_exclusive_runs_that_begin_at_once_one_begins() {
    let folder = Folder::new("exclusive");
    check_exclusive_runs_at_once(&open(folder.file()).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn mail_of_many_senders_is_received_once_and_in_order() {
    let folder = Folder::new("mail");
    check_mail_of_many_senders(async || open(folder.file()).await).await;
}

#[tokio::test]
async fn damaged_mail_is_an_error() {
    let folder = Folder::new("damaged-mail");
    let damage = || {
        let other = rusqlite::Connection::open(folder.file()).expect("a database");
        let sql = "UPDATE mail SET json = '{}' WHERE number = 1";
        other.execute_batch(sql).expect("a change");
    };
    check_damaged_mail(&open(folder.file()).await, damage).await;
}

#[tokio::test]
async fn ended_runs_are_deleted_by_age_and_by_size() {
    let folder = Folder::new("ended");
    let journal = open(folder.file()).await;
    let delete = async |before, max_bytes| journal.delete_ended(before, max_bytes).await;
    check_ended_runs(&journal, delete).await;
}

/// The runs of the table that all journals share.
#[tokio::test]
async fn runs_of_each_kind_that_are_killed_end_as_if_they_had_not_been() {
    let folder = Folder::new("kinds");
    let opened = AtomicUsize::new(0);
    let open_empty = async || {
        let at = opened.fetch_add(1, Ordering::Relaxed);
        open(folder.0.join(format!("{at}.db"))).await
    };
    for scenario in scenarios::table::all() {
        scenarios::check(&scenario, open_empty, async |_, _, _| {}).await;
    }
}

#[tokio::test]
async fn worker() {
    killed::work(async |file| open(file).await).await;
}

async fn check_killed(name: &str, size: Size) {
    let folder = Folder::new(name);
    let file = folder.file();
    let place = Place {
        worker: "journal::worker",
        journal: file.to_str().expect("a path in UTF-8"),
        folder: &folder.0,
    };
    killed::check(&open(&file).await, place, size, async |_, _| {}).await;
}

#[tokio::test]
async fn runs_of_killed_processes_end_and_pay_once() {
    check_killed("killed", killed::SMALL).await;
}

/// The large form, for the night.
#[tokio::test]
#[ignore = "takes minutes"]
async fn a_thousand_runs_of_killed_processes_end_and_pay_once() {
    check_killed("thousand", killed::LARGE).await;
}

/// Writes three commits of a run.
async fn recorded(journal: &SqliteJournal) -> Vec<Record> {
    let lease = journal.begin("r");
    let mut records: Vec<Record> = Vec::new();
    for position in 0..3 {
        let previous = records
            .last()
            .map_or_else(Record::first_checksum, |last| *last.checksum());
        let json = format!("{{\"kind\": \"record {position} of a run\"}}");
        records.push(Record::sealed("r", position, json, &previous));
        let mut info = RunInfo::new("r", "a");
        info.state = RunState::Waiting;
        let new = records.last().cloned().into_iter().collect();
        let lease = match position {
            0 => lease.clone(),
            _ => journal
                .acquire("r")
                .await
                .expect("a journal")
                .expect("it is free"),
        };
        let appended = journal.append(&lease, Commit::new(position, new, info));
        appended.await.expect("a commit");
    }
    records
}

/// Copies a journal with its log into a new folder, each changed by a function.
fn copied(from: &Path, to: &Folder, change: impl Fn(&str, &mut Vec<u8>)) {
    for end in ["", "-wal"] {
        let name = |file: PathBuf| PathBuf::from(format!("{}{end}", file.display()));
        let Ok(mut bytes) = std::fs::read(name(from.to_owned())) else {
            continue;
        };
        change(end, &mut bytes);
        std::fs::write(name(to.file()), bytes).expect("a copy");
    }
}

#[tokio::test]
async fn each_cut_of_the_log_leaves_whole_commits() {
    let (folder, cut) = (Folder::new("log"), Folder::new("log-cut"));
    let journal = open(folder.file()).await;
    let records = recorded(&journal).await;
    let log = PathBuf::from(format!("{}-wal", folder.file().display()));
    let length = std::fs::metadata(&log).expect("a log").len() as usize;
    let mut counts = Vec::new();
    // The length of a frame has no divisor in common with the step.
    for end in (0..length).step_by(101).chain([length]) {
        copied(&folder.file(), &cut, |name, bytes| {
            if name == "-wal" {
                bytes.truncate(end);
            }
        });
        let found = match SqliteJournal::open(cut.file()).await {
            Ok(journal) => journal.read("r").await.expect("a journal"),
            Err(error) => panic!("cut at {end}: {error}"),
        };
        let found = found.map_or_else(Vec::new, |stored| {
            stored.verify().expect("whole records");
            stored.records
        });
        assert!(records.starts_with(&found), "cut at {end}");
        counts.push(found.len());
        let _ = std::fs::remove_file(format!("{}-wal", cut.file().display()));
        let _ = std::fs::remove_file(format!("{}-shm", cut.file().display()));
    }
    assert!(counts.is_sorted(), "a longer log has no less");
    assert_eq!(counts.last(), Some(&3));
}

#[cfg(unix)]
#[tokio::test]
async fn a_removed_journal_is_an_error() {
    let folder = Folder::new("removed");
    let journal = open(folder.file()).await;
    let store = SqliteStore::open(folder.file()).await.expect("a store");
    std::fs::remove_file(folder.file()).expect("a file");
    let lease = journal.begin("r");
    let lost = journal.append(&lease, commit("r", RunState::Done)).await;
    let error = lost.expect_err("the file is gone").to_string();
    let words = "was removed or replaced while it was open";
    assert!(error.contains(words), "{error}");
    // Who follows the run would wait for its end.
    let read = journal.read("r").await.expect_err("the file is gone");
    assert_eq!(read.to_string(), error);
    let name = agent_runtime::conversation::ConversationName::new("ada").expect("a name");
    let messages = [agent_runtime::Message::user("Hello")];
    let lost = agent_runtime::conversation::ConversationStore::append(&store, &name, &messages);
    lost.await.expect_err("the file is gone");
    // Another file at the path has none of its runs.
    let other = open(folder.file()).await;
    let read = journal.read("r").await.expect_err("the file is gone");
    assert_eq!(read.to_string(), error);
    assert!(other.read("r").await.expect("a journal").is_none());
}

/// Changes bytes of a journal, each alone, and looks whether the run is another one.
async fn check_changed_bytes(name: &str, step: usize) {
    let (folder, changed) = (Folder::new(name), Folder::new(&format!("{name}-changed")));
    let journal = open(folder.file()).await;
    let records = recorded(&journal).await;
    drop(journal);
    let whole = std::fs::read(folder.file()).expect("a file");
    for at in (0..whole.len()).step_by(step) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(changed.file(), bytes).expect("a copy");
        let Ok(journal) = SqliteJournal::open(changed.file()).await else {
            continue;
        };
        match journal.read("r").await {
            Err(_) => {}
            Ok(Some(stored)) if stored.verify().is_err() => {}
            Ok(Some(stored)) => {
                assert_eq!(stored.records, records, "byte {at}");
                assert_eq!(stored.info.state, RunState::Waiting, "byte {at}");
            }
            // The id is another one, under which no run verifies.
            Ok(None) => {
                for run in journal.list(&RunFilter::new()).await.unwrap_or_default() {
                    let stored = journal.read(&run.run).await;
                    let is_whole = |stored: &StoredRun| stored.verify().is_ok();
                    assert!(
                        !stored.is_ok_and(|stored| stored.as_ref().is_some_and(is_whole)),
                        "byte {at}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_changed_byte_of_the_file_is_never_another_run() {
    check_changed_bytes("bytes", 43).await;
}

#[tokio::test]
#[ignore = "takes minutes; at night"]
async fn each_changed_byte_of_the_file_is_never_another_run() {
    check_changed_bytes("all-bytes", 1).await;
}

#[tokio::test]
async fn two_recoveries_at_once_continue_a_run_once() {
    let folder = Folder::new("twice");
    let acts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&acts);
    let tool = ToolConfig::with_signature("pay", "Pays.", "()==>(::Any)").idempotent(true);
    let tool = tool.build(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        let is_first = counted.load(Ordering::Relaxed) == 1;
        async move {
            if is_first {
                std::future::pending::<()>().await;
            }
            Ok("paid".into())
        }
    });
    let mut library = ToolLibrary::new();
    library.add(tool.expect("a tool")).expect("a good name");
    let agent = agent! {
        tools: [dynamic pay],
        [clerk:Agent {instruction: "Pay.", model: "Scripted/any"} |
            [pay:Tool {description: "Pays."} | ()==>(::Any)]]
    };
    let runtime = |journal, replies: Vec<ModelReply>| {
        let model = agent_runtime::model::Scripted::new(replies);
        Runtime::builder()
            .model(model)
            .journal(journal)
            .build()
            .expect("a runtime")
    };
    let call = agent_runtime::conversation::ToolCall::new("x", "pay", "{}");
    let first = runtime(open(folder.file()).await, vec![ModelReply::calls([call])]);
    {
        // Dropped while the tool runs, as when a process dies.
        let run = first.run(&agent, "Pay.").tools(&library);
        let run = run.on_drop(OnDrop::LEAVE);
        let begun = async {
            while acts.load(Ordering::Relaxed) == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            ended = run.into_future() => panic!("{ended:?}"),
            () = begun => {}
        }
    }
    drop(first);
    let (one, other) = (open(folder.file()).await, open(folder.file()).await);
    let [one, other] =
        [one, other].map(|journal| runtime(journal, vec![ModelReply::text("Done.")]));
    let (one, other) = tokio::join!(one.recover(&library), other.recover(&library));
    let mut recovered = one.expect("a journal");
    recovered.extend(other.expect("a journal"));
    assert_eq!(recovered.len(), 1, "{recovered:?}");
    assert!(
        matches!(&recovered[0].outcome, Ok(RunOutcome::Done(_))),
        "{recovered:?}"
    );
    // Once before it was dropped, and once again.
    assert_eq!(acts.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_run_is_free_although_its_release_could_not_be_written() {
    let folder = Folder::new("unreleased");
    let journal = open(folder.file()).await;
    let lease = journal.begin("r");
    let appended = journal.append(&lease, commit("r", RunState::Running));
    appended.await.expect("a commit");
    let away = folder.0.join("away.db");
    std::fs::rename(folder.file(), &away).expect("the file is there");
    journal.release(&lease);
    // Waits for the release, which was queued first.
    journal.renew(&lease).await.expect_err("there is no file");
    std::fs::rename(&away, folder.file()).expect("the file is there");
    let acquired = journal.acquire("r").await.expect("a journal");
    assert_eq!(acquired.expect("a lease").number, 2);
}
