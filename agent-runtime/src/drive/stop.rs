//! Work against the clock and against the caller's change of mind.

use crate::cancel::Cancellation;
use crate::error::Kind;
use crate::run::Run;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

/// What may stop a run from outside: the caller, and the time it may take.
#[derive(Clone)]
pub(crate) struct Watch {
    cancellation: Cancellation,
    limit: Duration,
    /// None when there is no limit, or one beyond what the clock can say.
    deadline: Option<Instant>,
}

/// Why a run is stopped.
#[derive(Clone, Copy)]
pub(crate) enum Stop {
    Cancelled,
    TimedOut(Duration),
}

impl Watch {
    /// The time begins now.
    pub(crate) fn new(limit: Option<Duration>, cancellation: Cancellation) -> Self {
        Self {
            cancellation,
            limit: limit.unwrap_or_default(),
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
        }
    }

    /// Whether the run is to be stopped now. This looks at the clock itself: a timer only fires
    /// when the work pauses, which work that is always ready never does.
    pub(crate) fn due(&self) -> Option<Stop> {
        if self.cancellation.is_cancelled() {
            return Some(Stop::Cancelled);
        }
        let over = self.deadline.is_some_and(|at| Instant::now() >= at);
        over.then_some(Stop::TimedOut(self.limit))
    }

    /// Waits until the run is to be stopped.
    async fn stopped(&self) -> Stop {
        let mut cancelled = pin!(self.cancellation.cancelled());
        let mut time = pin!(async {
            match self.deadline {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        });
        poll_fn(|context| {
            if cancelled.as_mut().poll(context).is_ready() {
                return Poll::Ready(Stop::Cancelled);
            }
            let time = time.as_mut().poll(context);
            time.map(|()| Stop::TimedOut(self.limit))
        })
        .await
    }
}

impl Stop {
    /// Ends a run for this reason, unless it has ended.
    pub(crate) fn end(self, run: &mut Run) {
        run.begin_calls();
        match self {
            Self::Cancelled => run.cancel(),
            Self::TimedOut(limit) => {
                run.stop(Kind::Limit, format!("the run took longer than {limit:?}"));
            }
        }
    }
}

/// Does work until it is done or must stop. Work that must stop before it began is not begun;
/// later the work comes first, so that what is done counts.
pub(crate) async fn race<T>(work: impl Future<Output = T>, watch: &Watch) -> Result<T, Stop> {
    if let Some(stop) = watch.due() {
        return Err(stop);
    }
    let mut work = pin!(work);
    let mut stopped = pin!(watch.stopped());
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        if let Poll::Ready(stop) = stopped.as_mut().poll(context) {
            return Poll::Ready(Err(stop));
        }
        // Tokio lets no timer fire in a poll in which the work used up its share.
        watch
            .due()
            .map_or(Poll::Pending, |stop| Poll::Ready(Err(stop)))
    })
    .await
}
