//! The records of runs.

use crate::any_journal::{
    append, check_appends_of_many_runs, check_damaged_entry, check_damaged_mail, check_ended_runs,
    check_exclusive_runs_at_once, check_large_texts, check_mail_of_many_senders, commit,
};
use crate::killed::{self, Place, Size};
use crate::server::Server;
use crate::{Folder, empty, is_skipped, scenarios, schema_of, shared};
use agent_runtime::conversation::ConversationName;
use agent_runtime::journal::{
    Commit, Journal, Lease, Mail, Record, RunFilter, RunInfo, RunState, RunWatch,
};
use agent_runtime::{Runtime, agent};
use agent_store::PostgresJournal;
use std::time::{Duration, Instant, SystemTime};

async fn open(url: &str) -> PostgresJournal {
    PostgresJournal::connect(url).await.expect("a journal")
}

#[tokio::test]
async fn keeps_the_promises_of_journals() {
    if is_skipped() {
        return;
    }
    let url = empty();
    agent_runtime::testing::check_journal(async || open(&url).await).await;
}

/// Runs statements in the schema of a URL.
fn sql(url: &str, sql: &str) -> String {
    let sql = format!("SET search_path = {}; {sql}", schema_of(url));
    shared().sql("agents", &sql)
}

/// A machine whose clock is off by an hour writes other times into the entries of its runs. Leases do not depend on them.
#[tokio::test]
async fn leases_are_measured_by_the_clock_of_the_database() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let (journal, other) = (open(&url).await, open(&url).await);
    let hour = Duration::from_secs(3_600);
    let now = SystemTime::now();
    for (run, clock) in [("behind", now - hour), ("ahead", now + hour)] {
        let mut commit = commit(run, RunState::Running);
        (commit.info.started, commit.info.updated) = (clock, clock);
        append(&journal, commit).await;
        let acquired = other.acquire(run).await.expect("a journal");
        assert_eq!(acquired, None, "{run}: the lease goes on");
        let age = |seconds| {
            let age = format!("clock_timestamp() - interval '{seconds} seconds'");
            sql(
                &url,
                &format!("UPDATE agent_run SET renewed = {age} WHERE id = '{run}'"),
            );
        };
        age(Lease::LIFETIME.as_secs() - 20);
        assert_eq!(other.acquire(run).await.expect("a journal"), None, "{run}");
        age(Lease::LIFETIME.as_secs() + 1);
        let acquired = other.acquire(run).await.expect("a journal");
        assert_eq!(
            acquired,
            Some(Lease::new(run, 2)),
            "{run}: the lease has ended"
        );
        // The clock of the database was set back, or another server stands in for it.
        sql(
            &url,
            &format!(
                "UPDATE agent_run SET renewed = renewed + interval '1 hour' WHERE id = '{run}'"
            ),
        );
        let acquired = journal.acquire(run).await.expect("a journal");
        assert_eq!(acquired, Some(Lease::new(run, 3)), "{run}");
    }
}

/// A process that stalled for longer than its lease can write no more, once another has its run.
#[tokio::test]
async fn a_holder_whose_lease_ended_is_shut_out() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let (journal, other) = (open(&url).await, open(&url).await);
    let lease = journal.begin("r");
    append(&journal, commit("r", RunState::Running)).await;
    sql(
        &url,
        "UPDATE agent_run SET renewed = renewed - interval '31 seconds'",
    );
    // Nobody took the run, so that its holder keeps it.
    journal.renew(&lease).await.expect("the lease is renewed");
    sql(
        &url,
        "UPDATE agent_run SET renewed = renewed - interval '31 seconds'",
    );
    let acquired = other.acquire("r").await.expect("a journal");
    assert_eq!(acquired, Some(Lease::new("r", 2)));
    let last = *commit("r", RunState::Running).records[0].checksum();
    let next = Record::sealed("r", 1, "{}", &last);
    let next = Commit::new(1, vec![next], RunInfo::new("r", "a"));
    let appended = journal.append(&lease, next).await;
    assert!(appended.expect_err("it was lost").is_lease_lost());
    let renewed = journal.renew(&lease).await;
    assert!(renewed.expect_err("it was lost").is_lease_lost());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_takes_a_run_that_is_free() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let journal = open(&url).await;
    append(&journal, commit("r", RunState::Waiting)).await;
    let takers = (0..16).map(|_| {
        let url = url.clone();
        tokio::spawn(async move { open(&url).await.acquire("r").await.expect("a journal") })
    });
    let mut leases = Vec::new();
    for taker in takers.collect::<Vec<_>>() {
        leases.extend(taker.await.expect("no panic"));
    }
    assert_eq!(leases, [Lease::new("r", 2)]);
}

