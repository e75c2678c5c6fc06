//! The tests of journals that hold for each database.

use agent_runtime::conversation::{Sha256, StoreError};
use agent_runtime::journal::{Commit, Journal, Lease, Mail, Record, RunFilter, RunInfo, RunState};
use agent_runtime::{Message, Runtime, ToolLibrary};
use std::time::{Duration, SystemTime};

/// Returns the first commit of a run, with one record.
pub(crate) fn commit(run: &str, state: RunState) -> Commit {
    commit_of(run, state, "{}")
}

fn commit_of(run: &str, state: RunState, json: &str) -> Commit {
    let record = Record::sealed(run, 0, json, &Record::first_checksum());
    let mut info = RunInfo::new(run, "a");
    info.state = state;
    Commit::new(0, vec![record], info)
}

pub(crate) async fn append(journal: &impl Journal, commit: Commit) {
    let lease = journal.begin(&commit.info.run);
    let appended = journal.append(&lease, commit).await;
    appended.expect("a commit");
}

/// Checks that the image of a conversation, which is in the start of each of its runs, is kept once. `kept` returns the number
/// of large texts and of their bytes, and `change` changes the texts.
pub(crate) async fn check_large_texts(
    journal: &impl Journal,
    kept: impl Fn() -> (u64, u64),
    change: impl FnOnce(),
) {
    let image = "aGVsbG8gaW1hZ2U".repeat(70_000);
    let json =
        |at: usize| format!("{{\"at\":{at},\"images\":[\"{image}\",\"{image}\"],\"text\":\"é\"}}");
    for at in 0..5 {
        let commit = commit_of(&format!("r{at}"), RunState::Done, &json(at));
        append(journal, commit.clone()).await;
        // The answer may have been lost.
        append(journal, commit).await;
    }
    let read = async |run: &str| {
        let stored = journal.read(run).await.expect("a run").expect("a run");
        stored
            .verify()
            .map(|()| stored.records[0].json().into_owned())
    };
    assert_eq!(read("r3").await.expect("whole records"), json(3));
    assert_eq!(kept(), (1, image.len() as u64));
    for at in 0..4 {
        assert!(journal.delete(&format!("r{at}")).await.expect("a journal"));
    }
    assert_eq!(read("r4").await.expect("whole records"), json(4));
    change();
    let error = read("r4").await.expect_err("another text").to_string();
    assert!(error.contains("`r4`"), "{error}");
    assert!(journal.delete("r4").await.expect("a journal"));
    assert_eq!(kept(), (0, 0));
}

/// Checks that appends that share a transaction do not undo each other.
pub(crate) async fn check_appends_of_many_runs(journal: &(impl Journal + Clone)) {
    let appends: Vec<_> = (0..200)
        .map(|at| {
            let journal = journal.clone();
            tokio::spawn(async move {
                let run = format!("r{at}");
                let mut lease = journal.begin(&run);
                // One of four does not fit, and must not undo those beside it.
                if at % 4 == 0 {
                    lease = Lease::new(&run, 7);
                }
                let commit = commit(&run, RunState::Running);
                journal.append(&lease, commit).await
            })
        })
        .collect();
    for (at, append) in appends.into_iter().enumerate() {
        let appended = append.await.expect("no panic");
        let lost = appended.as_ref().is_err_and(StoreError::is_lease_lost);
        assert_eq!(lost, at % 4 == 0, "{at}: {appended:?}");
    }
    assert_eq!(
        journal.list(&RunFilter::new()).await.expect("a list").len(),
        150
    );
}

/// Checks that a run whose entry `damage` changes hides no other run and can be deleted. `damage` is given the run.
pub(crate) async fn check_damaged_entry(
    journal: &(impl Journal + Clone),
    damage: impl FnOnce(&str),
) {
    for run in ["first", "second"] {
        append(journal, commit(run, RunState::Waiting)).await;
    }
    damage("first");
    let listed = journal.list(&RunFilter::new()).await.expect("a list");
    let states: Vec<_> = listed
        .iter()
        .map(|info| (info.run.as_str(), info.state))
        .collect();
    assert_eq!(
        states,
        [("first", RunState::Damaged), ("second", RunState::Waiting)]
    );
    let error = journal.read("first").await.expect_err("it is damaged");
    assert!(
        error.is_format() && error.to_string().contains("`first`"),
        "{error}"
    );
    journal.read("second").await.expect("it is sound");

    let runtime = Runtime::builder().journal(journal.clone());
    let runtime = runtime.build().expect("a runtime");
    let recovered = runtime.recover(&ToolLibrary::new()).await;
    let recovered = recovered.expect("runs");
    assert_eq!(recovered.len(), 1);
    let error = recovered[0].outcome.as_ref().expect_err("it is damaged");
    assert!(error.is_journal(), "{error}");

    journal.acquire("first").await.expect("it is not held");
    for run in ["first", "second"] {
        assert!(journal.delete(run).await.expect("it is deleted"));
    }
}

