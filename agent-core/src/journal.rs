//! Journals of runs: the trait, its types and the journal in memory.
//!
//! A journal keeps each input of a run before anything depends on it, so that another process can continue the run
//! after this one was killed. See [`Journal`] and `Runtime::recover`.

mod filter;
mod mail;
mod memory;
mod record;
mod watch;

pub use filter::RunFilter;
pub use mail::{Mail, ReceivedMail};
pub use memory::MemoryJournal;
pub use record::{Commit, Record, StoredRun, Turn};
pub use watch::{RunWatch, RunWatches};

use crate::conversation::{ConversationName, ConversationStore, StoreFuture};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Keeps the records of runs: [`MemoryJournal`], `SqliteJournal` and `PostgresJournal` of the crate `agent-store`, or your own.
///
/// A runtime with a journal appends the inputs of each run in commits: the start, the replies of models, the
/// beginning and the result of each call, decisions and the end. A call is in the journal before its tool runs. After
/// a crash, `Runtime::recover` reads the records and continues the run.
///
/// A run has at most one holder, which has its [`Lease`]:
///
/// * [`append`](Self::append) adds all records of a commit or none, and fails if the lease was lost. So a process that
///   stalled never writes after another process took its run over.
/// * [`acquire`](Self::acquire) gives the lease to a new holder when the run was paused, has ended, was
///   [released](Self::release), or when its holder is gone or did not [renew](Self::renew) the lease for
///   [`Lease::LIFETIME`].
///
/// Dropping a future does not undo its write, which may still take place. `append` is repeatable for that reason.
///
/// `testing::check_journal` checks that a journal of your own keeps these promises.
///
/// ```
/// # use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
/// # use agent_runtime::model::{ModelReply, Scripted};
/// # use agent_runtime::{Runtime, agent};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Scripted/any"}] };
/// let journal = MemoryJournal::new();
/// let runtime = Runtime::builder()
///     .model(Scripted::new([ModelReply::text("Go north.")]))
///     .journal(journal.clone())
///     .build()?;
/// runtime.run(&agent, "Where am I?").await?;
/// let runs = journal.list(&RunFilter::new()).await?;
/// assert_eq!(runs[0].agent, "guide");
/// assert_eq!(runs[0].state, RunState::Done);
/// # Ok(())
/// # }
/// ```
pub trait Journal: Send + Sync + 'static {
    /// Creates the lease of a run that is not in the journal yet. The first [`append`](Self::append) with it creates
    /// the run.
    fn begin(&self, run: &str) -> Lease;

    /// Takes the lease of a run that is in the journal. Returns `None` if the run is held by another holder or is not
    /// in the journal.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>>;

    /// Keeps the lease for another [`Lease::LIFETIME`]. Each [`append`](Self::append) renews it, too.
    ///
    /// # Errors
    /// A [lost lease](crate::conversation::StoreError::is_lease_lost) when another holder took the run. Also when the journal cannot be
    /// written.
    fn renew<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, ()>;

    /// Gives the lease up, so that the run can be acquired at once. It is called when the future of a run is dropped,
    /// and so may return before the work is done. Does nothing if the lease was lost.
    fn release(&self, lease: &Lease);

    /// Adds the records of a commit at its position, all or none. Records that the journal has already, with the same
    /// checksums, are skipped. If the state of the run is other than [`RunState::Running`], the lease ends with the
    /// commit, and the mail of a run that [is over](RunState::is_over) is deleted. The [`turn`](Commit::turn) of the commit is
    /// added to its conversation in the same transaction, and the [`taken`](Commit::taken) mail is deleted in it.
    ///
    /// # Errors
    /// A [lost lease](crate::conversation::StoreError::is_lease_lost) when another holder took the run, when the run has other records at
    /// the position or fewer records before it, or when it was deleted. A
    /// [busy conversation](crate::conversation::StoreError::busy_run) when a run [is exclusive](RunInfo::is_exclusive), and
    /// another exclusive run of its conversation is running or waiting. Also when the journal cannot be written. No
    /// record is added then.
    fn append<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, ()>;

    /// Reads a run with all its records; `None` if it is not in the journal. The records are those that were appended,
    /// or the result fails to [verify](StoredRun::verify).
    ///
    /// # Errors
    /// When the run cannot be read.
    fn read<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<StoredRun>>;

    /// Lists the runs that a filter selects, those that were started first before others. A run whose entry cannot be
    /// read is listed as [`RunState::Damaged`], without owner and conversation, so that it hides no other run.
    ///
    /// # Errors
    /// When the list cannot be read.
    fn list<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, Vec<RunInfo>>;

    /// Leaves mail for the holder of a run, who gets it in the order in which it was sent. If nobody holds the run, the mail
    /// stays until a holder takes it. Returns `false` if the run is not in the journal or is not
    /// [running](RunState::Running), because nobody would read the mail.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn send<'a>(&'a self, run: &'a str, mail: &'a Mail) -> StoreFuture<'a, bool>;

    /// Returns the mail of a run that was not taken yet, the oldest first. Mail stays until a commit has
    /// [taken](Commit::taken) it, so that a process that dies in between loses none.
    ///
    /// # Errors
    /// A [lost lease](crate::conversation::StoreError::is_lease_lost) when another holder took the run. Also when the journal cannot be
    /// read.
    fn mail<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, Vec<ReceivedMail>>;

    /// Watches a run for new records, for mail and for its deletion. The run need not be in the journal yet. `None`, the
    /// default, means that the journal does not notify of changes: its readers poll the run, and the holder
    /// of a run looks for mail whenever it renews its lease.
    fn watch(&self, run: &str) -> Option<RunWatch> {
        let _ = run;
        None
    }

    /// Deletes a run, and its mail. Returns `false` if it was not in the journal. A run that is held is deleted, too: the next
    /// [`append`](Self::append) of its holder fails.
    ///
    /// # Errors
    /// When the run cannot be deleted.
    fn delete<'a>(&'a self, run: &'a str) -> StoreFuture<'a, bool>;

    /// Returns the store of conversations in the same place, if there is one. The commit that ends a run of a
    /// stored conversation then has the messages of the run. By default `None`:
    /// the messages are written by [`ConversationStore::append_run`] before the run ends.
    fn conversations(&self) -> Option<Arc<dyn ConversationStore>> {
        None
    }
}

