//! Journals of runs in a database, by PostgreSQL.

use super::PostgresStore;
use super::conversations::{self, Added, Kept, missing};
use super::failure::Failure;
use super::notices::Notices;
use super::pool::{Pool, random};
use super::session::{Session, TypedParameter};
use crate::queue::{Queue, Waiting};
use crate::{mail, payload};
use agent_core::conversation::{
    ConversationName, ConversationStore, Sha256, StoreError, StoreFuture,
};
use agent_core::journal::{
    Commit, Journal, Lease, Mail, ReceivedMail, Record, RunFilter, RunInfo, RunState, RunWatch,
    StoredRun,
};
use futures_util::future::{join_all, maybe_done, try_join, try_join4};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime::Handle;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

/// Keeps the records of runs in a PostgreSQL database, so that programs on several machines recover each other's runs.
/// Clones share their connections. The conversations are in the same database: the end of a run and its messages are one
/// transaction.
///
/// The URL, and what happens while the database cannot be reached, are those of [`PostgresStore`]. Appends that are made at
/// the same time share one transaction.
///
/// A run is held by the process that drives it, which renews its lease. If the process has not renewed the
/// lease for [`Lease::LIFETIME`], because it died, stalled, or cannot reach the database, another process can
/// acquire the run, and the first process can write no more.
/// The age of a lease is measured by the clock of the database alone, so that the clocks of the machines do not matter.
///
/// [Watches](Journal::watch) are notified by `NOTIFY`. The first watch opens a connection beside those of the
/// URL's `max_connections`, which listens for all watches. A lost connection is opened again; until then
/// watches are notified about every second.
///
/// ```no_run
/// # use agent_runtime::{Runtime, ToolLibrary, agent};
/// use agent_store::PostgresJournal;
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
/// # let library = ToolLibrary::new();
/// let journal = PostgresJournal::connect(&std::env::var("DATABASE_URL")?).await?;
/// let runtime = Runtime::builder().journal(journal).build()?;
/// // Again and again: continue what other processes left, on this machine or another. Each time in a task of its own,
/// // because it ends with the runs.
/// let recovering = runtime.clone();
/// tokio::spawn(async move {
///     loop {
///         let (runtime, tools) = (recovering.clone(), library.clone());
///         tokio::spawn(async move {
///             if let Err(error) = runtime.recover(&tools).await {
///                 eprintln!("{error}");
///             }
///         });
///         tokio::time::sleep(Duration::from_secs(15)).await;
///     }
/// });
/// // Then as ever.
/// runtime.run(&agent, "Where am I?").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PostgresJournal(Arc<Shared>);

struct Shared {
    pool: Arc<Pool>,
    queue: Queue<Write, Fits>,
    /// The name of this journal as a holder of runs, for people who look into the tables.
    name: String,
    notices: Notices,
    /// The tokio runtime in which the journal was opened, for tasks that are started outside of any runtime.
    tokio: Handle,
}

/// The number of runs that are deleted in one transaction.
const RUNS_AT_ONCE: usize = 500;

/// The maximum number of bytes of the id and of the owner of a run. A longer text does not fit into an index, or into a notice.
const LONGEST_KEY: usize = 1_000;

/// The maximum number of bytes of the records of a commit. A message to PostgreSQL has at most 1 GB.
const MOST_BYTES: usize = 900 << 20;

/// A write that shares its transaction with others.
enum Write {
    /// Acquires a run. The token is the same in each attempt, so that the lease is found if the answer was lost.
    Acquire {
        run: String,
        token: String,
    },
    Append(Lease, Box<Commit>),
    Renew(Lease),
    Release(Lease),
}

impl Write {
    fn run(&self) -> &str {
        match self {
            Self::Acquire { run, .. } => run,
            Self::Append(lease, _) | Self::Renew(lease) | Self::Release(lease) => &lease.run,
        }
    }
}

/// The number that a write returned; `None` if the write did not fit, and changed nothing.
type Fits = Option<i64>;

