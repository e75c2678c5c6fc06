//! A journal whose process dies, or whose writes fail.

use agent_runtime::conversation::{ConversationStore, StoreError, StoreFuture};
use agent_runtime::journal::{
    Commit, Journal, Lease, Mail, MemoryJournal, ReceivedMail, RunFilter, RunInfo, RunWatch,
    StoredRun,
};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// A journal whose process dies at a commit: its future never ends, and nothing is written. Or the commit fails, and so do
/// all after it.
#[derive(Clone)]
pub struct Crashing<J = MemoryJournal> {
    pub inner: J,
    /// The number of commits that are still written.
    pub left: Arc<AtomicUsize>,
    /// Whether the commit is written before the process dies or the commit fails.
    pub writes_last: bool,
    /// Whether the commit fails instead of the process.
    pub fails: bool,
    /// The time that each commit takes.
    pub takes: Duration,
    /// The number of commits that were not written, or written and then failed.
    pub refused: Arc<AtomicUsize>,
    pub crashed: Arc<Notify>,
}

impl Crashing {
    pub fn after(commits: usize) -> Self {
        Self::on(MemoryJournal::new(), commits)
    }
}

impl<J> Crashing<J> {
    /// A journal that has `inner` until the process dies.
    pub fn on(inner: J, commits: usize) -> Self {
        Self {
            inner,
            left: Arc::new(AtomicUsize::new(commits)),
            writes_last: false,
            fails: false,
            takes: Duration::ZERO,
            refused: Arc::default(),
            crashed: Arc::new(Notify::new()),
        }
    }

    /// Also writes the commit at which the process dies.
    pub fn writing_last(mut self) -> Self {
        self.writes_last = true;
        self
    }

    /// Awaits a run until it ends or the process dies. Returns whether it ended.
    pub async fn drive(&self, run: impl Future) -> bool {
        tokio::select! {
            _ = run => true,
            () = self.crashed.notified() => false,
        }
    }
}

impl<J: Journal> Journal for Crashing<J> {
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
            if !self.takes.is_zero() {
                tokio::time::sleep(self.takes).await;
            }
            let left = self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                    left.checked_sub(1)
                });
            if left.is_err() {
                if self.writes_last {
                    Journal::append(&self.inner, lease, commit).await?;
                }
                self.refused.fetch_add(1, Ordering::Relaxed);
                if self.fails {
                    return Err(StoreError::unavailable("no space left on device"));
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

    fn list<'a>(&'a self, filter: &'a RunFilter) -> StoreFuture<'a, Vec<RunInfo>> {
        self.inner.list(filter)
    }

    fn send<'a>(&'a self, run: &'a str, mail: &'a Mail) -> StoreFuture<'a, bool> {
        self.inner.send(run, mail)
    }

    fn mail<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, Vec<ReceivedMail>> {
        self.inner.mail(lease)
    }

    fn watch(&self, run: &str) -> Option<RunWatch> {
        self.inner.watch(run)
    }

    fn delete<'a>(&'a self, run: &'a str) -> StoreFuture<'a, bool> {
        self.inner.delete(run)
    }

    fn conversations(&self) -> Option<Arc<dyn ConversationStore>> {
        self.inner.conversations()
    }
}
