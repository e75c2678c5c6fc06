//! Journals of runs in a file, by SQLite.

use super::database::{Access, Database};
use super::file::RECORDS_OF_RUN;
use super::holder::{Holder, is_alive};
use super::{SqliteStore, conversations, run_blocking};
use crate::queue::{Queue, Waiting};
use crate::{mail, payload};
use agent_core::conversation::{ConversationStore, Sha256, StoreError, StoreFuture};
use agent_core::journal::{
    Commit, Journal, Lease, Mail, ReceivedMail, Record, RunFilter, RunInfo, RunState, StoredRun,
};
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Keeps the records of runs in a file, which other threads and programs may use at the same time. Clones share one
/// connection to the file. It may be the file of a [`SqliteStore`](crate::SqliteStore), too.
///
/// The file is as that of a [`SqliteStore`](crate::SqliteStore): only its owner can read it, it must be on a local
/// disk, and data is durable when a future completes. Appends that are made at the same time share one commit.
///
/// A run is held by the process that drives it. If that process dies, the run can be acquired at once, because the
/// system frees its lock on a file beside the store (`….db-holder-…`). If it lives and does not renew its lease for
/// [`Lease::LIFETIME`], as a stopped process does, the run can be acquired, too, and the process can write no more. The
/// age of a lease is measured by the system's clock: a clock that jumps forward ends leases early, which costs a
/// process its run and never gives a run two holders.
///
/// ```
/// # use agent_runtime::{Runtime, ToolLibrary, agent};
/// use agent_store::SqliteJournal;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("agent-journal-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("runs.db");
/// # let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
/// # let library = ToolLibrary::new();
/// let journal = SqliteJournal::open(&path).await?;
/// let runtime = Runtime::builder().journal(journal).build()?;
/// // When the program starts: continue what an earlier process left.
/// runtime.recover(&library).await?;
/// // Then as ever.
/// runtime.run(&agent, "Where am I?").await?;
/// # drop(runtime);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SqliteJournal(Arc<Shared>);

struct Shared {
    database: Arc<Database>,
    /// The absolute path of the file, because another working directory later must not change which file is meant.
    path: PathBuf,
    /// The holder of runs; `None` if the file is open for reading alone.
    holder: Option<Holder>,
    queue: Queue<Write>,
    /// The leases that were released and that the file still has, because it could not be written then. The next write
    /// releases them.
    unreleased: Mutex<Vec<Lease>>,
}

/// The number of runs that are deleted in one commit.
const RUNS_AT_ONCE: usize = 500;

/// A write that shares its commit with others.
enum Write {
    Append(Lease, Box<Commit>),
    Renew(Lease),
    Release(Lease),
}