impl PostgresJournal {
    /// Connects to a database, and creates the tables unless they exist. Tables of an earlier version of this
    /// crate are migrated.
    ///
    /// # Errors
    /// When the URL cannot be used, or the database cannot be reached or refuses the role. A
    /// [format](StoreError::is_format) error when a newer version of this crate created the tables.
    ///
    /// # Panics
    /// Outside of a tokio runtime whose I/O and time are enabled, as `#[tokio::main]` enables them.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        let pool = Pool::open(url).await?;
        Ok(Self(Arc::new(Shared {
            notices: Notices::new(&pool).await?,
            pool: Arc::new(pool),
            queue: Queue::new(),
            name: format!("{:x}-{:016x}", std::process::id(), random()),
            tokio: Handle::current(),
        })))
    }

    /// Deletes the runs that ended before a time. If the runs take more than `max_bytes` after that, it deletes those that
    /// ended first, too, until they take less. Runs that have not ended stay. Returns the number of deleted runs.
    ///
    /// Sizes are those after PostgreSQL's compression. It reuses the space after its next vacuum.
    ///
    /// # Errors
    /// When the journal cannot be read or written. The runs that were deleted until then stay deleted.
    pub async fn delete_ended(
        &self,
        before: SystemTime,
        max_bytes: u64,
    ) -> Result<usize, StoreError> {
        let pool = &self.0.pool;
        let found = pool.repeat(|mut session| async move {
            let runs = superfluous(&mut session, before, max_bytes).await?;
            Ok((runs, session))
        });
        let (runs, mut count) = (found.await?, 0);
        // In several transactions, so that none locks many rows for long.
        for runs in runs.chunks(RUNS_AT_ONCE) {
            count += self.delete_all(runs).await?;
        }
        Ok(count)
    }

    async fn delete_all(&self, runs: &[String]) -> Result<usize, StoreError> {
        let channel = self.0.notices.channel();
        let delete = |mut session| async move {
            let count = delete(&mut session, channel, runs).await?;
            Ok((count, session))
        };
        self.0.pool.once(delete).await
    }

    /// Queues a write. The first waiting write starts a task, which commits all waiting writes together.
    async fn write(&self, write: Write) -> Result<Fits, StoreError> {
        let (answer, must_start) = self.0.queue.push(write);
        if must_start {
            self.0.start_writing(&Handle::current());
        }
        answer.wait().await
    }

    /// Makes an append in a transaction of its own, whatever records of the run the journal has.
    async fn append_alone(&self, lease: &Lease, commit: &Commit) -> Result<(), StoreError> {
        let turn = match &commit.turn {
            Some(turn) => Some((&turn.conversation, Added::new(&turn.messages)?)),
            None => None,
        };
        let (turn, journal) = (turn.as_ref(), &*self.0);
        let append = |mut session: Session| async move {
            session.run("BEGIN").await?;
            let appended = append(&mut session, journal, lease, commit, turn).await?;
            session.commit().await?;
            Ok((appended, session))
        };
        self.0.pool.repeat(append).await?
    }
}

impl Shared {
    /// The runtime for a task.
    fn tokio(&self) -> Handle {
        Handle::try_current().unwrap_or_else(|_| self.tokio.clone())
    }

    /// Starts a task that writes until no write waits.
    fn start_writing(self: &Arc<Self>, tokio: &Handle) {
        let writing = Writing {
            shared: Arc::clone(self),
            is_done: false,
        };
        tokio.spawn(writing.write_all());
    }

    /// Makes writes in one transaction. A write that does not fit changes nothing, and leaves the others alone.
    async fn write_together(&self, mut waiting: Vec<Waiting<Write, Fits>>) {
        // All processes lock runs in one order, so that none waits for another that waits for it. The writes of a run stay in
        // their order.
        waiting.sort_by(|one, other| one.write.run().cmp(other.write.run()));
        let writes: &Vec<&Write> = &waiting.iter().map(|waiting| &waiting.write).collect();
        let write = |mut session| async move {
            let results = write_at_once(&mut session, self, writes).await?;
            Ok((results, session))
        };
        let written = self.pool.repeat(write).await;
        match written {
            Ok(results) => {
                for (waiting, result) in waiting.into_iter().zip(results) {
                    waiting.answer.give(Ok(result));
                }
            }
            // The failure may be that of one write, such as a write that is too large, or whose run is locked
            // by a process that hangs.
            Err(error) if waiting.len() > 1 && (error.is_invalid() || error.is_busy()) => {
                let mut runs: Vec<Vec<Waiting<Write, Fits>>> = Vec::new();
                for next in waiting {
                    match runs.last_mut() {
                        Some(run) if run[0].write.run() == next.write.run() => run.push(next),
                        _ => runs.push(vec![next]),
                    }
                }
                let runs = runs.into_iter().map(|run| async {
                    for write in run {
                        Box::pin(self.write_together(vec![write])).await;
                    }
                });
                join_all(runs).await;
            }
            Err(error) => {
                // An error has one owner, so each further write gets a new error with the text of the first.
                for waiting in &waiting[1..] {
                    waiting.answer.give(Err(same(&error)));
                }
                if let Some(first) = waiting.first() {
                    first.answer.give(Err(error));
                }
            }
        }
    }
}

/// Returns an error of the same kind with the same text.
fn same(error: &StoreError) -> StoreError {
    let text = error.to_string();
    match error {
        error if error.is_busy() => StoreError::busy(text),
        error if error.is_format() => StoreError::format(text),
        error if error.is_invalid() => StoreError::invalid(text),
        _ => StoreError::unavailable(text),
    }
}

/// The task that writes. If the task is dropped with its runtime, it answers the waiting writes, so that the
/// next write starts another task.
struct Writing {
    shared: Arc<Shared>,
    is_done: bool,
}

impl Writing {
    async fn write_all(mut self) {
        while let Some(waiting) = self.shared.queue.take() {
            self.shared.write_together(waiting).await;
        }
        self.is_done = true;
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        while !self.is_done && self.shared.queue.take().is_some() {}
    }
}

impl Journal for PostgresJournal {
    fn begin(&self, run: &str) -> Lease {
        Lease::new(run, 1)
    }

    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>> {
        Box::pin(async move {
            if check_id(run).is_err() {
                return Ok(None);
            }
            // Goes through the queue, so that a lease that this journal released before is free.
            let acquired = self.write(Write::Acquire {
                run: run.to_owned(),
                token: format!("{}-{:016x}", self.0.name, random()),
            });
            let number = acquired.await?;
            Ok(number.map(|number| Lease::new(run, u64::try_from(number).unwrap_or_default())))
        })
    }

