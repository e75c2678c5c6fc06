//! Cancellation of work.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A signal that cancels work. Clones share the signal. A child is also cancelled with its parent.
///
/// ```
/// let all = agent_runtime::Cancellation::new();
/// let one = all.child();
/// one.cancel();
/// assert!(one.is_cancelled() && !all.is_cancelled());
/// ```
#[derive(Clone, Default)]
pub struct Cancellation(CancellationToken);

impl Cancellation {
    /// Creates a signal that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a child: a signal that is also cancelled when this signal is cancelled.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }

    /// Cancels the signal. Cancelling it again does nothing.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether the signal was cancelled. Code that cannot wait checks the signal between steps.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until the signal is cancelled. Dropping the future has no other effect.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// Awaits `work` until the signal is cancelled. Returns `None` and drops `work` if the signal is
    /// cancelled first.
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

    /// Returns a guard that cancels the signal when the guard is dropped.
    #[doc(hidden)]
    pub fn guard(&self) -> DropGuard {
        self.0.clone().drop_guard()
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Cancellation")
            .field("cancelled", &self.is_cancelled())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    async fn cancelled_returns_for_a_signal_given_before() {
        let signal = Cancellation::new();
        drop(signal.guard());
        signal.cancelled().await;
    }
}