impl SqliteJournal {
    /// Opens the journal in a file. A missing file is created; its folder must exist.
    ///
    /// # Errors
    /// When the file cannot be opened or written. A [format](StoreError::is_format) error when the file holds something
    /// else, or a newer version of this crate created it.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let opened = run_blocking(move || {
            let database = Database::open(&path)?;
            let mut shared = Shared::new(database, path);
            shared.holder = Some(Holder::new(&shared.path)?);
            Ok(shared)
        });
        Ok(Self(Arc::new(opened.await?)))
    }

    /// Opens a journal to list and read its runs, which needs no right to write into the file or its folder.
    /// Operations that write into the journal fail.
    ///
    /// # Errors
    /// When the file is missing or cannot be read. When the folder cannot be written while another program
    /// has the journal open. A [format](StoreError::is_format) error when the file holds something else, or
    /// another version of this crate created it.
    pub async fn open_read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let opened = run_blocking(move || {
            let database = Database::open_read_only(&path)?;
            Ok(Shared::new(database, path))
        });
        Ok(Self(Arc::new(opened.await?)))
    }

    /// Deletes the runs that ended before a time. If the runs take more than `max_bytes` after that, it deletes those that
    /// ended first, too, until they take less. Runs that have not ended stay. Returns the number of deleted runs.
    ///
    /// The file keeps its size, and later runs reuse the space.
    ///
    /// # Errors
    /// When the journal cannot be read or written. The runs that were deleted until then stay deleted.
    pub async fn delete_ended(
        &self,
        before: SystemTime,
        max_bytes: u64,
    ) -> Result<usize, StoreError> {
        let found =
            self.read(move |statements| statements.superfluous(milliseconds(before), max_bytes));
        let (runs, mut count) = (found.await?, 0);
        // In several commits, so that the write-ahead log stays short and other programs can write in between.
        for runs in runs.chunks(RUNS_AT_ONCE) {
            count += self.delete_all(runs.to_vec()).await?;
        }
        Ok(count)
    }

    async fn delete_all(&self, runs: Vec<String>) -> Result<usize, StoreError> {
        let count = self
            .change(move |statements| statements.delete(&runs))
            .await?;
        let database = Arc::clone(&self.0.database);
        run_blocking(move || database.empty_log()).await?;
        Ok(count)
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    fn read<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Statements<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let shared = Arc::clone(&self.0);
        Box::pin(run_blocking(move || {
            let access = |access: &Access<'_>| work(&Statements::new(access, &shared));
            shared.database.read(access)
        }))
    }

    fn change<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Statements<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let shared = Arc::clone(&self.0);
        Box::pin(run_blocking(move || {
            let access = |access: &Access<'_>| work(&Statements::new(access, &shared));
            shared.database.write(access)
        }))
    }

    /// Queues a write. The first waiting write starts a thread, which commits all waiting writes together.
    async fn write(&self, write: Write) -> Result<(), StoreError> {
        let (answer, must_start) = self.0.queue.push(write);
        if must_start {
            let shared = Arc::clone(&self.0);
            tokio::task::spawn_blocking(move || shared.write_all());
        }
        answer.wait().await
    }
}

impl Shared {
    fn new(database: Database, path: PathBuf) -> Self {
        Self {
            database: Arc::new(database),
            path: std::path::absolute(&path).unwrap_or(path),
            holder: None,
            queue: Queue::new(),
            unreleased: Mutex::default(),
        }
    }

    /// Returns the name of the holder; `None` if the file is open for reading alone.
    fn holder(&self) -> Option<&str> {
        self.holder.as_ref().map(Holder::name)
    }

    /// Writes until no write waits.
    fn write_all(self: Arc<Self>) {
        let mut next = self.queue.take();
        while let Some(waiting) = next {
            let mut written = Vec::with_capacity(waiting.len());
            self.write_together(waiting, &mut written);
            next = self.queue.take();
            if next.is_none() {
                // The reference to the file is dropped before the answers are given, so that a program that
                // ends after them closes the file itself. Otherwise the system would stop this thread while
                // it closes the file.
                drop(self);
                return answer(written);
            }
            answer(written);
        }
    }

    /// Makes writes in one commit. A write that does not fit changes nothing, and leaves the others alone.
    fn write_together(&self, mut waiting: Vec<Waiting<Write>>, written: &mut Vec<Written>) {
        let mut results = Vec::with_capacity(waiting.len());
        let unreleased = self.unreleased().clone();
        let committed = self.database.write(|access| {
            let statements = Statements::new(access, self);
            for lease in &unreleased {
                // Another holder may have the run now.
                let _ = statements.make(&Write::Release(lease.clone()))?;
            }
            for Waiting { write, .. } in &waiting {
                results.push(statements.make(write)?);
            }
            Ok(())
        });
        match (committed, waiting.len()) {
            (Ok(()), _) => {
                self.unreleased()
                    .retain(|lease| !unreleased.contains(lease));
                written.extend(waiting.into_iter().zip(results));
            }
            (Err(error), 1) => {
                if let Some(waiting) = waiting.pop() {
                    if let Write::Release(lease) = &waiting.write {
                        self.unreleased().push(lease.clone());
                    }
                    written.push((waiting, Err(error)));
                }
            }
            // The failure may be that of one write, such as one that is too large.
            (Err(_), _) => {
                for waiting in waiting {
                    self.write_together(vec![waiting], written);
                }
            }
        }
    }

