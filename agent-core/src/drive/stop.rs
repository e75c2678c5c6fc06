//! Stopping work at a deadline or when it is cancelled.

use super::host::CallingTool;
use crate::run::Run;
use agent_tool::__private::{Cause, ErrorKind};
use agent_tool::{Cancellation, Error};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

/// The condition under which work is stopped: a signal, or a time limit.
#[derive(Clone)]
pub(crate) struct StopCondition {
    cancellation: Cancellation,
    /// The signal of the call whose tool called the agent.
    outer: Option<Cancellation>,
    limit: Duration,
    /// `None` without a limit, and for a limit too long for the clock.
    deadline: Option<Instant>,
}

/// The reason for which work is stopped.
#[derive(Clone, Copy)]
pub(crate) enum StopReason {
    Cancelled,
    TimedOut(Duration),
}

impl StopCondition {
    /// Creates a condition. `elapsed` is the part of the time limit that has already passed.
    pub(crate) fn new(
        limit: Option<Duration>,
        elapsed: Duration,
        cancellation: Cancellation,
    ) -> Self {
        let left = limit.map(|limit| limit.saturating_sub(elapsed));
        Self {
            cancellation,
            outer: None,
            limit: limit.unwrap_or_default(),
            deadline: left.and_then(|left| Instant::now().checked_add(left)),
        }
    }

    /// Also stops the work when the call ends whose tool called the agent.
    pub(crate) fn within(mut self, caller: &CallingTool) -> Self {
        self.outer = Some(caller.cancellation.clone());
        if let Some(at) = caller.deadline {
            let left = at.saturating_duration_since(std::time::Instant::now());
            let is_shorter = self.limit.is_zero() || left < self.limit;
            if is_shorter && let Some(deadline) = Instant::now().checked_add(left) {
                (self.limit, self.deadline) = (left, Some(deadline));
            }
        }
        self
    }

    fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
            || self.outer.as_ref().is_some_and(Cancellation::is_cancelled)
    }

    /// The reason to stop now, if there is one. This reads the clock, because a timer only fires when the
    /// work is pending, and work may always be ready.
    pub(crate) fn reason(&self) -> Option<StopReason> {
        if self.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        let is_late = self.deadline.is_some_and(|at| Instant::now() >= at);
        is_late.then_some(StopReason::TimedOut(self.limit))
    }

    /// Waits until there is a reason to stop.
    async fn met(&self) -> StopReason {
        let mut cancelled = pin!(self.cancellation.cancelled());
        let mut outer = pin!(async {
            match &self.outer {
                Some(outer) => outer.cancelled().await,
                None => std::future::pending().await,
            }
        });
        let mut timer = pin!(async {
            match self.deadline {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        });
        poll_fn(|context| {
            if cancelled.as_mut().poll(context).is_ready()
                || outer.as_mut().poll(context).is_ready()
            {
                return Poll::Ready(StopReason::Cancelled);
            }
            let timer = timer.as_mut().poll(context);
            timer.map(|()| StopReason::TimedOut(self.limit))
        })
        .await
    }
}

impl StopReason {
    /// Ends a run for this reason, unless it has already ended.
    pub(crate) fn end(self, run: &mut Run) {
        match self {
            Self::Cancelled => run.cancel(),
            Self::TimedOut(limit) => {
                let text = format!("the run took longer than {limit:?}");
                run.stop(
                    "",
                    Error::new(ErrorKind::Limit, text).with_cause(Cause::Timeout),
                );
            }
        }
    }
}

/// Awaits `work` until the condition is met, which drops `work`. If the condition is met beforehand, `work`
/// is not polled.
///
/// After the first poll, `work` is polled before the condition is checked, so that a finished result is not
/// lost.
pub(crate) async fn until_stopped<T>(
    work: impl Future<Output = T>,
    condition: &StopCondition,
) -> Result<T, StopReason> {
    if let Some(reason) = condition.reason() {
        return Err(reason);
    }
    let mut work = pin!(work);
    let mut met = pin!(condition.met());
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        if let Poll::Ready(reason) = met.as_mut().poll(context) {
            return Poll::Ready(Err(reason));
        }
        // Tokio fires no timer in a poll in which the work used up the task's budget.
        condition
            .reason()
            .map_or(Poll::Pending, |reason| Poll::Ready(Err(reason)))
    })
    .await
}