impl<J: Journal + ?Sized> Journal for Arc<J> {
    fn begin(&self, run: &str) -> Lease {
        (**self).begin(run)
    }

    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>> {
        (**self).acquire(run)
    }

    fn renew<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, ()> {
        (**self).renew(lease)
    }

    fn release(&self, lease: &Lease) {
        (**self).release(lease);
    }

    fn append<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, ()> {
        (**self).append(lease, commit)
    }

    fn read<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        (**self).read(run)
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, Vec<RunInfo>> {
        (**self).list(filter)
    }

    fn send<'a>(&'a self, run: &'a str, mail: &'a Mail) -> StoreFuture<'a, bool> {
        (**self).send(run, mail)
    }

    fn mail<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, Vec<ReceivedMail>> {
        (**self).mail(lease)
    }

    fn watch(&self, run: &str) -> Option<RunWatch> {
        (**self).watch(run)
    }

    fn delete<'a>(&'a self, run: &'a str) -> StoreFuture<'a, bool> {
        (**self).delete(run)
    }

    fn conversations(&self) -> Option<Arc<dyn ConversationStore>> {
        (**self).conversations()
    }
}

/// The interval at which readers poll a run of a journal that does not [notify of changes](Journal::watch).
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The right to append to a run. It is a number that grows with each holder, so that the lease of an earlier holder is
/// recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// The id of the run.
    pub run: String,
    /// The number of the holder, from 1.
    pub number: u64,
}

impl Lease {
    /// The time after which a lease that was not renewed can be taken by another holder.
    pub const LIFETIME: Duration = Duration::from_secs(30);

    /// Creates a lease, for a journal of your own.
    #[must_use]
    pub fn new(run: impl Into<String>, number: u64) -> Self {
        Self {
            run: run.into(),
            number,
        }
    }
}

/// An entry of [`Journal::list`]. Its JSON has the times in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunInfo {
    /// The id of the run.
    pub run: String,
    /// The name of the agent.
    pub agent: String,
    /// The state after the last commit.
    pub state: RunState,
    /// The time at which the run was started. Journals keep it in milliseconds.
    #[serde(with = "milliseconds")]
    pub started: SystemTime,
    /// The time of the last commit.
    #[serde(with = "milliseconds")]
    pub updated: SystemTime,
    /// The cost so far, in dollars, as [`Run::cost`](crate::run::Run::cost) gives it.
    pub cost: Option<f64>,
    /// The stored conversation that gets the messages of the run.
    pub conversation: Option<ConversationName>,
    /// The person or account for whom the run is. The owner, the conversation and whether the run is exclusive are those of
    /// the first commit of a run, and do not change.
    pub owner: Option<String>,
    /// Whether no other exclusive run of its conversation may be running or waiting beside it.
    pub is_exclusive: bool,
}

impl RunInfo {
    /// Creates an entry of a run that was started now.
    #[must_use]
    pub fn new(run: impl Into<String>, agent: impl Into<String>) -> Self {
        let now = SystemTime::now();
        Self {
            run: run.into(),
            agent: agent.into(),
            state: RunState::Running,
            started: now,
            updated: now,
            cost: Some(0.0),
            conversation: None,
            owner: None,
            is_exclusive: false,
        }
    }

    /// Whether the run is exclusive, has a conversation, and is running or waiting. A conversation has at most one such run,
    /// which a journal of your own checks in [`Journal::append`].
    #[must_use]
    pub fn is_open_exclusive(&self) -> bool {
        let is_open = matches!(self.state, RunState::Running | RunState::Waiting);
        is_open && self.is_exclusive && self.conversation.is_some()
    }
}

/// A time as the number of its milliseconds since 1970, as journals keep it.
mod milliseconds {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    pub(super) fn of(time: SystemTime) -> u64 {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    pub(super) fn serialize<S: Serializer>(time: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
        of(*time).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SystemTime, D::Error> {
        let milliseconds = Duration::from_millis(u64::deserialize(from)?);
        Ok(UNIX_EPOCH.checked_add(milliseconds).unwrap_or(UNIX_EPOCH))
    }
}

/// The state of a run in a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RunState {
    /// The run is in progress, or its process is gone.
    Running,
    /// The run was paused because a person must decide on calls.
    Waiting,
    /// The run ended with an answer.
    Done,
    /// The run ended with an error.
    Failed,
    /// The run was cancelled: by its signal, by dropping it, or in the journal.
    Cancelled,
    /// The entry of the run cannot be read, because a fault or another program changed it. The run can be deleted.
    Damaged,
}

impl RunState {
    /// All states.
    pub const ALL: [Self; 6] = [
        Self::Running,
        Self::Waiting,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
        Self::Damaged,
    ];

    /// Returns the word for the state.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Damaged => "damaged",
        }
    }

    /// Whether the run has ended, so that it is never recovered.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
