//! The contract of journals, as a check that any journal can run.

use agent_core::Message;
use agent_core::conversation::{ConversationName, StoreError};
use agent_core::journal::{
    Commit, Journal, Lease, Record, RunFilter, RunInfo, RunState, StoredRun, Turn,
};
use agent_tool::media::Sha256;
use std::time::{Duration, SystemTime};

/// Checks that a journal keeps the promises of [`Journal`].
///
/// `open` is called several times. Each call returns a journal on the same place, such as a clone or a further
/// connection to one database. The place must be empty at first, and holds runs afterwards.
///
/// ```
/// use agent_runtime::journal::MemoryJournal;
/// use agent_runtime::testing::check_journal;
///
/// #[tokio::main]
/// async fn main() {
///     let journal = MemoryJournal::new();
///     check_journal(async || journal.clone()).await;
/// }
/// ```
///
/// # Panics
/// When the journal breaks a promise, or fails.
pub async fn check_journal<J: Journal>(open: impl AsyncFn() -> J) {
    check_appends(&open().await, &open().await).await;
    check_leases(&open().await, &open().await).await;
    check_list(&open().await).await;
    check_turns(&open().await).await;
}

/// A run whose records are made for the check.
struct Writer {
    run: String,
    position: u64,
    last: Sha256,
}

impl Writer {
    fn new(run: &str) -> Self {
        Self {
            run: run.to_owned(),
            position: 0,
            last: Record::first_checksum(),
        }
    }

    /// Returns a commit of these texts, behind those before.
    fn commit(&mut self, texts: &[&str], state: RunState) -> Commit {
        let position = self.position;
        let records = texts.iter().map(|text| {
            let record = Record::sealed(&self.run, self.position, *text, &self.last);
            (self.position, self.last) = (self.position + 1, *record.checksum());
            record
        });
        let records = records.collect();
        let mut info = RunInfo::new(&self.run, "checked");
        info.state = state;
        info.cost = Some(0.25);
        Commit::new(position, records, info)
    }
}

async fn read(journal: &impl Journal, run: &str) -> StoredRun {
    let stored = journal.read(run).await.expect("a journal that can be read");
    let stored = stored.unwrap_or_else(|| panic!("the run `{run}` was appended"));
    stored.verify().expect("the records that were appended");
    stored
}

async fn texts(journal: &impl Journal, run: &str) -> Vec<String> {
    let stored = read(journal, run).await;
    let texts = stored
        .records
        .iter()
        .map(|record| record.json().into_owned());
    texts.collect()
}

async fn append(journal: &impl Journal, lease: &Lease, commit: Commit) {
    let appended = journal.append(lease, commit).await;
    appended.expect("the commit is appended");
}

async fn check_lost(journal: &impl Journal, lease: &Lease, commit: Commit) {
    let appended = journal.append(lease, commit).await;
    let error: StoreError = appended.expect_err("the commit does not fit");
    assert!(error.is_lease_lost(), "{error}");
}

async fn check_appends(journal: &impl Journal, other: &impl Journal) {
    let mut writer = Writer::new("appends");
    let lease = journal.begin("appends");
    let missing = journal.read("appends").await;
    assert!(
        missing.expect("a journal").is_none(),
        "nothing was appended"
    );
    let long = format!("{{\"long\":\"{}\"}}", "é\u{0}".repeat(100_000));
    let first = writer.commit(&["{\"a\":1}", &long], RunState::Running);
    append(journal, &lease, first.clone()).await;
    // The future of an append may have been dropped after the write.
    append(journal, &lease, first.clone()).await;
    assert_eq!(texts(other, "appends").await, ["{\"a\":1}", &long]);
    let mut longer = first.clone();
    longer
        .records
        .extend(writer.commit(&["2"], RunState::Running).records);
    append(journal, &lease, longer).await;
    assert_eq!(texts(other, "appends").await, ["{\"a\":1}", &long, "2"]);

    // Other records at a position that is taken, and a position that is not reached yet.
    let changed = Writer::new("appends").commit(&["other"], RunState::Running);
    check_lost(journal, &lease, changed).await;
    let mut gap = writer.commit(&["3"], RunState::Running);
    gap.position += 1;
    check_lost(journal, &lease, gap).await;
    assert_eq!(read(other, "appends").await.count, 3);
}

