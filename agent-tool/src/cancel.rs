//! Cancellation of work.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// A signal that cancels work. Clones share the signal. A child is also cancelled with its parent.
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
    /// Creates a signal that is not given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a child: a signal that is also given when this one is.
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

    /// Whether the signal was given. Code that cannot wait checks it between steps.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
            || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }

    /// Waits until the signal is given. Dropping the future has no other effect.
    pub async fn cancelled(&self) {
        // The chain of a call has two links, run and call. One future waits for both, without a task.
        let mut waiters = vec![Waiter::new(&self.0.waiting)];
        let mut link = self;
        while let Some(parent) = &link.0.parent {
            waiters.push(Waiter::new(&parent.0.waiting));
            link = parent;
        }
        poll_fn(|context| {
            for waiter in &waiters {
                waiter.wait(context.waker());
            }
            // The flag is read after the wakers are registered, so that no signal is missed.
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

    /// Returns a guard that gives the signal when it is dropped.
    #[doc(hidden)]
    pub fn guard(&self) -> CancelOnDrop {
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
pub struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The tasks that wait for a signal. The `Notify` of tokio would do, but with it tokio takes half as long again
/// to build.
#[derive(Default)]
struct Waiting(Mutex<Wakers>);

#[derive(Default)]
struct Wakers {
    last_key: u64,
    /// In the order of the keys. An empty list allocates nothing, and most signals are those of calls without
    /// waiters.
    by_key: Vec<(u64, Waker)>,
}

impl Wakers {
    /// Sets or removes the waker of a key, and returns the one before.
    fn replace(&mut self, key: u64, waker: Option<Waker>) -> Option<Waker> {
        let found = self.by_key.binary_search_by(|(known, _)| known.cmp(&key));
        match (found, waker) {
            (Ok(place), Some(waker)) => Some(std::mem::replace(&mut self.by_key[place].1, waker)),
            (Ok(place), None) => Some(self.by_key.remove(place).1),
            (Err(place), Some(waker)) => {
                self.by_key.insert(place, (key, waker));
                None
            }
            (Err(_), None) => None,
        }
    }
}

impl Waiting {
    /// Wakes all tasks.
    fn wake_all(&self) {
        let wakers = std::mem::take(&mut self.wakers().by_key);
        for (_, waker) in wakers {
            waker.wake();
        }
    }

    /// Locks the wakers. After a panic they would still be valid: no change is left half done.
    fn wakers(&self) -> MutexGuard<'_, Wakers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.wakers().by_key.is_empty()
    }
}

/// A task that waits. Dropping it removes its waker.
struct Waiter<'a> {
    waiting: &'a Waiting,
    key: u64,
}

impl<'a> Waiter<'a> {
    fn new(waiting: &'a Waiting) -> Self {
        let mut wakers = waiting.wakers();
        wakers.last_key += 1;
        let key = wakers.last_key;
        drop(wakers);
        Self { waiting, key }
    }

    /// Registers the waker of the task.
    fn wait(&self, waker: &Waker) {
        // Dropped after the lock is released, because dropping a waker can drop a task that waits here, too.
        let _before = self.waiting.wakers().replace(self.key, Some(waker.clone()));
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let _before = self.waiting.wakers().replace(self.key, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn a_child_is_cancelled_with_its_parent() {
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
    async fn dropping_the_future_removes_its_waker() {
        let signal = Cancellation::new();
        for _ in 0..3 {
            let waiting = signal.cancelled();
            let over = tokio::time::timeout(Duration::ZERO, waiting).await;
            assert!(over.is_err());
        }
        assert!(signal.0.waiting.is_empty());
    }

    #[tokio::test]
    async fn cancelled_returns_for_a_signal_given_before() {
        let signal = Cancellation::new();
        drop(signal.guard());
        signal.cancelled().await;
    }
}
