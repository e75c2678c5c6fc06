//! Giving the events of a run to its observers.

use super::event_queue::{EventQueue, OuterRun, Reporter};
use super::live_run::LiveRun;
use super::scope::Scope;
use super::spans;
use crate::event::Event;
use crate::run::AgentRun;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The callback that a host gives to observe a run.
pub(super) type Observer<'a> = Option<&'a mut (dyn FnMut(&Event) + Send)>;

/// The observers of a run. Without a callback, the host takes the events out of its queue itself.
pub(super) struct Observers<'o> {
    callback: Observer<'o>,
    pub(super) reporter: Reporter,
}

impl<'o> Observers<'o> {
    /// `queue` belongs to a host that takes the events itself; `outer` is the run whose tool called the agent; `live` is
    /// the run as others in this process see it.
    pub(super) fn new(
        callback: Observer<'o>,
        queue: Option<EventQueue>,
        outer: Option<OuterRun>,
        live: Option<Arc<LiveRun>>,
    ) -> Self {
        let own = callback.is_some().then(EventQueue::default);
        Self {
            callback,
            reporter: Reporter::new(queue.or(own), outer, live),
        }
    }

    /// Whether anybody gets the events.
    pub(super) fn is_any(&self) -> bool {
        self.reporter.is_observed()
    }

    /// Ready if events wait for the callback. Otherwise the task is woken at the next one.
    pub(super) fn poll_waiting(&mut self, context: &Context<'_>) -> Poll<()> {
        match (&self.callback, self.reporter.queue()) {
            (Some(_), Some(queue)) => queue.poll_waiting(context),
            _ => Poll::Pending,
        }
    }

    /// Gives the callback the waiting events, at most `most`, because a tool may continue to report.
    pub(super) fn deliver(&mut self, most: usize) {
        let (Some(callback), Some(queue)) = (&mut self.callback, self.reporter.queue()) else {
            return;
        };
        for _ in 0..most.min(queue.len()) {
            if let Some(event) = queue.pop() {
                callback(&event);
            }
        }
    }

    /// Reports an event of the driver, after those that wait. Does not create it if nobody gets it.
    pub(super) fn notify_with(&mut self, event: impl FnOnce() -> Event) {
        if self.is_any() {
            self.reporter.send(event());
            self.deliver(usize::MAX);
        }
    }

    /// Reports the calls of a run that got their result since the last report.
    pub(super) fn report_invocations(&mut self, run: &AgentRun, scope: &Scope) {
        for invocation in run.unreported() {
            scope.within(|| spans::call_answered(invocation));
            self.notify_with(|| {
                let mut invocation = invocation.clone();
                invocation.call_id = scope.shared.place.call_id(&invocation.call_id);
                scope.shared.event(Event::ToolFinished { invocation })
            });
        }
    }
}

impl Drop for Observers<'_> {
    fn drop(&mut self) {
        if let Some(queue) = self.reporter.queue() {
            queue.end();
        }
    }
}
