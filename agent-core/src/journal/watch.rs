//! Telling readers and the holder of a run that it has new records or mail.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch::{Receiver, Sender};

/// Tells of changes of a run: see [`Journal::watch`](super::Journal::watch).
#[derive(Clone, Debug)]
pub struct RunWatch(Receiver<()>);

impl RunWatch {
    /// Waits until the run may have changed since the last call, or since the watch was made. It may tell of changes that
    /// are none.
    ///
    /// Cancel safety: dropping the future loses no change.
    pub async fn changed(&mut self) {
        // Without a sender nothing is told any more; the caller reads again, and finds out why.
        if self.0.changed().await.is_err() {
            tokio::time::sleep(super::POLL_INTERVAL).await;
        }
    }
}

/// The watches of a journal, by the ids of runs.
#[derive(Debug, Default)]
pub struct RunWatches(Mutex<HashMap<String, Sender<()>>>);

impl RunWatches {
    /// Watches a run.
    #[must_use]
    pub fn watch(&self, run: &str) -> RunWatch {
        let mut watched = self.watched();
        watched.retain(|_, sender| sender.receiver_count() > 0);
        let sender = watched.entry(run.to_owned());
        RunWatch(sender.or_insert_with(|| Sender::new(())).subscribe())
    }

    /// Tells those who watch a run that it has changed.
    pub fn tell(&self, run: &str) {
        if let Some(sender) = self.watched().get(run) {
            sender.send_replace(());
        }
    }

    /// Tells everybody, because changes may have been missed.
    pub fn tell_all(&self) {
        for sender in self.watched().values() {
            sender.send_replace(());
        }
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<String, Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
