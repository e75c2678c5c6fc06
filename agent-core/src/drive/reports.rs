//! The queue by which requests and calls report to the driver while they go on.

use crate::event::Event;
use crate::run::Place;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

/// The maximum number of reports of tools that wait. Further ones are dropped, because a slow observer must not hold
/// up a tool.
const MAX_REPORTS: usize = 256;

/// The number of reports that wait from which on no further part is read from a model.
const MAX_PARTS: usize = 16;

/// A report of work that goes on.
pub(super) enum Report {
    /// An event for the observers.
    Event(Box<Event>),
    /// A hook lets the call of an agent pass, with these arguments.
    BeginAgent {
        place: Place,
        id: String,
        arguments: String,
    },
}

/// The reports that wait to be shown. The channels of tokio would do, but with them tokio takes half as long
/// again to build.
#[derive(Default)]
pub(super) struct Reports(Arc<Mutex<ReportQueue>>);

/// Sends reports, from any thread.
#[derive(Clone)]
pub(super) struct Reporter(Weak<Mutex<ReportQueue>>);

#[derive(Default)]
struct ReportQueue {
    reports: VecDeque<Report>,
    /// The task that waits for the next report.
    waker: Option<Waker>,
}

impl Reports {
    /// Creates a sender. Reports that are sent after `self` is dropped are lost.
    pub(super) fn reporter(&self) -> Reporter {
        Reporter(Arc::downgrade(&self.0))
    }

    /// The number of reports that wait.
    pub(super) fn len(&self) -> usize {
        lock(&self.0).reports.len()
    }

    /// Removes the oldest report.
    pub(super) fn take(&mut self) -> Option<Report> {
        lock(&self.0).reports.pop_front()
    }

    /// Removes the oldest report. Wakes the task at the next report if there is none.
    pub(super) fn poll_take(&mut self, context: &Context<'_>) -> Poll<Report> {
        let mut queue = lock(&self.0);
        match queue.reports.pop_front() {
            Some(report) => Poll::Ready(report),
            None => {
                let before = queue.waker.replace(context.waker().clone());
                // Unlocked first, because dropping a waker can drop a task, which may use this queue.
                drop(queue);
                drop(before);
                Poll::Pending
            }
        }
    }
}

impl Reporter {
    /// Sends a report of a tool, unless too many wait or the receiver is gone.
    pub(super) fn send_progress(&self, event: Event) {
        self.push(Report::Event(Box::new(event)), MAX_REPORTS);
    }

    /// Sends a report that must not be lost.
    pub(super) fn send(&self, report: Report) {
        self.push(report, usize::MAX);
    }

    /// Whether there is room for a further part of an answer.
    pub(super) fn has_room(&self) -> bool {
        let queue = self.0.upgrade();
        queue.is_none_or(|queue| lock(&queue).reports.len() < MAX_PARTS)
    }

    fn push(&self, report: Report, most: usize) {
        let Some(queue) = self.0.upgrade() else {
            return;
        };
        let mut queue = lock(&queue);
        if queue.reports.len() >= most {
            return;
        }
        queue.reports.push_back(report);
        let waker = queue.waker.take();
        // Unlocked first, because the woken task may take the report at once.
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Locks a queue. After a panic it would still be valid: no change of it is left half done.
fn lock(queue: &Mutex<ReportQueue>) -> MutexGuard<'_, ReportQueue> {
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

    fn is_progress(report: &Report, expected: &str) -> bool {
        match report {
            Report::Event(event) => {
                matches!(&**event, Event::ToolProgress { text, .. } if text == expected)
            }
            Report::BeginAgent { .. } => false,
        }
    }

    #[test]
    fn yields_the_oldest_report_first_and_wakes_a_waiting_task_once() {
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(wakes.clone());
        let mut reports = Reports::default();
        let reporter = reports.reporter();
        assert!(reports.poll_take(&Context::from_waker(&waker)).is_pending());
        reporter.send_progress(progress("one"));
        reporter.send_progress(progress("two"));
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        let first = reports.poll_take(&Context::from_waker(&waker));
        assert!(matches!(first, Poll::Ready(report) if is_progress(&report, "one")));
        assert!(
            reports
                .take()
                .is_some_and(|report| is_progress(&report, "two"))
        );
        assert!(reports.take().is_none());
    }

    #[test]
    fn drops_reports_beyond_the_bound_and_after_the_receiver() {
        let reports = Reports::default();
        let reporter = reports.reporter();
        for _ in 0..MAX_REPORTS + 1 {
            reporter.send_progress(progress("again"));
        }
        assert_eq!(reports.len(), MAX_REPORTS);
        assert!(!reporter.has_room());
        reporter.send(Report::Event(Box::new(progress("not lost"))));
        assert_eq!(reports.len(), MAX_REPORTS + 1);
        drop(reports);
        reporter.send_progress(progress("late"));
        assert_eq!(reporter.0.strong_count(), 0);
    }
}
