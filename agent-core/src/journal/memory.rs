//! The journal in memory.

use super::{
    Commit, Journal, Lease, Mail, ReceivedMail, Record, RunFilter, RunInfo, RunState, RunWatch,
    RunWatches, StoredRun,
};
use crate::conversation::{StoreError, StoreFuture};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Keeps the records of runs in memory, until its last clone is dropped. Clones share them. It survives no crash; use
/// it for tests, or to look at what runs did.
#[derive(Clone, Default)]
pub struct MemoryJournal(Arc<Shared>);

#[derive(Default)]
struct Shared {
    entries: Mutex<HashMap<String, Entry>>,
    watches: RunWatches,
}

struct Entry {
    info: RunInfo,
    records: Vec<Record>,
    mail: Vec<ReceivedMail>,
    /// The number of the last mail.
    last_mail: u64,
    /// The number of the last holder.
    holder: u64,
    /// The time at which the lease of the holder was renewed; `None` if nobody holds the run.
    renewed: Option<Instant>,
}

impl Entry {
    fn is_held(&self) -> bool {
        let renewed = self.renewed;
        renewed.is_some_and(|renewed| renewed.elapsed() < Lease::LIFETIME)
    }
}

impl MemoryJournal {
    /// Creates an empty journal.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        let entries = self.0.entries.lock();
        entries.unwrap_or_else(PoisonError::into_inner)
    }

    fn append(&self, lease: &Lease, commit: Commit) -> Result<(), StoreError> {
        let mut entries = self.entries();
        let records = match entries.get(&lease.run) {
            Some(entry) if entry.holder == lease.number => &entry.records[..],
            // The first records of a new run. A commit to a deleted run has a later position.
            None if commit.position == 0 && lease.number == 1 => &[],
            _ => return Err(StoreError::lease_lost(&lease.run)),
        };
        let known = commit.known(records.len() as u64, |position| {
            let position = usize::try_from(position).unwrap_or(usize::MAX);
            Ok::<_, StoreError>(records.get(position).map(|record| *record.checksum()))
        })?;
        if let Some(name) = &commit.info.conversation
            && let Some(other) = busy_run(&entries, &commit.info)
        {
            return Err(StoreError::busy_conversation(name, other));
        }
        let entry = entries.entry(lease.run.clone());
        let entry = entry.or_insert_with(|| Entry {
            info: commit.info.clone(),
            records: Vec::new(),
            mail: Vec::new(),
            last_mail: 0,
            holder: lease.number,
            renewed: None,
        });
        entry.records.extend(commit.records.into_iter().skip(known));
        entry.renewed = (commit.info.state == RunState::Running).then(Instant::now);
        entry.info = commit.info;
        let (taken, is_over) = (commit.taken.unwrap_or_default(), entry.info.state.is_over());
        entry.mail.retain(|mail| !is_over && mail.number > taken);
        self.0.watches.tell(&lease.run);
        Ok(())
    }
}

/// Returns the id of another exclusive run of the conversation that is running or waiting, if the run itself
/// is exclusive and running or waiting.
fn busy_run<'e>(entries: &'e HashMap<String, Entry>, info: &RunInfo) -> Option<&'e str> {
    let mut others = entries.values().map(|entry| &entry.info);
    let other = others.find(|other| {
        let is_of_conversation = other.conversation == info.conversation;
        other.is_open_exclusive() && is_of_conversation && other.run != info.run
    });
    let other = other.filter(|_| info.is_open_exclusive())?;
    Some(&other.run)
}

/// Returns the entry of a run that the lease holds.
fn held<'e>(
    entries: &'e mut HashMap<String, Entry>,
    lease: &Lease,
) -> Result<&'e mut Entry, StoreError> {
    let entry = entries.get_mut(&lease.run);
    let entry = entry.filter(|entry| entry.holder == lease.number);
    entry.ok_or_else(|| StoreError::lease_lost(&lease.run))
}

impl Journal for MemoryJournal {
    fn begin(&self, run: &str) -> Lease {
        Lease::new(run, 1)
    }

    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>> {
        Box::pin(async move {
            let mut entries = self.entries();
            let Some(entry) = entries.get_mut(run).filter(|entry| !entry.is_held()) else {
                return Ok(None);
            };
            entry.holder += 1;
            entry.renewed = Some(Instant::now());
            Ok(Some(Lease::new(run, entry.holder)))
        })
    }

    fn renew<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            held(&mut self.entries(), lease)?.renewed = Some(Instant::now());
            Ok(())
        })
    }

    fn release(&self, lease: &Lease) {
        if let Ok(entry) = held(&mut self.entries(), lease) {
            entry.renewed = None;
        }
    }

    fn append<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.append(lease, commit) })
    }

    fn read<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        Box::pin(async move {
            let entries = self.entries();
            let stored = entries.get(run).map(|entry| {
                let records = entry.records.clone();
                let last = records.last().map(|record| *record.checksum());
                let last = last.unwrap_or_else(Record::first_checksum);
                StoredRun::new(
                    entry.info.clone(),
                    records,
                    entry.records.len() as u64,
                    last,
                )
            });
            Ok(stored)
        })
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, Vec<RunInfo>> {
        Box::pin(async move {
            let entries = self.entries();
            let infos = entries.values().map(|entry| &entry.info);
            let mut infos: Vec<_> = infos.filter(|info| filter.selects(info)).cloned().collect();
            infos.sort_by(|one, other| (one.started, &one.run).cmp(&(other.started, &other.run)));
            Ok(infos)
        })
    }

    fn send<'a>(&'a self, run: &'a str, mail: &'a Mail) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let mut entries = self.entries();
            let entry = entries.get_mut(run);
            let Some(entry) = entry.filter(|entry| entry.info.state == RunState::Running) else {
                return Ok(false);
            };
            entry.last_mail += 1;
            let mail = ReceivedMail::new(entry.last_mail, mail.clone());
            entry.mail.push(mail);
            self.0.watches.tell(run);
            Ok(true)
        })
    }

    fn mail<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, Vec<ReceivedMail>> {
        Box::pin(async move { Ok(held(&mut self.entries(), lease)?.mail.clone()) })
    }

    fn watch(&self, run: &str) -> Option<RunWatch> {
        Some(self.0.watches.watch(run))
    }

    fn delete<'a>(&'a self, run: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let is_deleted = self.entries().remove(run).is_some();
            self.0.watches.tell(run);
            Ok(is_deleted)
        })
    }
}

impl fmt::Debug for MemoryJournal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("MemoryJournal")
            .field("runs", &self.entries().len())
            .finish_non_exhaustive()
    }
}