    fn unreleased(&self) -> MutexGuard<'_, Vec<Lease>> {
        let unreleased = self.unreleased.lock();
        unreleased.unwrap_or_else(PoisonError::into_inner)
    }
}

/// A write that was made, and its result.
type Written = (Waiting<Write>, Result<(), StoreError>);

fn answer(written: Vec<Written>) {
    for (waiting, result) in written {
        waiting.answer.give(result);
    }
}

impl Journal for SqliteJournal {
    fn begin(&self, run: &str) -> Lease {
        Lease::new(run, 1)
    }

    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>> {
        let run = run.to_owned();
        self.change(move |statements| statements.acquire(&run))
    }

    fn renew<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, ()> {
        Box::pin(self.write(Write::Renew(lease.clone())))
    }

    fn release(&self, lease: &Lease) {
        let (_, must_start) = self.0.queue.push(Write::Release(lease.clone()));
        if must_start {
            let shared = Arc::clone(&self.0);
            match tokio::runtime::Handle::try_current() {
                Ok(tokio) => drop(tokio.spawn_blocking(move || shared.write_all())),
                Err(_) => shared.write_all(),
            }
        }
    }

    fn append<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, ()> {
        Box::pin(self.write(Write::Append(lease.clone(), Box::new(commit))))
    }

    fn read<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        let run = run.to_owned();
        self.read(move |statements| statements.read(&run))
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, Vec<RunInfo>> {
        let filter = filter.clone();
        self.read(move |statements| statements.list(&filter))
    }

    fn send<'a>(&'a self, run: &'a str, mail: &'a Mail) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let (run, text) = (run.to_owned(), mail::to_text(mail)?);
            self.change(move |statements| statements.send(&run, &text))
                .await
        })
    }

    fn mail<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, Vec<ReceivedMail>> {
        let lease = lease.clone();
        self.read(move |statements| statements.mail(&lease))
    }

    fn delete<'a>(&'a self, run: &'a str) -> StoreFuture<'a, bool> {
        let run = run.to_owned();
        Box::pin(async move { Ok(self.delete_all(vec![run]).await? > 0) })
    }

    fn conversations(&self) -> Option<Arc<dyn ConversationStore>> {
        Some(Arc::new(SqliteStore(Arc::clone(&self.0.database))))
    }
}

impl fmt::Debug for SqliteJournal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SqliteJournal")
            .field("path", &self.0.path)
            .finish_non_exhaustive()
    }
}

/// A transaction on the file.
struct Statements<'a> {
    access: &'a Access<'a>,
    shared: &'a Shared,
}

impl<'a> Statements<'a> {
    fn new(access: &'a Access<'a>, shared: &'a Shared) -> Self {
        Self { access, shared }
    }

    /// Makes a write. The outer error ends the transaction; the inner one is that of a write that does not fit, which
    /// changed nothing.
    fn make(&self, write: &Write) -> Result<Result<(), StoreError>, StoreError> {
        match write {
            Write::Append(lease, commit) => self.append(lease, commit),
            Write::Renew(lease) => self.update_held(
                "UPDATE run SET renewed = ?3 WHERE id = ?1 AND holder = ?2",
                lease,
                now(),
            ),
            Write::Release(lease) => self.update_held(
                "UPDATE run SET process = NULL, renewed = ?3 WHERE id = ?1 AND holder = ?2",
                lease,
                now(),
            ),
        }
    }