    fn renew<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let renewed = self.write(Write::Renew(lease.clone())).await?;
            renewed.map_or_else(|| Err(StoreError::lease_lost(&lease.run)), |_| Ok(()))
        })
    }

    fn release(&self, lease: &Lease) {
        let (_, must_start) = self.0.queue.push(Write::Release(lease.clone()));
        if must_start {
            self.0.start_writing(&self.0.tokio());
        }
    }

    fn append<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            check(&commit)?;
            if commit.turn.is_some() || commit.records.iter().any(has_large_texts) {
                return self.append_alone(lease, &commit).await;
            }
            let write = Write::Append(lease.clone(), Box::new(commit.clone()));
            match self.write(write).await? {
                Some(_) => Ok(()),
                // The run is not as its holder knows it. It may have the records already.
                None => self.append_alone(lease, &commit).await,
            }
        })
    }

    fn read<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        Box::pin(async move {
            if check_id(run).is_err() {
                return Ok(None);
            }
            let place = self.0.pool.place();
            let read = |mut session| async move {
                let stored = read(&mut session, run, place).await?;
                Ok((stored, session))
            };
            self.0.pool.repeat(read).await
        })
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, Vec<RunInfo>> {
        Box::pin(self.0.pool.repeat(move |session| async move {
            let infos = list(&session, filter).await?;
            Ok((infos, session))
        }))
    }

    fn send<'a>(&'a self, run: &'a str, mail: &'a Mail) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            if check_id(run).is_err() {
                return Ok(false);
            }
            let (text, channel) = (&mail::to_text(mail)?.into_bytes(), self.0.notices.channel());
            let send = |mut session: Session| async move {
                let sent = session.row(SEND, &[&run, text, &channel]).await?;
                Ok((sent.is_some(), session))
            };
            self.0.pool.once(send).await
        })
    }

    fn mail<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, Vec<ReceivedMail>> {
        Box::pin(async move {
            if check_id(&lease.run).is_err() {
                return Err(StoreError::lease_lost(&lease.run));
            }
            let place = self.0.pool.place();
            let read = |mut session| async move {
                let mail = read_mail(&mut session, lease, place).await?;
                Ok((mail, session))
            };
            self.0.pool.repeat(read).await
        })
    }

    fn watch(&self, run: &str) -> Option<RunWatch> {
        let Shared { notices, pool, .. } = &*self.0;
        Some(notices.watch(run, pool, &self.0.tokio()))
    }

    fn delete<'a>(&'a self, run: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            if check_id(run).is_err() {
                return Ok(false);
            }
            Ok(self.delete_all(&[run.to_owned()]).await? > 0)
        })
    }

    fn conversations(&self) -> Option<Arc<dyn ConversationStore>> {
        Some(Arc::new(PostgresStore(Arc::clone(&self.0.pool))))
    }
}

impl fmt::Debug for PostgresJournal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PostgresJournal")
            .field("database", &self.0.pool.place())
            .finish_non_exhaustive()
    }
}

/// Checks the id of a run.
///
/// # Errors
/// When the database cannot keep it.
pub(super) fn check_id(run: &str) -> Result<(), StoreError> {
    check_key("the id of a run", run)
}

/// Checks a text that is in an index.
fn check_key(what: &str, text: &str) -> Result<(), StoreError> {
    if text.len() > LONGEST_KEY {
        let bytes = text.len();
        return Err(StoreError::invalid(format!(
            "{what} has {bytes} bytes; PostgreSQL keeps at most {LONGEST_KEY}"
        )));
    }
    without_nul(what, text)
}

fn without_nul(what: &str, text: &str) -> Result<(), StoreError> {
    match text.contains('\0') {
        true => Err(StoreError::invalid(format!(
            "{what} has the character NUL, which PostgreSQL does not keep"
        ))),
        false => Ok(()),
    }
}

fn check(commit: &Commit) -> Result<(), StoreError> {
    check_id(&commit.info.run)?;
    check_key(
        "the owner of a run",
        commit.info.owner.as_deref().unwrap_or_default(),
    )?;
    without_nul("the name of an agent", &commit.info.agent)?;
    let bytes: usize = commit
        .records
        .iter()
        .map(|record| record.json().len())
        .sum();
    match bytes > MOST_BYTES {
        true => Err(StoreError::invalid(format!(
            "the records of a step have {bytes} bytes; PostgreSQL takes at most {MOST_BYTES} at a time"
        ))),
        false => Ok(()),
    }
}

fn has_large_texts(record: &Record) -> bool {
    !payload::split(&record.json()).texts.is_empty()
}

/// The entry of a run after a commit, as parameters of a statement.
struct Entry<'c> {
    info: &'c RunInfo,
    state: &'static str,
    started: SystemTime,
    updated: SystemTime,
    conversation: Option<&'c str>,
    records: i64,
    checksum: Vec<u8>,
    is_held: bool,
    holder: i64,
    /// The number of records before the new ones.
    position: i64,
    json: Vec<Vec<u8>>,
    checksums: Vec<Vec<u8>>,
}

