//! Telling work that it is no longer wanted.

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// A signal that work is no longer wanted. Clones share the signal; a child also hears its parent.
///
/// ```
/// let all = agent_runtime::Cancellation::new();
/// let one = all.child();
/// one.cancel();
/// assert!(one.is_cancelled() && !all.is_cancelled());
/// ```
#[derive(Clone, Default)]
pub struct Cancellation(Arc<Signal>);

#[derive(Default)]
struct Signal {
    cancelled: AtomicBool,
    waiting: Waiting,
    parent: Option<Cancellation>,
}

impl Cancellation {
    /// A signal that nobody has given yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A signal of its own that is also given when this one is.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Signal {
            parent: Some(self.clone()),
            ..Signal::default()
        }))
    }

    /// Gives the signal. Giving it again does nothing.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        self.0.waiting.wake_all();
    }

    /// Whether the signal was given. Code that cannot wait asks this between steps.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
            || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }

    /// Waits until the signal is given. Dropping the future only stops the waiting.
    pub async fn cancelled(&self) {
        // A chain is run, then call: two links. Waiting for each in one future needs no task.
        let mut places = vec![Place::new(&self.0.waiting)];
        let mut link = self;
        while let Some(parent) = &link.0.parent {
            places.push(Place::new(&parent.0.waiting));
            link = parent;
        }
        poll_fn(|context| {
            for place in &places {
                place.wait(context.waker());
            }
            // The flag is read after the wakers are left, so no signal is missed.
            if self.is_cancelled() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    /// Awaits `work` until the signal is given. Returns `None` if the signal is given first, and drops
    /// `work`.
    ///
    /// After the first poll, `work` is polled before the signal, so that a finished result is not lost.
    ///
    /// ```
    /// # use agent_runtime::Cancellation;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let signal = Cancellation::new();
    /// assert_eq!(signal.run_until_cancelled(async { 1 }).await, Some(1));
    /// signal.cancel();
    /// assert_eq!(signal.run_until_cancelled(async { 2 }).await, None);
    /// # }
    /// ```
    pub async fn run_until_cancelled<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        if self.is_cancelled() {
            return None;
        }
        let (mut work, mut cancelled) = (pin!(work), pin!(self.cancelled()));
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => cancelled.as_mut().poll(context).map(|()| None),
        })
        .await
    }

    /// A guard that gives the signal when it is dropped.
    pub(crate) fn guard(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Cancellation")
            .field("cancelled", &self.is_cancelled())
            .finish()
    }
}

/// Gives a signal when it is dropped.
pub(crate) struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The tasks to wake.
#[derive(Default)]
struct Waiting(Mutex<Wakers>);

#[derive(Default)]
struct Wakers {
    places: u64,
    /// A tree, since most signals are for calls that nobody waits for: an empty one takes nothing.
    held: BTreeMap<u64, Waker>,
}

impl Waiting {
    /// Wakes everybody who waits.
    fn wake_all(&self) {
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
    fn is_empty(&self) -> bool {
        self.wakers().held.is_empty()
    }
}

/// A place for the waker of one task, which is empty again when this is dropped.
struct Place<'a> {
    waiting: &'a Waiting,
    key: u64,
}

impl<'a> Place<'a> {
    fn new(waiting: &'a Waiting) -> Self {
        let mut wakers = waiting.wakers();
        wakers.places += 1;
        let key = wakers.places;
        drop(wakers);
        Self { waiting, key }
    }

    /// Leaves the waker of the task that waits now.
    fn wait(&self, waker: &Waker) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn a_child_hears_its_parent() {
        let parent = Cancellation::new();
        let child = parent.child();
        let waiting = tokio::spawn({
            let child = child.clone();
            async move { child.cancelled().await }
        });
        tokio::task::yield_now().await;
        parent.cancel();
        waiting.await.expect("the waiting task ends");
        assert!(child.is_cancelled());
    }

    #[tokio::test]
    async fn whoever_stops_waiting_leaves_nothing_behind() {
        let signal = Cancellation::new();
        for _ in 0..3 {
            let waiting = signal.cancelled();
            let over = tokio::time::timeout(Duration::ZERO, waiting).await;
            assert!(over.is_err());
        }
        assert!(signal.0.waiting.is_empty());
    }

    #[tokio::test]
    async fn a_signal_given_before_is_heard() {
        let signal = Cancellation::new();
        drop(signal.guard());
        signal.cancelled().await;
    }
}
