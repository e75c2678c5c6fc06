//! Work against the clock and against the caller's change of mind.

use crate::cancel::Cancellation;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

/// How work ended.
pub(crate) enum Ended<T> {
    Done(T),
    TimedOut,
    Cancelled,
}

/// Does work until it is done, the time is over or the signal is given. The work comes first, so
/// that what is done counts.
pub(crate) async fn race<T>(
    work: impl Future<Output = T>,
    limit: Option<Duration>,
    cancellation: &Cancellation,
) -> Ended<T> {
    let mut work = pin!(work);
    let mut cancelled = pin!(cancellation.cancelled());
    let mut time = pin!(async {
        match limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    });
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Ended::Done(done));
        }
        if cancelled.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ended::Cancelled);
        }
        if time.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ended::TimedOut);
        }
        Poll::Pending
    })
    .await
}