async fn check_leases(journal: &impl Journal, other: &impl Journal) {
    let mut writer = Writer::new("leases");
    let lease = journal.begin("leases");
    let unknown = journal.acquire("leases").await.expect("a journal");
    assert!(unknown.is_none(), "the run is not in the journal");
    append(journal, &lease, writer.commit(&["0"], RunState::Running)).await;
    for journal in [
        journal.acquire("leases").await,
        other.acquire("leases").await,
    ] {
        assert!(journal.expect("a journal").is_none(), "the run is held");
    }
    journal.renew(&lease).await.expect("the lease is held");

    journal.release(&lease);
    let second = acquired(other, "leases").await;
    assert!(second.number > lease.number, "{second:?} follows {lease:?}");
    check_lost(journal, &lease, writer.commit(&["1"], RunState::Running)).await;
    let renewed = journal.renew(&lease).await;
    assert!(renewed.expect_err("it was lost").is_lease_lost());
    journal.release(&lease);
    assert!(
        journal
            .acquire("leases")
            .await
            .expect("a journal")
            .is_none()
    );

    // A pause and the end give the lease up.
    let mut writer = Writer {
        position: 1,
        last: read(journal, "leases").await.last_checksum,
        ..writer
    };
    append(other, &second, writer.commit(&["1"], RunState::Waiting)).await;
    let third = acquired(journal, "leases").await;
    append(journal, &third, writer.commit(&["2"], RunState::Done)).await;
    assert_eq!(texts(other, "leases").await, ["0", "1", "2"]);

    let held = acquired(other, "leases").await;
    assert!(other.delete("leases").await.expect("a journal"));
    assert!(!other.delete("leases").await.expect("a journal"));
    check_lost(other, &held, writer.commit(&["3"], RunState::Running)).await;
    assert!(other.read("leases").await.expect("a journal").is_none());
}

/// Acquires a run that was released. A journal may take a moment for that.
async fn acquired(journal: &impl Journal, run: &str) -> Lease {
    for _ in 0..200 {
        if let Some(lease) = journal.acquire(run).await.expect("a journal") {
            return lease;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the run `{run}` was released, and cannot be acquired");
}

/// The messages of a commit are in the conversation if the commit is in the journal.
async fn check_turns(journal: &impl Journal) {
    let Some(store) = journal.conversations() else {
        return;
    };
    let name = ConversationName::new("turns").expect("a valid name");
    let messages = vec![Message::user("Hello"), Message::assistant("Hello, Ada!")];
    let stored = async || {
        let stored = store.load(&name).await.expect("the store of the journal");
        stored.map_or(0, |stored| stored.conversation.len())
    };
    let turn = Turn::new(name.clone(), messages);
    let mut commit = Writer::new("turns").commit(&["0"], RunState::Done);
    commit.info.conversation = Some(name.clone());
    let commit = commit.with_turn(turn);
    check_lost(journal, &Lease::new("turns", 7), commit.clone()).await;
    assert_eq!(stored().await, 0, "a commit that does not fit adds nothing");
    let lease = journal.begin("turns");
    for _ in 0..2 {
        append(journal, &lease, commit.clone()).await;
        assert_eq!(stored().await, 2, "the messages are added once");
    }
    let info = read(journal, "turns").await.info;
    assert_eq!(info.conversation, Some(name.clone()));
}

async fn check_list(journal: &impl Journal) {
    let started = SystemTime::UNIX_EPOCH + Duration::from_millis(1_000);
    for (run, state) in [("second", RunState::Failed), ("first", RunState::Waiting)] {
        let mut commit = Writer::new(run).commit(&["0"], state);
        let later = Duration::from_millis(u64::from(run == "second"));
        (commit.info.started, commit.info.updated) = (started + later, started + later);
        let expected = commit.info.clone();
        append(journal, &journal.begin(run), commit).await;
        assert_eq!(read(journal, run).await.info, expected);
    }
    let listed = journal.list(&RunFilter::new()).await.expect("a journal");
    let ids: Vec<&str> = listed.iter().map(|info| info.run.as_str()).collect();
    assert_eq!(ids[..2], ["first", "second"], "ordered by the start");
    assert_eq!(listed[0].state, RunState::Waiting);
}