    fn update_held(
        &self,
        sql: &str,
        lease: &Lease,
        now: i64,
    ) -> Result<Result<(), StoreError>, StoreError> {
        let changed = self
            .access
            .execute(sql, (&lease.run, holder_number(lease), now))?;
        Ok(match changed {
            0 => Err(StoreError::lease_lost(&lease.run)),
            _ => Ok(()),
        })
    }

    fn append(&self, lease: &Lease, commit: &Commit) -> Result<Result<(), StoreError>, StoreError> {
        let busy = self.busy_run(&commit.info)?;
        // In most cases the run has as many records as its holder knows.
        if commit.position > 0
            && busy.is_none()
            && let Some(number) = self.update(lease, commit, commit.position)?
        {
            self.add_records(number, commit, 0)?;
            return Ok(Ok(()));
        }
        let lost = || Ok(Err(StoreError::lease_lost(&lease.run)));
        let sql = "SELECT number, holder, records FROM run WHERE id = ?";
        let read = |row: &Row<'_>| {
            let number: i64 = row.get(0)?;
            Ok((Some(number), row.get::<_, i64>(1)?, row.get::<_, u64>(2)?))
        };
        let (number, holder, count) = match self.access.find_row(sql, [&lease.run], read)? {
            Some(found) => found,
            // Without an entry, a first commit begins a run, and any other commit is of a deleted run, which
            // had records.
            None if commit.position == 0 && lease.number == 1 => (None, 1, 0),
            None => return lost(),
        };
        if holder != holder_number(lease) {
            return lost();
        }
        let known = commit.known(count, |position| {
            let sql = "SELECT checksum FROM record WHERE number = ?";
            let read = |row: &Row<'_>| row.get::<_, [u8; 32]>(0);
            let number = number_of(number.unwrap_or_default(), position)?;
            let checksum = self.access.find_row(sql, [number], read)?;
            Ok::<_, StoreError>(checksum.map(Sha256::from_bytes))
        });
        let known = match known {
            Ok(known) => known,
            Err(error) if error.is_lease_lost() => return Ok(Err(error)),
            Err(error) => return Err(error),
        };
        if let (Some(name), Some(other)) = (&commit.info.conversation, busy) {
            return Ok(Err(StoreError::busy_conversation(name, &other)));
        }
        let number = match number {
            Some(_) => self.update(lease, commit, count)?,
            None => Some(self.insert(commit)?),
        };
        let Some(number) = number else {
            return lost();
        };
        self.add_records(number, commit, known)?;
        Ok(Ok(()))
    }

    /// Returns the id of another exclusive run of the conversation that is running or waiting, if this run is
    /// exclusive and running or waiting, too. The index `run_by_exclusive_conversation` finds it.
    fn busy_run(&self, info: &RunInfo) -> Result<Option<String>, StoreError> {
        let name = info.conversation.as_ref();
        let Some(name) = name.filter(|_| info.is_open_exclusive()) else {
            return Ok(None);
        };
        let sql = "SELECT id FROM run
                   WHERE conversation = ? AND exclusive = 1 AND state IN ('running', 'waiting') AND id <> ?";
        let params = (name.as_str(), &info.run);
        self.access.find_row(sql, params, |row| row.get(0))
    }

    /// Leaves mail for the holder of a run. Returns `false` if the run is not running.
    fn send(&self, run: &str, text: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE run SET last_mail = last_mail + 1 WHERE id = ? AND state = 'running'
                   RETURNING number, last_mail";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let Some((number, last)) = self.access.find_row::<(i64, i64)>(sql, [run], read)? else {
            return Ok(false);
        };
        let sql = "INSERT INTO mail (run, number, json) VALUES (?, ?, ?)";
        self.access.execute(sql, (number, last, text))?;
        Ok(true)
    }

    /// Returns the mail of a run that was not taken yet.
    fn mail(&self, lease: &Lease) -> Result<Vec<ReceivedMail>, StoreError> {
        let sql = "SELECT number FROM run WHERE id = ? AND holder = ?";
        let params = (&lease.run, holder_number(lease));
        let number: Option<i64> = self.access.find_row(sql, params, |row| row.get(0))?;
        let number = number.ok_or_else(|| StoreError::lease_lost(&lease.run))?;
        let sql = "SELECT number, json FROM mail WHERE run = ? ORDER BY number";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let texts: Vec<(u64, String)> = self.access.rows(sql, [number], read)?;
        let place = self.access.path().display().to_string();
        let texts = texts.iter();
        texts
            .map(|(number, text)| mail::from_text(*number, text, &lease.run, &place))
            .collect()
    }

    /// Adds the records of a commit except the first `known` ones, and the messages of the run, and deletes
    /// the mail that was taken, or all mail of a run that is over.
    fn add_records(&self, number: i64, commit: &Commit, known: usize) -> Result<(), StoreError> {
        let records = commit.records.iter().enumerate().skip(known);
        for (at, record) in records {
            self.add(number_of(number, commit.position + at as u64)?, record)?;
        }
        if let Some(turn) = &commit.turn {
            let conversations = conversations::Statements(self.access);
            conversations.add_run(&turn.conversation, &commit.info.run, &turn.messages)?;
        }
        let taken = match commit.info.state.is_over() {
            true => Some(u64::MAX),
            false => commit.taken,
        };
        if let Some(taken) = taken {
            let sql = "DELETE FROM mail WHERE run = ? AND number <= ?";
            self.access.execute(sql, (number, to_value(taken)))?;
        }
        Ok(())
    }

    /// Adds a record, and its large texts unless they are there already.
    fn add(&self, number: i64, record: &Record) -> Result<(), StoreError> {
        let json = record.json();
        let split = payload::split(&json);
        let sql = "INSERT INTO record (number, json, checksum) VALUES (?, ?, ?)";
        let params = (number, &*split.json, record.checksum().as_bytes());
        self.access.execute(sql, params)?;
        for (place, text) in split.texts {
            let sha256 = Sha256::of(text.as_bytes());
            let sql = "INSERT INTO payload (sha256, text) VALUES (?, ?) ON CONFLICT DO NOTHING";
            self.access.execute(sql, (sha256.as_bytes(), text))?;
            let sql = "INSERT INTO record_payload (record, place, sha256) VALUES (?, ?, ?)";
            let params = (number, place as u64, sha256.as_bytes());
            self.access.execute(sql, params)?;
        }
        Ok(())
    }

    /// Deletes runs, and the large texts that no record has any more. Returns the number of runs that were there.
    fn delete(&self, runs: &[String]) -> Result<usize, StoreError> {
        let mut deleted = 0;
        for run in runs {
            let sql = "DELETE FROM run WHERE id = ? RETURNING number";
            let number: Option<i64> = self.access.find_row(sql, [run], |row| row.get(0))?;
            if let Some(number) = number {
                let sql = "DELETE FROM record WHERE number BETWEEN ? AND ?";
                let range = (number_of(number, 0)?, last_of(number)?);
                self.access.execute(sql, range)?;
                deleted += 1;
            }
        }
        let sql = "DELETE FROM payload WHERE NOT EXISTS
                   (SELECT 1 FROM record_payload AS used WHERE used.sha256 = payload.sha256)";
        self.access.execute(sql, ())?;
        Ok(deleted)
    }

    /// Writes the entry of a new run, and returns its number.
    fn insert(&self, commit: &Commit) -> Result<i64, StoreError> {
        let sql = "INSERT INTO run (id, agent, state, started, updated, cost, records, checksum, process, renewed,
             holder, conversation, owner, exclusive)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, ?11, ?12, ?13) RETURNING number";
        let (info, mut params) = (&commit.info, self.entry(commit));
        let conversation = info.conversation.as_ref().map(ToString::to_string);
        params.extend([
            conversation.into(),
            info.owner.clone().into(),
            info.is_exclusive.into(),
        ]);
        self.access
            .row(sql, params_from_iter(params), |row| row.get(0))
    }

    /// Writes the entry of a run, and returns its number. `None` if another holder has it, or if it has another number of
    /// records than `count`.
    fn update(
        &self,
        lease: &Lease,
        commit: &Commit,
        count: u64,
    ) -> Result<Option<i64>, StoreError> {
        let sql = "UPDATE run SET agent = ?2, state = ?3, started = ?4, updated = ?5, cost = ?6, records = ?7,
             checksum = ?8, process = ?9, renewed = ?10
             WHERE id = ?1 AND holder = ?11 AND records = ?12 RETURNING number";
        let mut params = self.entry(commit);
        params.extend([holder_number(lease).into(), to_value(count)]);
        self.access
            .find_row(sql, params_from_iter(params), |row| row.get(0))
    }

    /// Returns the columns of the entry of a run that change with a commit.
    fn entry(&self, commit: &Commit) -> Vec<Value> {
        let info = &commit.info;
        let last = commit.records.last().map(|record| *record.checksum());
        let last = last.unwrap_or_else(Record::first_checksum);
        let holder = self.shared.holder();
        let holder = holder.filter(|_| info.state == RunState::Running);
        vec![
            info.run.clone().into(),
            info.agent.clone().into(),
            info.state.as_str().to_owned().into(),
            milliseconds(info.started).into(),
            milliseconds(info.updated).into(),
            info.cost.into(),
            to_value(commit.position + commit.records.len() as u64),
            last.as_bytes().to_vec().into(),
            holder.map(str::to_owned).into(),
            now().into(),
        ]
    }

    fn acquire(&self, run: &str) -> Result<Option<Lease>, StoreError> {
        let sql = "SELECT holder, process, renewed FROM run WHERE id = ?";
        let read = |row: &Row<'_>| {
            // A name that cannot be read is no holder's.
            let process: Option<String> = row.get(1).unwrap_or_default();
            Ok((row.get::<_, i64>(0)?, process, row.get::<_, i64>(2)?))
        };
        let Some((holder, process, renewed)) = self.access.find_row(sql, [run], read)? else {
            return Ok(None);
        };
        let is_held = process.is_some_and(|process| {
            // A lease in the future is from before the clock was set back.
            let age = now().saturating_sub(renewed);
            let lifetime = i64::try_from(Lease::LIFETIME.as_millis()).unwrap_or(i64::MAX);
            let is_fresh = (0..lifetime).contains(&age);
            is_fresh && is_alive(&self.shared.path, &process)
        });
        let is_released = |lease: &Lease| lease.run == run && holder_number(lease) == holder;
        if is_held && !self.shared.unreleased().iter().any(is_released) {
            return Ok(None);
        }
        let next = holder.saturating_add(1);
        let sql = "UPDATE run SET holder = ?2, process = ?3, renewed = ?4 WHERE id = ?1";
        self.access
            .execute(sql, (run, next, self.shared.holder(), now()))?;
        Ok(Some(Lease::new(
            run,
            u64::try_from(next).unwrap_or_default(),
        )))
    }

    fn read(&self, run: &str) -> Result<Option<StoredRun>, StoreError> {
        let sql = format!("SELECT {COLUMNS}, records, checksum, number FROM run WHERE id = ?");
        let read = |row: &Row<'_>| {
            let info = read_info(row).ok().flatten();
            let (count, last) = (row.get("records")?, row.get("checksum")?);
            Ok((info, count, last, row.get("number")?))
        };
        let Some((info, count, last, number)) = self.access.find_row(&sql, [run], read)? else {
            return Ok(None);
        };
        let info = info.ok_or_else(|| {
            let (run, path) = (run.escape_debug(), self.access.path().display());
            StoreError::format(format!(
                "the entry of the run `{run}` in `{path}` is damaged, so that the run cannot be read; delete it"
            ))
        })?;
        Ok(Some(StoredRun::new(
            info,
            self.records(number)?,
            count,
            Sha256::from_bytes(last),
        )))
    }

    /// Reads the records of a run, with their large texts.
    fn records(&self, run: i64) -> Result<Vec<Record>, StoreError> {
        let range = (number_of(run, 0)?, last_of(run)?);
        let sql = "SELECT number, json, checksum FROM record WHERE number BETWEEN ? AND ? ORDER BY number";
        let read = |row: &Row<'_>| {
            let json: String = row.get(1)?;
            let checksum = Sha256::from_bytes(row.get(2)?);
            Ok((row.get::<_, i64>(0)?, json, checksum))
        };
        let records = self.access.rows(sql, range, read)?;
        let sql = "SELECT record, place, sha256 FROM record_payload WHERE record BETWEEN ? AND ?
                   ORDER BY record, place";
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, u64>(1)?, row.get(2)?));
        let places: Vec<(i64, u64, [u8; 32])> = self.access.rows(sql, range, read)?;
        let mut texts: HashMap<[u8; 32], Arc<str>> = HashMap::new();
        for (.., sha256) in &places {
            if !texts.contains_key(sha256) {
                let sql = "SELECT text FROM payload WHERE sha256 = ?";
                let text = self.access.find_row(sql, [sha256], |row| row.get(0))?;
                // The checksum of the record detects a missing text.
                texts.insert(*sha256, text.unwrap_or_else(|| Arc::from("")));
            }
        }
        let mut places = places.iter().peekable();
        let records = records.into_iter().map(|(number, json, checksum)| {
            let mut parts = Vec::new();
            while let Some((_, place, sha256)) = places.next_if(|(record, ..)| *record == number) {
                let place = usize::try_from(*place).unwrap_or(usize::MAX);
                parts.push((place, Arc::clone(&texts[sha256])));
            }
            Record::stored_in_parts(json, parts, checksum)
        });
        Ok(records.collect())
    }

    fn list(&self, filter: &RunFilter) -> Result<Vec<RunInfo>, StoreError> {
        let mut sql = format!("SELECT {COLUMNS} FROM run WHERE true");
        let mut params: Vec<Value> = Vec::new();
        if let Some(owner) = &filter.owner {
            sql.push_str(" AND owner = ?");
            params.push(owner.clone().into());
        }
        if let Some(name) = &filter.conversation {
            sql.push_str(" AND conversation = ?");
            params.push(name.to_string().into());
        }
        if let Some(time) = filter.updated_since {
            sql.push_str(" AND updated >= ?");
            params.push(milliseconds(time).into());
        }
        // An entry may be damaged whatever its state.
        if !filter.states.is_empty() && !filter.states.contains(&RunState::Damaged) {
            let states = filter.states.iter();
            let states: Vec<String> = states.map(|state| format!("'{state}'")).collect();
            sql.push_str(&format!(" AND state IN ({})", states.join(", ")));
        }
        sql.push_str(" ORDER BY started, id");
        let mut infos = self.access.rows(&sql, params_from_iter(params), |row| {
            let info = read_info(row).ok().flatten();
            info.map_or_else(|| damaged_info(row), Ok)
        })?;
        infos.retain(|info| filter.selects(info));
        Ok(infos)
    }

    /// Returns the ended runs that [`SqliteJournal::delete_ended`] deletes.
    fn superfluous(&self, before: i64, max_bytes: u64) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT id, updated FROM run WHERE state IN ('done', 'failed', 'cancelled')";
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, String>(0).ok()));
        let mut ended = self.access.rows(sql, [], read)?;
        ended.sort();
        let old = ended.partition_point(|(updated, _)| *updated < before);
        let ids = |ended: &[(i64, Option<String>)]| -> Vec<String> {
            ended.iter().filter_map(|(_, run)| run.clone()).collect()
        };
        let sql = "SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count),
                   (SELECT page_size FROM pragma_page_size)";
        let read = |row: &Row<'_>| Ok(row.get::<_, u64>(0)?.saturating_mul(row.get(1)?));
        let used = self.access.find_row(sql, [], read)?.unwrap_or_default();
        if used <= max_bytes {
            return Ok(ids(&ended[..old]));
        }
        // The file may have conversations, too, so that only the sizes of the runs count.
        let sql = format!(
            "SELECT id, sum(bytes) FROM (
                 SELECT number / {RECORDS_OF_RUN} AS run, octet_length(json) AS bytes FROM record
                 UNION ALL
                 SELECT record / {RECORDS_OF_RUN}, octet_length(text) FROM record_payload JOIN payload USING (sha256)
             ) JOIN run ON run = number GROUP BY run"
        );
        let read = |row: &Row<'_>| Ok((row.get::<_, String>(0).ok(), row.get::<_, u64>(1)?));
        let sizes: HashMap<Option<String>, u64> =
            self.access.rows(&sql, [], read)?.into_iter().collect();
        let sum = sizes.values().sum();
        let of_ended = ended.iter();
        let of_ended = of_ended.map(|(_, run)| sizes.get(run).copied().unwrap_or_default());
        let count = crate::superfluous::count(of_ended, sum, old, max_bytes);
        Ok(ids(&ended[..count]))
    }
}

