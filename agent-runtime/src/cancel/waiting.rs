//! Tasks that wait for a signal. tokio has this as `Notify`, but with the part that has it, tokio
//! takes half as long again to build.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// The tasks to wake.
#[derive(Default)]
pub(super) struct Waiting(Mutex<Wakers>);

#[derive(Default)]
struct Wakers {
    places: u64,
    /// A tree, since most signals are for calls that nobody waits for: an empty one takes nothing.
    held: BTreeMap<u64, Waker>,
}

impl Waiting {
    /// Wakes everybody who waits.
    pub(super) fn wake_all(&self) {
        let held = std::mem::take(&mut self.wakers().held);
        for waker in held.into_values() {
            waker.wake();
        }
    }

    /// Nothing panics while it holds the wakers, and if it did, they would still be whole.
    fn wakers(&self) -> MutexGuard<'_, Wakers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.wakers().held.is_empty()
    }
}

/// A place for the waker of one task, which is empty again when this is dropped.
pub(super) struct Place<'a> {
    waiting: &'a Waiting,
    key: u64,
}

impl<'a> Place<'a> {
    pub(super) fn new(waiting: &'a Waiting) -> Self {
        let mut wakers = waiting.wakers();
        wakers.places += 1;
        let key = wakers.places;
        drop(wakers);
        Self { waiting, key }
    }

    /// Leaves the waker of the task that waits now.
    pub(super) fn wait(&self, waker: &Waker) {
        // Kept until the lock is gone: what is dropped with a waker may be a whole task, which may
        // hold a place here.
        let _before = self.waiting.wakers().held.insert(self.key, waker.clone());
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let _before = self.waiting.wakers().held.remove(&self.key);
    }
}