#[tokio::test]
async fn the_end_of_a_run_and_its_messages_are_one_transaction() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let journal = open(&url).await;
    let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
    let runtime = Runtime::builder().journal(journal.clone()).build();
    let name = ConversationName::new("ada").expect("a name");
    let run = runtime
        .expect("a runtime")
        .run(&agent, "Where am I?")
        .stored_as(name);
    run.await.expect("an answer");
    let transactions = "SELECT count(*) FROM (
        SELECT xmin FROM agent_message UNION SELECT xmin FROM agent_conversation UNION SELECT xmin FROM agent_run
        UNION SELECT max(xmin::text)::xid FROM agent_record) AS transactions";
    assert_eq!(sql(&url, transactions), "1");
    assert_eq!(sql(&url, "SELECT count(*) FROM agent_message"), "2");
}

#[tokio::test]
async fn large_texts_of_records_are_kept_once() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let kept = || {
        let counts = "SELECT count(*), coalesce(sum(octet_length(text)), 0) FROM agent_payload";
        let counts = sql(&url, counts);
        let (texts, bytes) = counts.split_once('|').expect("two numbers");
        [texts, bytes]
            .map(|count| count.parse().expect("a number"))
            .into()
    };
    let change = || {
        sql(&url, "UPDATE agent_payload SET text = 'x' || text");
    };
    check_large_texts(&open(&url).await, kept, change).await;
}

