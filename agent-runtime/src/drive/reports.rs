//! Progress reports on their way from calls to whoever watches the run.

use crate::event::Event;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

/// How many reports wait to be seen. Further ones are dropped: a tool is not held up by whoever
/// watches it.
pub(super) const REPORTS: usize = 256;

/// Reports that wait to be shown. The channels of tokio would do the same, but with them
/// tokio takes half as long again to build.
#[derive(Default)]
pub(super) struct Reports(Arc<Mutex<Queue>>);

/// Where calls leave their reports, from any thread.
pub(super) struct Reporter(Weak<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    events: VecDeque<Event>,
    /// Who is to be told that there is something again.
    waits: Option<Waker>,
}

impl Reports {
    /// Reports may be left here for as long as these are there to take them.
    pub(super) fn reporter(&self) -> Reporter {
        Reporter(Arc::downgrade(&self.0))
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        locked(&self.0).events.len()
    }

    /// The oldest one, if any waits.
    pub(super) fn take(&mut self) -> Option<Event> {
        locked(&self.0).events.pop_front()
    }

    /// The oldest one; while there is none, the task is woken when one comes.
    pub(super) fn poll_take(&mut self, context: &Context<'_>) -> Poll<Event> {
        let mut queue = locked(&self.0);
        match queue.events.pop_front() {
            Some(event) => Poll::Ready(event),
            None => {
                let before = queue.waits.replace(context.waker().clone());
                // What is dropped with a waker may be a whole task, which may come here again.
                drop(queue);
                drop(before);
                Poll::Pending
            }
        }
    }
}

impl Reporter {
    /// Leaves a report, unless too many wait already or nobody will take it.
    pub(super) fn leave(&self, event: Event) {
        let Some(queue) = self.0.upgrade() else {
            return;
        };
        let mut queue = locked(&queue);
        if queue.events.len() >= REPORTS {
            return;
        }
        queue.events.push_back(event);
        let waits = queue.waits.take();
        // Whoever is woken may ask at once.
        drop(queue);
        if let Some(waker) = waits {
            waker.wake();
        }
    }
}

/// Nothing panics while it holds the queue, and if it did, the queue would still be whole.
fn locked(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn progress(text: &str) -> Event {
        Event::ToolProgress {
            call_id: "c".to_owned(),
            tool: "t".to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn the_oldest_comes_first_and_a_waiting_task_is_woken_once() {
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(wakes.clone());
        let mut reports = Reports::default();
        let reporter = reports.reporter();
        assert!(reports.poll_take(&Context::from_waker(&waker)).is_pending());
        reporter.leave(progress("one"));
        reporter.leave(progress("two"));
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        let first = reports.poll_take(&Context::from_waker(&waker));
        assert!(matches!(first, Poll::Ready(Event::ToolProgress { text, .. }) if text == "one"));
        assert!(matches!(reports.take(), Some(Event::ToolProgress { text, .. }) if text == "two"));
        assert!(reports.take().is_none());
    }

    #[test]
    fn what_is_too_much_or_too_late_is_dropped() {
        let reports = Reports::default();
        let reporter = reports.reporter();
        for _ in 0..REPORTS + 1 {
            reporter.leave(progress("again"));
        }
        assert_eq!(reports.len(), REPORTS);
        drop(reports);
        reporter.leave(progress("late"));
        assert_eq!(reporter.0.strong_count(), 0);
    }
}