/// The columns that [`read_info`] reads.
const COLUMNS: &str = "id, agent, state, started, updated, cost, conversation, owner, exclusive";

/// Returns the entry of a run that cannot be read, with its id.
fn damaged_info(row: &Row<'_>) -> rusqlite::Result<RunInfo> {
    let id = row.get_ref(0)?.as_bytes().unwrap_or_default();
    let mut info = RunInfo::new(String::from_utf8_lossy(id), "");
    info.state = RunState::Damaged;
    (info.started, info.updated, info.cost) = (UNIX_EPOCH, UNIX_EPOCH, None);
    Ok(info)
}

/// Reads the entry of a run; `None` if its state is unknown, or its conversation has no valid name.
fn read_info(row: &Row<'_>) -> rusqlite::Result<Option<RunInfo>> {
    let run: String = row.get(0)?;
    let mut info = RunInfo::new(run, row.get::<_, String>(1)?);
    let state: String = row.get(2)?;
    info.started = time(row.get(3)?);
    info.updated = time(row.get(4)?);
    info.cost = row.get(5)?;
    let mut states = RunState::ALL.into_iter();
    let Some(state) = states.find(|known| known.as_str() == state) else {
        return Ok(None);
    };
    info.state = state;
    let conversation: Option<String> = row.get(6)?;
    let conversation = conversation.map(|name| name.parse()).transpose();
    (info.owner, info.is_exclusive) = (row.get(7)?, row.get(8)?);
    Ok(conversation.ok().map(|conversation| {
        info.conversation = conversation;
        info
    }))
}

fn to_value(number: u64) -> Value {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

/// Returns the number of a record.
///
/// # Errors
/// When a run has too many records.
fn number_of(run: i64, position: u64) -> Result<i64, StoreError> {
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    let first = run.checked_mul(RECORDS_OF_RUN);
    let number = first.and_then(|first| first.checked_add(position));
    let number = number.filter(|_| position < RECORDS_OF_RUN);
    number.ok_or_else(|| StoreError::invalid(format!("a run has at most {RECORDS_OF_RUN} records")))
}

/// Returns the greatest number of a record of a run.
fn last_of(run: i64) -> Result<i64, StoreError> {
    number_of(run, RECORDS_OF_RUN.unsigned_abs() - 1)
}

fn holder_number(lease: &Lease) -> i64 {
    i64::try_from(lease.number).unwrap_or(i64::MAX)
}

fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn time(milliseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default())
}

fn now() -> i64 {
    milliseconds(SystemTime::now())
}