impl<'c> Entry<'c> {
    /// Creates the entry. The first `known` records and the large texts are left out.
    fn new(lease: &Lease, commit: &'c Commit, known: usize) -> Self {
        let info = &commit.info;
        let last = commit.records.last().map(|record| *record.checksum());
        let last = last.unwrap_or_else(Record::first_checksum);
        let new = &commit.records[known.min(commit.records.len())..];
        Self {
            info,
            state: info.state.as_str(),
            started: in_milliseconds(info.started),
            updated: in_milliseconds(info.updated),
            conversation: info.conversation.as_ref().map(ConversationName::as_str),
            records: to_bigint(commit.position + commit.records.len() as u64),
            checksum: last.as_bytes().to_vec(),
            is_held: info.state == RunState::Running,
            holder: to_bigint(lease.number),
            position: to_bigint(commit.position + known as u64),
            json: new.iter().map(json_of).collect(),
            checksums: new
                .iter()
                .map(|record| record.checksum().as_bytes().to_vec())
                .collect(),
        }
    }

    /// Returns the parameters of [`INSERT`].
    fn inserted<'p>(&'p self, name: &'p &str, channel: &'p &str) -> Vec<&'p (dyn ToSql + Sync)> {
        let mut parameters = self.changed(name, channel);
        parameters.push(&self.conversation);
        parameters.push(&self.info.owner);
        parameters.push(&self.info.is_exclusive);
        parameters
    }

    /// Returns the parameters of [`UPDATE`], which has the number of the holder.
    fn updated<'p>(&'p self, channel: &'p &str) -> Vec<&'p (dyn ToSql + Sync)> {
        self.changed(&self.holder, channel)
    }

    /// Returns the parameters of [`DELETE_MAIL`].
    fn deleted_mail<'p>(&'p self, last: &'p i64) -> [&'p (dyn ToSql + Sync); 4] {
        [&self.info.run, &self.holder, &self.checksum, last]
    }

    /// Returns the parameters that change with a commit.
    fn changed<'p>(
        &'p self,
        holder: &'p (dyn ToSql + Sync),
        channel: &'p &str,
    ) -> Vec<&'p (dyn ToSql + Sync)> {
        vec![
            &self.info.run,
            &self.info.agent,
            &self.state,
            &self.started,
            &self.updated,
            &self.info.cost,
            &self.records,
            &self.checksum,
            &self.is_held,
            &self.position,
            &self.json,
            &self.checksums,
            holder,
            channel,
        ]
    }
}

fn json_of(record: &Record) -> Vec<u8> {
    let json = record.json();
    payload::split(&json).json.into_owned().into_bytes()
}

/// Writes the entry of a run and adds records, if the lease holds the run and the run has as many records as its holder
/// knows. Returns the number of the run.
const UPDATE: &str = "
WITH held AS (
    UPDATE agent_run SET agent = $2, state = $3, started = $4, updated = $5, cost = $6, records = $7, checksum = $8,
        renewed = CASE WHEN $9 THEN clock_timestamp() END
    WHERE id = $1 AND records = $10 AND holder = $13 RETURNING number
), added AS (
    INSERT INTO agent_record (run, position, json, checksum)
    SELECT held.number, $10 + new.number - 1, json, checksum
    FROM held, unnest($11::bytea[], $12::bytea[]) WITH ORDINALITY AS new (json, checksum, number)
)
SELECT number, pg_notify($14, $1) FROM held";

/// Writes the entry of a new run and adds records, unless the run is there, or is exclusive and its conversation has another
/// exclusive run.
const INSERT: &str = "
WITH held AS (
    INSERT INTO agent_run
        (id, agent, state, started, updated, cost, records, checksum, renewed, holder, token,
        conversation, owner, exclusive)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $9 THEN clock_timestamp() END, 1, $13, $15, $16, $17)
    ON CONFLICT DO NOTHING RETURNING number
), added AS (
    INSERT INTO agent_record (run, position, json, checksum)
    SELECT held.number, $10 + new.number - 1, json, checksum
    FROM held, unnest($11::bytea[], $12::bytea[]) WITH ORDINALITY AS new (json, checksum, number)
)
SELECT number, pg_notify($14, $1) FROM held";

/// Deletes the mail of a run up to a number, if the commit with a checksum is the last one of its holder.
const DELETE_MAIL: &str = "
DELETE FROM agent_mail WHERE number <= $4
    AND run = (SELECT number FROM agent_run WHERE id = $1 AND holder = $2 AND checksum = $3)";

/// Returns the number of the last mail that is deleted with a commit; `None` if no mail is deleted.
fn last_deleted_mail(commit: &Commit) -> Option<i64> {
    match commit.info.state.is_over() {
        true => Some(i64::MAX),
        false => commit.taken.map(to_bigint),
    }
}

/// Leaves mail for a run that is running. The lock of the run's row gives the mail of many senders one order, so that the
/// holder never sees a number before a lower one.
const SEND: &str = "
WITH held AS (
    UPDATE agent_run SET last_mail = last_mail + 1 WHERE id = $1 AND state = 'running' RETURNING number, last_mail
), added AS (
    INSERT INTO agent_mail (run, number, json) SELECT number, last_mail, $2 FROM held
)
SELECT pg_notify($3, $1) FROM held";