/// Texts that runs share come and go while other runs need them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn texts_that_are_deleted_while_others_add_them_are_not_lost() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let writers = (0..4).map(|writer| {
        let url = url.clone();
        tokio::spawn(async move {
            let journal = open(&url).await;
            for at in 0..25 {
                let run = format!("{writer}-{at}");
                let texts = [at % 3, (at + writer) % 3].map(|text| text.to_string().repeat(5_000));
                let json = format!("[\"{}\",\"{}\"]", texts[0], texts[1]);
                let mut commit = commit(&run, RunState::Done);
                commit.records = vec![Record::sealed(&run, 0, json, &Record::first_checksum())];
                append(&journal, commit).await;
                let stored = journal.read(&run).await.expect("a run").expect("a run");
                stored.verify().expect("whole records");
                assert!(journal.delete(&run).await.expect("a journal"));
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("no panic");
    }
    assert_eq!(sql(&url, "SELECT count(*) FROM agent_payload"), "0");
}

#[tokio::test]
async fn a_result_of_forty_megabytes_is_kept() {
    if is_skipped() {
        return;
    }
    let journal = open(&empty()).await;
    let json = format!("[\"{}\",1]", "0123456789abcdef".repeat(2_500_000));
    let mut commit = commit("r", RunState::Done);
    commit.records = vec![Record::sealed(
        "r",
        0,
        json.as_str(),
        &Record::first_checksum(),
    )];
    append(&journal, commit).await;
    let stored = journal.read("r").await.expect("a run").expect("a run");
    stored.verify().expect("whole records");
    assert_eq!(stored.records[0].json(), json);
}

#[tokio::test]
async fn ids_that_the_database_cannot_keep_are_refused() {
    if is_skipped() {
        return;
    }
    let journal = open(&empty()).await;
    for (id, words) in [
        ("a\0b".to_owned(), "the id of a run has the character NUL"),
        ("x".repeat(1_001), "the id of a run has 1001 bytes"),
    ] {
        let appended = journal
            .append(&journal.begin(&id), commit(&id, RunState::Running))
            .await;
        let error = appended.expect_err("the id is refused");
        assert!(
            error.is_invalid() && error.to_string().contains(words),
            "{error:?}"
        );
        assert!(journal.read(&id).await.expect("a journal").is_none());
        assert!(journal.acquire(&id).await.expect("a journal").is_none());
        assert!(!journal.delete(&id).await.expect("a journal"));
        assert!(!journal.send(&id, &Mail::Cancel).await.expect("a journal"));
    }
    let long = "é".repeat(500);
    append(&journal, commit(&long, RunState::Running)).await;
    assert!(journal.read(&long).await.expect("a journal").is_some());
    assert!(journal.send(&long, &Mail::Cancel).await.expect("a journal"));
    for (owner, words) in [
        (
            "a\0b".to_owned(),
            "the owner of a run has the character NUL",
        ),
        ("x".repeat(1_001), "the owner of a run has 1001 bytes"),
    ] {
        let mut commit = commit("owned", RunState::Running);
        commit.info.owner = Some(owner.clone());
        let appended = journal.append(&journal.begin("owned"), commit).await;
        let error = appended.expect_err("the owner is refused").to_string();
        assert!(error.contains(words), "{error}");
        let listed = journal.list(&RunFilter::new().owner(owner)).await;
        assert_eq!(listed.expect("a list"), []);
    }
}

#[tokio::test]
async fn appends_of_many_runs_do_not_disturb_each_other() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let journal = open(&url).await;
    check_appends_of_many_runs(&journal).await;
    // The tasks begin one after the other on one thread, so that all but the first wait for the first.
    let transactions = sql(&url, "SELECT count(DISTINCT xmin::text) FROM agent_run");
    let transactions: usize = transactions.parse().expect("a number");
    assert!(transactions <= 3, "{transactions} transactions");
}

/// A process that lost the network in the middle of a transaction keeps its run locked until the server notices.
#[tokio::test]
async fn a_run_that_is_locked_holds_up_no_other() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let journal = open(&url).await;
    let runs = ["a", "locked", "z"];
    for run in runs {
        append(&journal, commit(run, RunState::Running)).await;
    }
    let lock = format!(
        "SELECT id FROM {}.agent_run WHERE id = 'locked' FOR UPDATE",
        schema_of(&url)
    );
    let _locked = shared().transaction("agents", &lock);
    // The tasks begin one after the other on one thread, so that their writes are made together.
    let renewals = runs.map(|run| {
        let journal = journal.clone();
        tokio::spawn(async move {
            let renewed = journal.renew(&journal.begin(run)).await;
            renewed.map_err(|error| error.is_busy())
        })
    });
    let (begun, mut renewed) = (Instant::now(), Vec::new());
    for renewal in renewals {
        renewed.push(renewal.await.expect("no panic"));
    }
    assert_eq!(renewed, [Ok(()), Err(true), Ok(())]);
    assert!(begun.elapsed() < Lease::LIFETIME, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_record_that_was_changed_in_the_table_is_found() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let journal = open(&url).await;
    append(&journal, commit("r", RunState::Running)).await;
    for (change, undo) in [
        (
            "UPDATE agent_record SET json = '{ }'",
            "UPDATE agent_record SET json = '{}'",
        ),
        (
            "UPDATE agent_record SET json = '\\xff'",
            "UPDATE agent_record SET json = '{}'",
        ),
        (
            "UPDATE agent_run SET records = 2",
            "UPDATE agent_run SET records = 1",
        ),
        ("DELETE FROM agent_record", ""),
    ] {
        sql(&url, change);
        let stored = journal.read("r").await.expect("a run").expect("a run");
        assert!(stored.verify().is_err(), "{change}");
        sql(&url, undo);
    }
}