/// Checks `delete_ended` of a journal.
pub(crate) async fn check_ended_runs(
    journal: &impl Journal,
    delete_ended: impl AsyncFn(SystemTime, u64) -> Result<usize, StoreError>,
) {
    let start = SystemTime::now();
    let days = |days: u64| start - Duration::from_secs(days * 86_400);
    // Texts that are too short to be kept once for all runs, and that cannot be compressed.
    let mut digest = Sha256::of(b"");
    let random = (0..780).map(|_| {
        digest = Sha256::of(digest.as_bytes());
        digest.to_string()
    });
    let text = format!("[\"{}\"]", random.collect::<Vec<_>>().join("\",\""));
    for (run, state, age) in [
        ("new", RunState::Done, 1),
        ("middle", RunState::Failed, 10),
        ("old", RunState::Done, 40),
        ("waits", RunState::Waiting, 50),
        ("goes", RunState::Running, 50),
    ] {
        let mut commit = commit_of(run, state, &text);
        commit.info.updated = days(age);
        append(journal, commit).await;
    }
    let left = async || {
        let listed = journal.list(&RunFilter::new()).await.expect("a list");
        let mut runs: Vec<String> = listed.into_iter().map(|info| info.run).collect();
        runs.sort();
        runs.join(" ")
    };
    for (before, max_bytes, deleted, expected) in [
        (days(60), u64::MAX, 0, "goes middle new old waits"),
        (days(30), u64::MAX, 1, "goes middle new waits"),
        (days(30), 210_000, 0, "goes middle new waits"),
        (days(30), 160_000, 1, "goes new waits"),
        (days(30), 160_000, 0, "goes new waits"),
        // Runs that have not ended stay, whatever they take.
        (days(30), 1_000, 1, "goes waits"),
        (days(0), 1_000, 0, "goes waits"),
    ] {
        let count = delete_ended(before, max_bytes).await;
        assert_eq!(count.expect("it can be written"), deleted, "{expected}");
        assert_eq!(left().await, expected);
    }
}

/// Checks that of many exclusive runs of a conversation that begin at once one begins, and that the others hinder no run
/// beside them.
pub(crate) async fn check_exclusive_runs_at_once(journal: &(impl Journal + Clone)) {
    let begins: Vec<_> = (0..40)
        .map(|at| {
            let journal = journal.clone();
            tokio::spawn(async move {
                let run = format!("r{at}");
                let mut commit = commit(&run, RunState::Running);
                commit.info.conversation = "ada/trip".parse().ok();
                commit.info.is_exclusive = at % 2 == 0;
                journal.append(&journal.begin(&run), commit).await
            })
        })
        .collect();
    let (mut begun, mut refused) = (Vec::new(), Vec::new());
    for (at, begin) in begins.into_iter().enumerate() {
        match (at % 2, begin.await.expect("no panic")) {
            (0, Ok(())) => begun.push(format!("r{at}")),
            (0, Err(error)) => {
                refused.push(error.busy_run().expect("a busy conversation").to_owned())
            }
            (_, beside) => beside.expect("a run that is not exclusive"),
        }
    }
    assert_eq!(begun.len(), 1, "{begun:?}");
    assert_eq!(refused, vec![begun[0].clone(); 19]);
    assert_eq!(
        journal.list(&RunFilter::new()).await.expect("a list").len(),
        21
    );
}

/// Checks that no mail of many senders is lost or out of order, while the holder takes what is there. `open` opens the
/// journal of a sender.
pub(crate) async fn check_mail_of_many_senders<J: Journal>(open: impl AsyncFn() -> J) {
    const SENDERS: usize = 4;
    const MAIL: usize = 20;
    let journal = open().await;
    append(&journal, commit("r", RunState::Running)).await;
    let mut senders = Vec::new();
    for sender in 0..SENDERS {
        let journal = open().await;
        senders.push(tokio::spawn(async move {
            for number in 0..MAIL {
                let mail = Mail::Say(Message::user(format!("{sender} {number}")));
                assert!(journal.send("r", &mail).await.expect("a journal"));
            }
        }));
    }
    let lease = journal.begin("r");
    let mut last = *commit("r", RunState::Running).records[0].checksum();
    let mut received: Vec<Vec<String>> = vec![Vec::new(); SENDERS];
    let mut position = 1;
    while received.iter().map(Vec::len).sum::<usize>() < SENDERS * MAIL {
        let mail = journal.mail(&lease).await.expect("the lease is held");
        for mail in &mail {
            let Mail::Say(message) = &mail.mail else {
                panic!("{mail:?}");
            };
            let sender = message.content().split(' ').next().expect("a sender");
            let sender: usize = sender.parse().expect("a number");
            received[sender].push(message.content().to_owned());
        }
        let record = Record::sealed("r", position, "{}", &last);
        (position, last) = (position + 1, *record.checksum());
        let mut commit = Commit::new(position - 1, vec![record], RunInfo::new("r", "a"));
        commit.taken = mail.last().map(|mail| mail.number);
        journal.append(&lease, commit).await.expect("a commit");
    }
    for (sender, received) in received.iter().enumerate() {
        let sent: Vec<String> = (0..MAIL)
            .map(|number| format!("{sender} {number}"))
            .collect();
        assert_eq!(*received, sent);
    }
    for sender in senders {
        sender.await.expect("no panic");
    }
    assert_eq!(journal.mail(&lease).await.expect("the lease is held"), []);
}

/// Checks that mail that `damage` changes is an error that names its run.
pub(crate) async fn check_damaged_mail(journal: &impl Journal, damage: impl FnOnce()) {
    append(journal, commit("r", RunState::Running)).await;
    for _ in 0..2 {
        assert!(journal.send("r", &Mail::Cancel).await.expect("a journal"));
    }
    damage();
    let error = journal.mail(&journal.begin("r")).await;
    let error = error.expect_err("it is damaged");
    let text = error.to_string();
    assert!(
        error.is_format() && text.contains("mail 1 of the run `r`"),
        "{error:?}"
    );
}