const RENEW: &str = "UPDATE agent_run SET renewed = clock_timestamp() WHERE id = $1 AND holder = $2 RETURNING number";

const RELEASE: &str =
    "UPDATE agent_run SET renewed = NULL WHERE id = $1 AND holder = $2 RETURNING number";

/// Whether a commit begins a run. A commit of a deleted run has a position.
fn is_new(lease: &Lease, commit: &Commit) -> bool {
    commit.position == 0 && lease.number == 1
}

/// Acquires the lease of a run that nobody holds. The time is that of the database. A lease in the future is
/// from before the clock was set back, or from a server that was replaced by this one.
const ACQUIRE: &str = "
UPDATE agent_run SET holder = holder + 1, token = $2, renewed = clock_timestamp()
WHERE id = $1 AND (token = $2 OR renewed IS NULL
    OR renewed NOT BETWEEN clock_timestamp() - make_interval(secs => $3)
        AND clock_timestamp() + make_interval(secs => $3))
RETURNING holder";

/// Makes writes in one transaction, without waiting for the answer to one before the next is sent.
async fn write_at_once(
    session: &mut Session,
    journal: &Shared,
    writes: &[&Write],
) -> Result<Vec<Fits>, Failure> {
    let (name, channel) = (journal.name.as_str(), journal.notices.channel());
    let lifetime = Lease::LIFETIME.as_secs_f64();
    let mut prepared = Vec::with_capacity(writes.len());
    for write in writes {
        let sql = match write {
            Write::Acquire { .. } => ACQUIRE,
            Write::Append(lease, commit) if is_new(lease, commit) => INSERT,
            Write::Append(..) => UPDATE,
            Write::Renew(_) => RENEW,
            Write::Release(_) => RELEASE,
        };
        let entry = match write {
            Write::Append(lease, commit) => Some(Entry::new(lease, commit, 0)),
            _ => None,
        };
        let holder = match write {
            Write::Append(lease, _) | Write::Renew(lease) | Write::Release(lease) => {
                to_bigint(lease.number)
            }
            Write::Acquire { .. } => 0,
        };
        let mail = match write {
            Write::Append(_, commit) => last_deleted_mail(commit),
            _ => None,
        };
        let mail = match mail {
            Some(last) => Some((session.prepare(DELETE_MAIL).await?, last)),
            None => None,
        };
        prepared.push((session.prepare(sql).await?, entry, holder, mail));
    }
    let client = session.client();
    let run = |sql: &'static str| -> Sent<'_> {
        Box::pin(async move { client.batch_execute(sql).await.map(|()| None) })
    };
    let mut sent = Vec::with_capacity(writes.len() + 2);
    let is_transaction = writes.len() > 1 || prepared.iter().any(|(.., mail)| mail.is_some());
    if is_transaction {
        // A run that is locked by a process that hangs must not hold up the others until their leases end.
        sent.push(run("BEGIN; SET LOCAL lock_timeout = '2s'"));
    }
    for (write, (statement, entry, holder, mail)) in writes.iter().zip(&prepared) {
        let parameters: Vec<&(dyn ToSql + Sync)> = match (write, entry) {
            (Write::Acquire { run, token }, _) => vec![run, token, &lifetime],
            (Write::Append(lease, commit), Some(entry)) if is_new(lease, commit) => {
                entry.inserted(&name, &channel)
            }
            (_, Some(entry)) => entry.updated(&channel),
            (Write::Append(lease, _) | Write::Renew(lease) | Write::Release(lease), None) => {
                vec![&lease.run, holder]
            }
        };
        sent.push(Box::pin(async move {
            let written = client.query_opt(statement, &parameters);
            let row = match (entry, mail) {
                (Some(entry), Some((statement, last))) => {
                    let parameters = entry.deleted_mail(last);
                    try_join(written, client.execute(statement, &parameters))
                        .await?
                        .0
                }
                _ => written.await?,
            };
            row.map(|row| row.try_get(0)).transpose()
        }));
    }
    if is_transaction {
        sent.push(run("COMMIT"));
    }
    let answers: Result<Vec<Fits>, _> = in_order(sent).await.into_iter().collect();
    let answers = answers?.into_iter().skip(usize::from(is_transaction));
    Ok(answers.take(writes.len()).collect())
}

/// A statement that was sent, and is answered later by the number that it returns.
type Sent<'s> = Pin<Box<dyn Future<Output = Result<Fits, tokio_postgres::Error>> + Send + 's>>;

/// Awaits futures whose first poll sends something, in their order. The functions of `futures_util` that await many futures
/// do not promise an order.
async fn in_order<F: Future + Unpin>(futures: Vec<F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(maybe_done).collect();
    poll_fn(|context| {
        for future in &mut futures {
            let _ = Pin::new(future).poll(context);
        }
        Poll::Ready(())
    })
    .await;
    let mut outputs = Vec::with_capacity(futures.len());
    for mut future in futures {
        (&mut future).await;
        outputs.extend(Pin::new(&mut future).take_output());
    }
    outputs
}

