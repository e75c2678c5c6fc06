//! The contract of journals, as a check that any journal can run.

use agent_core::Message;
use agent_core::conversation::{ConversationName, StoreError};
use agent_core::journal::{
    Commit, Journal, Lease, Mail, Record, RunFilter, RunInfo, RunState, StoredRun, Turn,
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
    check_filters(&open().await).await;
    check_exclusive(&open().await, &open().await).await;
    check_mail(&open().await, &open().await).await;
    check_watch(&open().await, &open().await).await;
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

    /// Returns a commit with these texts as its records, after the earlier records.
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

/// The parts of a filter select alone and together.
async fn check_filters(journal: &impl Journal) {
    let name = |text: &str| -> ConversationName { text.parse().expect("a valid name") };
    let time = |millis: u64| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
    for (at, run, owner, conversation, state) in [
        (0, "f0", None, None, RunState::Done),
        (1, "f1", Some("ada"), None, RunState::Running),
        (2, "f2", Some("ada"), Some("ada/trip"), RunState::Done),
        (3, "f3", Some("ada"), Some("ada/trip"), RunState::Waiting),
        (4, "f4", Some("bob"), Some("bob/trip"), RunState::Waiting),
        (5, "f5", Some("Ada é '%_"), Some("trip"), RunState::Failed),
    ] {
        let mut commit = Writer::new(run).commit(&["0"], state);
        (commit.info.started, commit.info.updated) = (time(at), time(100 - at));
        commit.info.owner = owner.map(str::to_owned);
        commit.info.conversation = conversation.map(name);
        let expected = commit.info.clone();
        append(journal, &journal.begin(run), commit).await;
        assert_eq!(read(journal, run).await.info, expected);
    }
    let all = RunFilter::new;
    let open = [RunState::Running, RunState::Waiting];
    let of_ada = || all().owner("ada").conversation(name("ada/trip"));
    for (filter, expected) in [
        (all(), "f0 f1 f2 f3 f4 f5"),
        (all().owner("ada"), "f1 f2 f3"),
        (all().owner("Ada é '%_"), "f5"),
        (all().owner(""), ""),
        (all().conversation(name("ada/trip")), "f2 f3"),
        (all().conversation(name("trip")), "f5"),
        (all().states(open), "f1 f3 f4"),
        (all().states([RunState::Damaged]), ""),
        (all().states([RunState::Done, RunState::Damaged]), "f0 f2"),
        (all().updated_since(time(99)), "f0 f1"),
        // The same millisecond.
        (
            all().updated_since(time(99) + Duration::from_micros(1)),
            "f0 f1",
        ),
        (all().owner("ada").states(open), "f1 f3"),
        (all().owner("ada").conversation(name("bob/trip")), ""),
        (all().owner("ada").updated_since(time(98)), "f1 f2"),
        (of_ada().states(open).updated_since(time(97)), "f3"),
        (of_ada().states(open).updated_since(time(98)), ""),
    ] {
        let listed = journal.list(&filter).await.expect("a journal");
        // Other checks leave runs in the journal.
        let listed = listed.iter().map(|info| info.run.as_str());
        let listed = listed.filter(|run| run.len() == 2 && run.starts_with('f'));
        let listed: Vec<&str> = listed.collect();
        assert_eq!(listed.join(" "), expected, "the runs of {filter:?}");
    }
}

/// A conversation has at most one exclusive run that is running or waiting.
async fn check_exclusive(journal: &impl Journal, other: &impl Journal) {
    let name: ConversationName = "exclusive".parse().expect("a valid name");
    let exclusive = |mut commit: Commit| {
        (commit.info.is_exclusive, commit.info.conversation) = (true, Some(name.clone()));
        commit
    };
    let of_run = |run: &str| exclusive(Writer::new(run).commit(&["0"], RunState::Running));
    let mut first = Writer::new("exclusive-1");
    let mut next = |text: &str, state| exclusive(first.commit(&[text], state));
    let refused = async || {
        for journal in [journal as &dyn Journal, other] {
            let lease = journal.begin("exclusive-2");
            let appended = journal.append(&lease, of_run("exclusive-2")).await;
            let error = appended.expect_err("the conversation has another exclusive run");
            assert_eq!(error.busy_run(), Some("exclusive-1"), "{error}");
            let text = error.to_string();
            assert!(text.contains("`exclusive`"), "no conversation: {text}");
            let read = journal.read("exclusive-2").await.expect("a journal");
            assert!(read.is_none(), "a refused run is not in the journal");
        }
    };
    let lease = journal.begin("exclusive-1");
    let begin = next("0", RunState::Running);
    append(journal, &lease, begin.clone()).await;
    // The future of the append may have been dropped after the write.
    append(journal, &lease, begin).await;
    refused().await;
    let of_ada = name.of_owner("ada").expect("a valid owner");
    for (run, is_exclusive, conversation) in [
        ("not-exclusive", false, Some(&name)),
        ("exclusive-elsewhere", true, Some(&of_ada)),
        ("exclusive-without-1", true, None),
        ("exclusive-without-2", true, None),
    ] {
        let mut commit = of_run(run);
        commit.info.is_exclusive = is_exclusive;
        commit.info.conversation = conversation.cloned();
        append(other, &other.begin(run), commit).await;
        let info = read(journal, run).await.info;
        assert_eq!(info.is_exclusive, is_exclusive, "{run}");
    }
    append(journal, &lease, next("1", RunState::Waiting)).await;
    refused().await;
    let lease = acquired(other, "exclusive-1").await;
    for text in ["2", "3"] {
        append(other, &lease, next(text, RunState::Running)).await;
        refused().await;
    }
    append(other, &lease, next("4", RunState::Cancelled)).await;
    for run in ["exclusive-2", "exclusive-3"] {
        append(other, &other.begin(run), of_run(run)).await;
        assert!(journal.delete(run).await.expect("a journal"));
    }
    append(other, &other.begin("exclusive-4"), of_run("exclusive-4")).await;
    // A holder that lost its run must end it, whatever its conversation has.
    let lost = Lease::new("exclusive-1", lease.number + 1);
    check_lost(journal, &lost, next("5", RunState::Running)).await;
}

/// Returns the mail of a run, and the number of the last one.
async fn received(journal: &impl Journal, lease: &Lease) -> (Vec<Mail>, u64) {
    let received = journal.mail(lease).await.expect("the lease is held");
    let numbers: Vec<u64> = received.iter().map(|mail| mail.number).collect();
    let grow = numbers.is_sorted_by(|one, next| one < next);
    assert!(grow, "the numbers of mail grow: {numbers:?}");
    let mail = received.into_iter().map(|received| received.mail);
    (mail.collect(), numbers.last().copied().unwrap_or_default())
}

/// Mail reaches the holder of a run in order, and stays until it is taken.
async fn check_mail(journal: &impl Journal, other: &impl Journal) {
    let say = |text: &str| Mail::Say(Message::user(text));
    let sent = async |run: &str, mail: Mail| {
        let sent = other.send(run, &mail).await;
        sent.expect("a journal")
    };
    let mut writer = Writer::new("mail");
    let is_sent = sent("mail", Mail::Cancel).await;
    assert!(!is_sent, "nobody reads the mail of an unknown run");
    let lease = journal.begin("mail");
    append(journal, &lease, writer.commit(&["0"], RunState::Running)).await;
    let other_lease = journal.begin("more-mail");
    let begin = || Writer::new("more-mail").commit(&["0"], RunState::Running);
    append(journal, &other_lease, begin()).await;
    assert_eq!(received(journal, &lease).await.0, []);
    let all = [say("one\u{0}"), say("two"), Mail::Cancel];
    for mail in all.clone() {
        assert!(sent("mail", mail).await, "the run goes on");
    }
    assert!(sent("more-mail", say("of another run")).await);
    for _ in 0..2 {
        let (mail, _) = received(journal, &lease).await;
        assert_eq!(mail, all, "in the order of sending, and untaken");
    }

    // Mail that comes after the holder looked stays.
    let (_, third) = received(journal, &lease).await;
    assert!(sent("mail", say("four")).await);
    let mut commit = writer.commit(&["1"], RunState::Running);
    commit.taken = Some(third);
    let mut gap = commit.clone();
    gap.position += 1;
    check_lost(journal, &lease, gap).await;
    let (mail, _) = received(journal, &lease).await;
    assert_eq!(mail.len(), 4, "a commit that does not fit takes no mail");
    append(journal, &lease, commit).await;
    let (mail, fourth) = received(journal, &lease).await;
    assert_eq!(mail, [say("four")]);
    let mut commit = writer.commit(&["2"], RunState::Running);
    commit.taken = Some(fourth);
    append(journal, &lease, commit.clone()).await;
    assert_eq!(received(journal, &lease).await.0, []);
    // The answer to the commit was lost, and it is repeated.
    assert!(sent("mail", say("five")).await);
    append(journal, &lease, commit).await;
    let (mail, fifth) = received(journal, &lease).await;
    assert_eq!(mail, [say("five")], "a number is given once");
    assert!(fifth > fourth, "the numbers of mail grow");

    // Another holder gets the mail that nobody took.
    journal.release(&lease);
    assert!(sent("mail", say("six")).await, "a holder will come");
    let second = acquired(other, "mail").await;
    assert_eq!(received(other, &second).await.0, [say("five"), say("six")]);
    let lost = journal.mail(&lease).await;
    assert!(lost.expect_err("another holder came").is_lease_lost());
    append(other, &second, writer.commit(&["3"], RunState::Waiting)).await;
    assert!(!sent("mail", Mail::Cancel).await, "the run waits");
    let third = acquired(journal, "mail").await;
    append(journal, &third, writer.commit(&["4"], RunState::Running)).await;
    let (mail, _) = received(journal, &third).await;
    assert_eq!(mail.len(), 2, "a pause deletes no mail");
    append(journal, &third, writer.commit(&["5"], RunState::Done)).await;
    assert!(!sent("mail", Mail::Cancel).await, "the run is over");
    let fourth = acquired(journal, "mail").await;
    let (mail, _) = received(journal, &fourth).await;
    assert_eq!(mail, [], "the end of a run deletes its mail");

    let (mail, _) = received(journal, &other_lease).await;
    assert_eq!(mail, [say("of another run")]);
    assert!(journal.delete("more-mail").await.expect("a journal"));
    assert!(!sent("more-mail", Mail::Cancel).await, "the run is deleted");
    let lost = journal.mail(&other_lease).await;
    assert!(lost.expect_err("the run is deleted").is_lease_lost());
    append(journal, &other_lease, begin()).await;
    let (mail, _) = received(journal, &other_lease).await;
    assert_eq!(mail, [], "mail is deleted with its run");
}

/// A watch reports the changes that another journal on the same place makes.
async fn check_watch(journal: &impl Journal, other: &impl Journal) {
    let Some(mut watch) = journal.watch("watched") else {
        return;
    };
    // Waits until the change is in the journal, because a watch may report a change where nothing changed.
    let mut await_change = async |change: &str, is_there: &dyn Fn(Option<&StoredRun>) -> bool| {
        while !is_there(journal.read("watched").await.expect("a journal").as_ref()) {
            let told = tokio::time::timeout(Duration::from_secs(30), watch.changed()).await;
            assert!(told.is_ok(), "the watch does not tell of {change}");
        }
    };
    let mut writer = Writer::new("watched");
    let lease = other.begin("watched");
    for (count, change) in [(1, "the first commit"), (2, "the second commit")] {
        append(other, &lease, writer.commit(&["0"], RunState::Running)).await;
        let is_there = |run: Option<&StoredRun>| run.is_some_and(|run| run.count == count);
        await_change(change, &is_there).await;
    }
    assert!(other.delete("watched").await.expect("a journal"));
    await_change("a deletion", &|run| run.is_none()).await;

    let mut watch = journal.watch("watched").expect("a watch");
    let begin = Writer::new("watched").commit(&["0"], RunState::Running);
    append(other, &lease, begin).await;
    assert!(
        other
            .send("watched", &Mail::Cancel)
            .await
            .expect("a journal")
    );
    while received(journal, &lease).await.0.is_empty() {
        let told = tokio::time::timeout(Duration::from_secs(30), watch.changed()).await;
        assert!(told.is_ok(), "the watch does not tell of mail");
    }
}