#[tokio::test]
async fn a_damaged_entry_hides_no_other_run_and_can_be_deleted() {
    if is_skipped() {
        return;
    }
    let url = empty();
    for change in ["state = 'dne'", "conversation = '../ada'"] {
        let damage = |run: &str| {
            sql(
                &url,
                &format!("UPDATE agent_run SET {change} WHERE id = '{run}'"),
            );
        };
        check_damaged_entry(&open(&url).await, damage).await;
    }
}

#[tokio::test]
async fn of_exclusive_runs_that_begin_at_once_one_begins() {
    if is_skipped() {
        return;
    }
    check_exclusive_runs_at_once(&open(&empty()).await).await;
}

/// The runs begin in transactions of their own, so that the database decides.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_exclusive_runs_of_many_machines_one_begins() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let begins = (0..8).map(|at| {
        let url = url.clone();
        tokio::spawn(async move {
            let (journal, run) = (open(&url).await, format!("r{at}"));
            let mut commit = commit(&run, RunState::Running);
            commit.info.conversation = "ada/trip".parse().ok();
            commit.info.is_exclusive = true;
            match journal.append(&journal.begin(&run), commit).await {
                Ok(()) => run,
                Err(error) => error.busy_run().expect("a busy conversation").to_owned(),
            }
        })
    });
    let mut runs = Vec::new();
    for begin in begins.collect::<Vec<_>>() {
        runs.push(begin.await.expect("no panic"));
    }
    let listed = open(&url).await.list(&RunFilter::new()).await;
    let listed = listed.expect("a list");
    assert_eq!(listed.len(), 1);
    assert_eq!(runs, vec![listed[0].run.clone(); 8]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn mail_of_many_senders_is_received_once_and_in_order() {
    if is_skipped() {
        return;
    }
    let url = empty();
    check_mail_of_many_senders(async || open(&url).await).await;
}

#[tokio::test]
async fn damaged_mail_is_an_error() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let damage = || {
        sql(&url, "UPDATE agent_mail SET json = '{}' WHERE number = 1");
    };
    check_damaged_mail(&open(&url).await, damage).await;
}

/// Waits until a watch tells of something.
async fn changed(watch: &mut RunWatch) {
    let changed = tokio::time::timeout(Duration::from_secs(50), watch.changed());
    changed.await.expect("the watch tells of a change");
}

/// All runs of a journal are watched over one connection, which listens to the channel of its schema and is opened again.
#[tokio::test]
async fn a_watch_outlives_its_connection() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let (journal, other) = (open(&url).await, open(&url).await);
    let listen = format!("LISTEN \"agent_run_{}\"", schema_of(&url));
    let listeners = || {
        let sql = format!("SELECT count(*) FROM pg_stat_activity WHERE query = '{listen}'");
        shared().sql("agents", &sql)
    };
    assert_eq!(listeners(), "0", "nobody watches a run");
    let mut watches = ["a", "b"].map(|run| journal.watch(run).expect("a watch"));
    for watch in &mut watches {
        // Changes before the connection may have been missed.
        changed(watch).await;
    }
    assert_eq!(listeners(), "1");
    let end =
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = '{listen}'");
    shared().sql("agents", &end);
    for (run, watch) in ["a", "b"].into_iter().zip(&mut watches) {
        append(&other, commit(run, RunState::Running)).await;
        while journal.read(run).await.expect("a journal").is_none() {
            changed(watch).await;
        }
    }
    while listeners() != "1" {
        changed(&mut watches[0]).await;
    }
    assert!(other.send("a", &Mail::Cancel).await.expect("a journal"));
    changed(&mut watches[0]).await;
    drop(journal);
    let begun = Instant::now();
    while listeners() != "0" {
        assert!(
            begun.elapsed() < Duration::from_secs(50),
            "the connection is closed"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn ended_runs_are_deleted_by_age_and_by_size() {
    if is_skipped() {
        return;
    }
    let journal = open(&empty()).await;
    let delete = async |before, max_bytes| journal.delete_ended(before, max_bytes).await;
    check_ended_runs(&journal, delete).await;
}

/// A journal outlives the runtime in which it wrote, also if that ended in the middle of a write.
#[test]
fn a_journal_is_used_by_one_runtime_after_another() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime")
    };
    let first = runtime();
    let journal = first.block_on(open(&url));
    let mut watch = journal.watch("s").expect("a watch");
    first.block_on(async {
        let (lease, commit) = (journal.begin("r"), commit("r", RunState::Running));
        let append = journal.append(&lease, commit);
        let _ = tokio::time::timeout(Duration::from_micros(1), append).await;
    });
    drop(first);
    // Outside of any runtime.
    journal.release(&journal.begin("r"));
    runtime().block_on(async {
        let mut again = journal.watch("s").expect("a watch");
        changed(&mut again).await;
        append(&journal, commit("s", RunState::Done)).await;
        changed(&mut watch).await;
        assert!(journal.list(&RunFilter::new()).await.expect("a list").len() <= 2);
    });
}