/// Makes an append within a transaction. The inner error is that of an append that does not fit, which
/// changed nothing.
async fn append(
    session: &mut Session,
    journal: &Shared,
    lease: &Lease,
    commit: &Commit,
    turn: Option<&(&ConversationName, Added)>,
) -> Result<Result<(), StoreError>, Failure> {
    let (name, channel) = (journal.name.as_str(), journal.notices.channel());
    let lost = || Ok(Err(StoreError::lease_lost(&lease.run)));
    let sql = "SELECT number, holder, records FROM agent_run WHERE id = $1 FOR UPDATE";
    let found = session.row(sql, &[&lease.run]).await?;
    let known = match &found {
        None if is_new(lease, commit) => 0,
        None => return lost(),
        Some(row) => {
            let (number, holder, count): (i64, i64, i64) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            if holder != to_bigint(lease.number) {
                return lost();
            }
            let sql = "SELECT checksum FROM agent_record WHERE run = $1 AND position = $2";
            let last = session
                .row(sql, &[&number, &count.saturating_sub(1)])
                .await?;
            let last = last.map(|row| row.try_get(0)).transpose()?;
            let known = commit.known(u64::try_from(count).unwrap_or_default(), |_| {
                Ok::<_, StoreError>(last.and_then(digest))
            });
            match known {
                Ok(known) => known,
                Err(error) => return Ok(Err(error)),
            }
        }
    };
    let entry = Entry::new(lease, commit, known);
    if let Some(conversation) = &commit.info.conversation
        && let Some(other) = busy_run(session, &entry).await?
    {
        return Ok(Err(StoreError::busy_conversation(conversation, &other)));
    }
    let row = match found {
        None => {
            session
                .row(INSERT, &entry.inserted(&name, &channel))
                .await?
        }
        Some(_) => session.row(UPDATE, &entry.updated(&channel)).await?,
    };
    // Another attempt may have begun the run meanwhile.
    let number: i64 = row.ok_or(Failure::Overtaken)?.try_get(0)?;
    add_payloads(session, number, commit, known).await?;
    if let Some(last) = last_deleted_mail(commit) {
        session
            .execute(DELETE_MAIL, &entry.deleted_mail(&last))
            .await?;
    }
    if let Some((conversation, added)) = turn {
        conversations::append_run(session, conversation, &lease.run, added).await?;
    }
    Ok(Ok(()))
}

/// Returns the id of another exclusive run of the conversation that is running or waiting, if this run is
/// exclusive and running or waiting, too.
async fn busy_run(session: &mut Session, entry: &Entry<'_>) -> Result<Option<String>, Failure> {
    if !entry.info.is_open_exclusive() {
        return Ok(None);
    }
    let sql = "SELECT id FROM agent_run
               WHERE conversation = $1 AND exclusive AND state IN ('running', 'waiting') AND id <> $2";
    let row = session
        .row(sql, &[&entry.conversation, &entry.info.run])
        .await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// Adds the large texts of the records of a commit, except of the first `known` records.
async fn add_payloads(
    session: &mut Session,
    number: i64,
    commit: &Commit,
    known: usize,
) -> Result<(), Failure> {
    let (mut positions, mut places, mut digests) = (Vec::new(), Vec::new(), Vec::new());
    // The texts, each once, in the order in which they are locked.
    let mut texts = BTreeMap::new();
    for (at, record) in commit.records.iter().enumerate().skip(known) {
        let json = record.json();
        for (place, text) in payload::split(&json).texts {
            let sha256 = Sha256::of(text.as_bytes());
            positions.push(to_bigint(commit.position + at as u64));
            places.push(to_bigint(place as u64));
            digests.push(sha256.as_bytes().to_vec());
            texts.entry(sha256).or_insert_with(|| text.to_owned());
        }
    }
    if texts.is_empty() {
        return Ok(());
    }
    let asked: Vec<&[u8]> = texts.keys().map(|sha256| &sha256.as_bytes()[..]).collect();
    let missing = missing(session, Kept::Payload, &asked).await?;
    for (sha256, text) in &texts {
        let sha256 = &sha256.as_bytes()[..];
        if missing.iter().any(|missing| missing == sha256) {
            let sql =
                "INSERT INTO agent_payload (sha256, text) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            session.execute(sql, &[&sha256, &text.as_bytes()]).await?;
        }
    }
    let sql = "INSERT INTO agent_record_payload (run, position, place, sha256)
               SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bytea[])";
    session
        .execute(sql, &[&number, &positions, &places, &digests])
        .await?;
    Ok(())
}

/// The columns that [`read_info`] reads.
macro_rules! columns {
    () => {
        "id, agent, state, started, updated, cost, conversation, owner, exclusive"
    };
}

