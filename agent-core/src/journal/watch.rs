//! Notifying the readers and the holder of a run of new records or mail.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch::{Receiver, Sender};

/// Notifies of changes of a run: see [`Journal::watch`](super::Journal::watch).
#[derive(Clone, Debug)]
pub struct RunWatch(Receiver<()>);

impl RunWatch {
    /// Waits until the run may have changed since the last call, or since the watch was created. May return
    /// when nothing has changed.
    ///
    /// Cancel safety: dropping the future loses no change.
    pub async fn changed(&mut self) {
        // Without a sender there are no further notifications. The caller reads again, and gets the reason.
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

    /// Notifies the watches of a run that it has changed.
    pub fn tell(&self, run: &str) {
        if let Some(sender) = self.watched().get(run) {
            sender.send_replace(());
        }
    }

    /// Notifies all watches, because changes may have been missed.
    pub fn notify_all(&self) {
        for sender in self.watched().values() {
            sender.send_replace(());
        }
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<String, Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn has_changed(watch: &mut RunWatch) -> bool {
        let changed = pin!(watch.changed());
        changed
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    }

    #[test]
    fn a_watch_tells_of_the_changes_of_its_run_since_it_was_made() {
        let watches = RunWatches::default();
        watches.tell("a");
        let (mut first, mut other) = (watches.watch("a"), watches.watch("b"));
        assert!(!has_changed(&mut first), "the change was before the watch");
        watches.tell("a");
        watches.tell("a");
        let mut second = watches.watch("a");
        assert!(has_changed(&mut first));
        assert!(!has_changed(&mut first), "both changes are told at once");
        assert!(!has_changed(&mut second) && !has_changed(&mut other));
        watches.notify_all();
        for watch in [&mut first, &mut second, &mut other] {
            assert!(has_changed(watch));
        }
    }

    #[test]
    fn runs_that_nobody_watches_any_more_are_forgotten() {
        let watches = RunWatches::default();
        for run in 0..100 {
            let _ = watches.watch(&run.to_string());
        }
        let _watch = watches.watch("a");
        assert_eq!(watches.watched().len(), 1);
    }

    /// A reader whose journal is gone reads once more, and finds out why. It must not read without a pause.
    #[tokio::test(start_paused = true)]
    async fn a_watch_without_its_journal_ends_its_wait_after_a_pause() {
        let mut watch = RunWatches::default().watch("a");
        let begun = tokio::time::Instant::now();
        watch.changed().await;
        assert_eq!(begun.elapsed(), super::super::POLL_INTERVAL);
    }
}