/// The runs of the table that all journals share.
#[tokio::test]
async fn runs_of_each_kind_that_are_killed_end_as_if_they_had_not_been() {
    if is_skipped() {
        return;
    }
    let journal = open(&empty()).await;
    let store = journal.conversations().expect("the same database");
    let open_empty = async || {
        for info in journal.list(&RunFilter::new()).await.expect("a list") {
            journal.delete(&info.run).await.expect("a journal");
        }
        for info in store.list(None).await.expect("a list") {
            store.delete(&info.name).await.expect("a store");
        }
        journal.clone()
    };
    for scenario in scenarios::table::all() {
        scenarios::check(&scenario, open_empty, async |_, _, _| {}).await;
    }
}

#[tokio::test]
async fn worker() {
    if is_skipped() {
        return;
    }
    killed::work(async |url| open(&url).await).await;
}

/// Workers that connect to a server begin later, and have more to do until a run is theirs.
fn size(size: Size) -> Size {
    Size {
        longest_pause: 2_400,
        ..size
    }
}

#[tokio::test]
async fn runs_of_killed_processes_end_and_pay_once() {
    if is_skipped() {
        return;
    }
    let (url, folder) = (empty(), Folder::new("killed"));
    let place = Place {
        worker: "journal::worker",
        journal: &url,
        folder: &folder.0,
    };
    // Its leases run out, without the time in which they do so.
    let expire = async |process: u32, _| {
        let schema = schema_of(&url);
        let sql = format!(
            "UPDATE {schema}.agent_run SET renewed = renewed - interval '30 seconds' WHERE token LIKE '{process:x}-%'"
        );
        shared().sql("agents", &sql);
    };
    killed::check(&open(&url).await, place, size(killed::SMALL), expire).await;
}

/// The large form, for the night. Leases run out by themselves, and the database is restarted twice.
#[tokio::test]
#[ignore = "takes minutes"]
async fn a_thousand_runs_of_killed_processes_end_and_pay_once() {
    if is_skipped() {
        return;
    }
    let (server, folder) = (Server::start(&[], None), Folder::new("thousand"));
    let url = server.url("killed");
    let place = Place {
        worker: "journal::worker",
        journal: &url,
        folder: &folder.0,
    };
    let restart = async |_, before| match before {
        20 => {
            server.stop();
            tokio::time::sleep(Duration::from_secs(3)).await;
            server.start_again();
        }
        40 => {
            server.kill();
            server.start_again();
        }
        _ => {}
    };
    killed::check(&open(&url).await, place, size(killed::LARGE), restart).await;
}