/// Reads a run. Everything is read from one snapshot.
async fn read(session: &mut Session, run: &str, place: &str) -> Result<Option<StoredRun>, Failure> {
    let found = concat!(
        "SELECT ",
        columns!(),
        ", records, checksum FROM agent_run WHERE id = $1"
    );
    let found = session.prepare(found).await?;
    let records = "SELECT position, json, checksum FROM agent_record
                   WHERE run = (SELECT number FROM agent_run WHERE id = $1) ORDER BY position";
    let records = session.prepare(records).await?;
    let places = "SELECT position, place, sha256 FROM agent_record_payload
                  WHERE run = (SELECT number FROM agent_run WHERE id = $1) ORDER BY position, place";
    let places = session.prepare(places).await?;
    let texts = "SELECT sha256, text FROM agent_payload WHERE sha256 IN
                 (SELECT sha256 FROM agent_record_payload WHERE run = (SELECT number FROM agent_run WHERE id = $1))";
    let texts = session.prepare(texts).await?;
    session
        .run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .await?;
    let client = session.client();
    let (found, records, places, texts) = try_join4(
        client.query_opt(&found, &[&run]),
        client.query(&records, &[&run]),
        client.query(&places, &[&run]),
        client.query(&texts, &[&run]),
    )
    .await?;
    session.commit().await?;
    let Some(found) = found else {
        return Ok(None);
    };
    let info = read_info(&found)?;
    if info.state == RunState::Damaged {
        return Err(Failure::Store(StoreError::format(format!(
            "the entry of the run `{}` in `{place}` is damaged, so that the run cannot be read; delete it",
            run.escape_debug()
        ))));
    }
    let (count, last): (i64, Vec<u8>) = (found.try_get("records")?, found.try_get("checksum")?);
    let mut shared: HashMap<Vec<u8>, Arc<str>> = HashMap::new();
    for row in texts {
        shared.insert(row.try_get(0)?, text_of(row.try_get(1)?).into());
    }
    let mut places = places.into_iter().peekable();
    let mut read = Vec::with_capacity(records.len());
    for row in records {
        let position: i64 = row.try_get(0)?;
        let mut parts = Vec::new();
        let is_of_record = |row: &Row| row.try_get(0).is_ok_and(|of: i64| of == position);
        while let Some(row) = places.next_if(is_of_record) {
            let (place, sha256): (i64, Vec<u8>) = (row.try_get(1)?, row.try_get(2)?);
            let place = usize::try_from(place).unwrap_or(usize::MAX);
            // The checksum of the record detects a missing text.
            let text = shared.get(&sha256).cloned();
            parts.push((place, text.unwrap_or_else(|| Arc::from(""))));
        }
        let checksum = digest(row.try_get(2)?).unwrap_or_else(Record::first_checksum);
        read.push(Record::stored_in_parts(
            text_of(row.try_get(1)?),
            parts,
            checksum,
        ));
    }
    let last = digest(last).unwrap_or_else(|| Sha256::of(b"damaged"));
    let count = u64::try_from(count).unwrap_or_default();
    Ok(Some(StoredRun::new(info, read, count, last)))
}

/// Returns a text that was kept as bytes. The checksum of the record detects changed bytes.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn digest(bytes: Vec<u8>) -> Option<Sha256> {
    bytes.try_into().ok().map(Sha256::from_bytes)
}

/// Returns the mail of a run that was not taken yet.
async fn read_mail(
    session: &mut Session,
    lease: &Lease,
    place: &str,
) -> Result<Vec<ReceivedMail>, Failure> {
    let sql = "SELECT mail.number, mail.json FROM agent_run LEFT JOIN agent_mail mail ON mail.run = agent_run.number
               WHERE id = $1 AND holder = $2 ORDER BY mail.number";
    let holder = to_bigint(lease.number);
    let rows = session.rows(sql, &[&lease.run, &holder]).await?;
    if rows.is_empty() {
        return Err(Failure::Store(StoreError::lease_lost(&lease.run)));
    }
    let mut received = Vec::new();
    for row in rows {
        // A run without mail has one row without a number.
        if let Some(number) = row.try_get::<_, Option<i64>>(0)? {
            let number = u64::try_from(number).unwrap_or_default();
            let text = text_of(row.try_get(1)?);
            received.push(mail::from_text(number, &text, &lease.run, place)?);
        }
    }
    Ok(received)
}

async fn list(session: &Session, filter: &RunFilter) -> Result<Vec<RunInfo>, Failure> {
    // The database cannot store an owner with a NUL, and accepts no parameter with a NUL.
    if filter
        .owner
        .as_ref()
        .is_some_and(|owner| owner.contains('\0'))
    {
        return Ok(Vec::new());
    }
    let conversation = filter.conversation.as_ref().map(ConversationName::as_str);
    let updated_since = filter.updated_since.map(in_milliseconds);
    // An entry may be damaged whatever its state.
    let states = Some(&filter.states)
        .filter(|states| !states.is_empty() && !states.contains(&RunState::Damaged));
    let states: Option<Vec<&str>> =
        states.map(|states| states.iter().map(|state| state.as_str()).collect());
    let mut sql = concat!("SELECT ", columns!(), " FROM agent_run WHERE true").to_owned();
    let mut parameters: Vec<TypedParameter<'_>> = Vec::new();
    let mut add = |condition: &str, parameter, kind| {
        parameters.push((parameter, kind));
        sql.push_str(&format!(" AND {condition}").replace('?', &format!("${}", parameters.len())));
    };
    if let Some(owner) = &filter.owner {
        add("owner = ?", owner, Type::TEXT);
    }
    if let Some(conversation) = &conversation {
        add("conversation = ?", conversation, Type::TEXT);
    }
    if let Some(time) = &updated_since {
        add("updated >= ?", time, Type::TIMESTAMPTZ);
    }
    if let Some(states) = &states {
        add("state = ANY (?)", states, Type::TEXT_ARRAY);
    }
    sql.push_str(" ORDER BY started, id");
    let rows = session.rows_once(&sql, &parameters).await?;
    let infos: Result<Vec<RunInfo>, _> = rows.iter().map(read_info).collect();
    let mut infos = infos?;
    infos.retain(|info| filter.selects(info));
    Ok(infos)
}

