//! Journals: runs that are recorded, and recovered after a crash.

mod configuration;
mod crashes;
mod in_doubt;
mod pause_keys;
mod recorded;
mod scenarios;
mod secrets;
mod stored;

use agent_runtime::conversation::StoreFuture;
use agent_runtime::journal::{Commit, Journal, Lease, MemoryJournal, RunInfo, StoredRun};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// A journal whose process dies at a commit: its future never ends, and nothing is written.
#[derive(Clone)]
struct Crashing {
    inner: MemoryJournal,
    /// The number of commits that are still written.
    left: Arc<AtomicUsize>,
    /// Whether the commit is written before the process dies.
    writes_last: bool,
    crashed: Arc<Notify>,
}

impl Crashing {
    fn after(commits: usize) -> Self {
        Self {
            inner: MemoryJournal::new(),
            left: Arc::new(AtomicUsize::new(commits)),
            writes_last: false,
            crashed: Arc::new(Notify::new()),
        }
    }

    /// Also writes the commit at which the process dies.
    fn writing_last(mut self) -> Self {
        self.writes_last = true;
        self
    }

    /// Awaits a run until it ends or the process dies. Returns whether it ended.
    async fn drive(&self, run: impl Future) -> bool {
        tokio::select! {
            _ = run => true,
            () = self.crashed.notified() => false,
        }
    }
}

impl Journal for Crashing {
    fn begin(&self, run: &str) -> Lease {
        self.inner.begin(run)
    }

    fn acquire<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Lease>> {
        self.inner.acquire(run)
    }

    fn renew<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.inner.renew(lease)
    }

    fn release(&self, lease: &Lease) {
        self.inner.release(lease);
    }

    fn append<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let left = self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                    left.checked_sub(1)
                });
            if left.is_err() {
                if self.writes_last {
                    Journal::append(&self.inner, lease, commit).await?;
                }
                self.crashed.notify_one();
                return pending().await;
            }
            Journal::append(&self.inner, lease, commit).await
        })
    }

    fn read<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        self.inner.read(run)
    }

    fn list(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        self.inner.list()
    }

    fn delete<'a>(&'a self, run: &'a str) -> StoreFuture<'a, bool> {
        self.inner.delete(run)
    }
}