/// Reads the entry of a run. It is damaged if its state is unknown, or its conversation has no valid name.
fn read_info(row: &Row) -> Result<RunInfo, Failure> {
    let mut info = RunInfo::new(row.try_get::<_, String>(0)?, row.try_get::<_, String>(1)?);
    let (state, conversation): (&str, Option<String>) = (row.try_get(2)?, row.try_get(6)?);
    let known = RunState::ALL
        .into_iter()
        .find(|known| known.as_str() == state);
    let conversation = conversation.map(|name| name.parse()).transpose();
    (info.started, info.updated, info.cost) = (row.try_get(3)?, row.try_get(4)?, row.try_get(5)?);
    match (known, conversation) {
        (Some(state), Ok(conversation)) => {
            info.state = state;
            info.conversation = conversation;
            (info.owner, info.is_exclusive) = (row.try_get(7)?, row.try_get(8)?);
        }
        _ => info.state = RunState::Damaged,
    }
    Ok(info)
}

/// Deletes runs, and the large texts that no record has any more. Returns the number of runs that were there.
async fn delete(session: &mut Session, channel: &str, runs: &[String]) -> Result<usize, Failure> {
    let sql = "DELETE FROM agent_run WHERE id = ANY ($1) RETURNING number, pg_notify($2, id)";
    let rows = session.rows(sql, &[&runs, &channel]).await?;
    let numbers = rows.iter().map(|row| row.try_get(0));
    let numbers: Vec<i64> = numbers.collect::<Result<_, _>>()?;
    if numbers.is_empty() {
        return Ok(0);
    }
    for sql in [
        "DELETE FROM agent_record WHERE run = ANY ($1)",
        "DELETE FROM agent_mail WHERE run = ANY ($1)",
    ] {
        session.execute(sql, &[&numbers]).await?;
    }
    let sql = "DELETE FROM agent_record_payload WHERE run = ANY ($1) RETURNING sha256";
    let rows = session.rows(sql, &[&numbers]).await?;
    let digests = rows.iter().map(|row| row.try_get(0));
    let digests: Vec<Vec<u8>> = digests.collect::<Result<_, _>>()?;
    if !digests.is_empty() {
        let sql = "DELETE FROM agent_payload WHERE sha256 = ANY ($1) AND NOT EXISTS
                   (SELECT 1 FROM agent_record_payload used WHERE used.sha256 = agent_payload.sha256)";
        session.execute(sql, &[&digests]).await?;
    }
    Ok(numbers.len())
}

/// Returns the ended runs that [`PostgresJournal::delete_ended`] deletes.
async fn superfluous(
    session: &mut Session,
    before: SystemTime,
    max_bytes: u64,
) -> Result<Vec<String>, Failure> {
    let sql = "SELECT id, updated FROM agent_run WHERE state IN ('done', 'failed', 'cancelled') ORDER BY updated, id";
    let (mut ended, mut old) = (Vec::new(), 0);
    for row in session.rows(sql, &[]).await? {
        ended.push(row.try_get(0)?);
        old += usize::from(row.try_get::<_, SystemTime>(1)? < before);
    }
    let sql = "SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0)::bigint
               FROM unnest(ARRAY['agent_run', 'agent_record', 'agent_payload', 'agent_record_payload']) AS ours (name)";
    let row = session.row(sql, &[]).await?;
    let used: i64 = row
        .map(|row| row.try_get(0))
        .transpose()?
        .unwrap_or_default();
    if u64::try_from(used).unwrap_or_default() <= max_bytes {
        ended.truncate(old);
        return Ok(ended);
    }
    // The tables have free space, too, so that only the sizes of the runs count.
    let sql = "SELECT id, sum(bytes) FROM (
                   SELECT run, pg_column_size(json) AS bytes FROM agent_record
                   UNION ALL
                   SELECT run, pg_column_size(text) FROM agent_record_payload JOIN agent_payload USING (sha256)
               ) AS sizes JOIN agent_run ON run = number GROUP BY id";
    let mut sizes: HashMap<String, u64> = HashMap::new();
    for row in session.rows(sql, &[]).await? {
        let bytes: i64 = row.try_get(1)?;
        sizes.insert(row.try_get(0)?, u64::try_from(bytes).unwrap_or_default());
    }
    let sum = sizes.values().sum();
    let of_ended = ended
        .iter()
        .map(|run| sizes.get(run).copied().unwrap_or_default());
    let count = crate::superfluous::count(of_ended, sum, old, max_bytes);
    ended.truncate(count);
    Ok(ended)
}

fn to_bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Journals keep times in milliseconds.
fn in_milliseconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = u64::try_from(since.as_millis()).unwrap_or_default();
    UNIX_EPOCH + Duration::from_millis(millis)
}
