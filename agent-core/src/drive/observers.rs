//! The events of a run, on their way to those who observe it.

use super::host::CallingTool;
use super::scope::Scope;
use super::spans;
use crate::event::Event;
use crate::run::AgentRun;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The callback that a host gives to observe a run.
pub(super) type Observer<'a> = Option<&'a mut (dyn FnMut(&Event) + Send)>;

/// The number of events from which on the progress of tools is dropped, because a slow observer must not hold up a tool.
const MAX_PROGRESS: usize = 256;

/// The number of events from which on no further part is read from a model.
const MAX_PARTS: usize = 16;

/// The events of a run that its observer has not got yet, in the order in which they happened. The driver, requests and
/// tools put them into it, from any thread.
///
/// Only the parts of a model's answer wait for room, and the progress of tools is dropped without it. Other events need no
/// bound: they are a few for each call.
#[derive(Clone, Default)]
pub struct EventQueue(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    events: VecDeque<Event>,
    /// The task that waits for the next event.
    waker: Option<Waker>,
    /// Whether the run is no longer driven, so that nothing follows its last event.
    is_closed: bool,
}

impl EventQueue {
    fn push(&self, event: Event, most: usize) {
        let mut queue = self.lock();
        if queue.is_closed || queue.events.len() >= most {
            return;
        }
        queue.events.push_back(event);
        let waker = queue.waker.take();
        // Unlocked first, because the woken task may take the event at once.
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Takes the oldest event.
    pub fn pop(&self) -> Option<Event> {
        self.lock().events.pop_front()
    }

    /// Whether there is an event. Wakes the task at the next one if there is none.
    pub fn poll_waiting(&self, context: &Context<'_>) -> Poll<()> {
        let mut queue = self.lock();
        if !queue.events.is_empty() {
            return Poll::Ready(());
        }
        let before = queue.waker.replace(context.waker().clone());
        // Unlocked first, because dropping a waker can drop a task, which may use this queue.
        drop(queue);
        drop(before);
        Poll::Pending
    }

    fn len(&self) -> usize {
        self.lock().events.len()
    }

    /// Locks the queue. After a panic it would still be valid: no change of it is left half done.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports the events of a run, from any thread.
#[derive(Clone, Default)]
pub(super) struct Reporter {
    /// `None` if the run itself is not observed.
    queue: Option<EventQueue>,
    /// The call whose tool called the agent, and the path of the agent. Its run is observed.
    caller: Option<Arc<(CallingTool, String)>>,
}

impl Reporter {
    /// Whether anybody gets the events.
    pub(super) fn is_observed(&self) -> bool {
        self.queue.is_some() || self.caller.is_some()
    }

    /// Whether there is room for a further part of an answer.
    pub(super) fn has_room(&self) -> bool {
        let own = self.queue.as_ref();
        let caller = self.caller.as_deref();
        own.is_none_or(|queue| queue.len() < MAX_PARTS)
            && caller.is_none_or(|(caller, _)| caller.reporter().has_room())
    }

    /// Reports an event that must not be lost.
    pub(super) fn send(&self, event: Event) {
        self.push(event, usize::MAX);
    }

    /// Reports the progress of a tool, unless too many events wait.
    pub(super) fn send_progress(&self, event: Event) {
        self.push(event, MAX_PROGRESS);
    }

    fn push(&self, event: Event, most: usize) {
        if let Some((caller, path)) = self.caller.as_deref()
            && let Some(event) = caller.nested(path, &event)
        {
            caller.reporter().push(event, most);
        }
        if let Some(queue) = &self.queue {
            queue.push(event, most);
        }
    }
}

/// The observers of a run. Without a callback, the host takes the events out of its queue itself.
pub(super) struct Observers<'o> {
    callback: Observer<'o>,
    pub(super) reporter: Reporter,
}

impl<'o> Observers<'o> {
    /// `queue` is that of a host that takes the events itself, and `caller` the call whose tool called the agent, with the
    /// path of the agent.
    pub(super) fn new(
        callback: Observer<'o>,
        queue: Option<EventQueue>,
        caller: Option<(CallingTool, String)>,
    ) -> Self {
        let own = callback.is_some().then(EventQueue::default);
        let caller = caller.filter(|(caller, _)| caller.reporter().is_observed());
        Self {
            callback,
            reporter: Reporter {
                queue: queue.or(own),
                caller: caller.map(Arc::new),
            },
        }
    }

    /// Whether anybody gets the events.
    pub(super) fn is_any(&self) -> bool {
        self.reporter.is_observed()
    }

    /// Whether events wait for the callback. Wakes the task at the next one if there is none.
    pub(super) fn poll_waiting(&mut self, context: &Context<'_>) -> Poll<()> {
        match (&self.callback, &self.reporter.queue) {
            (Some(_), Some(queue)) => queue.poll_waiting(context),
            _ => Poll::Pending,
        }
    }

    /// Gives the callback the events that wait, but not more than `most`, because a tool may go on to report.
    pub(super) fn deliver(&mut self, most: usize) {
        let (Some(callback), Some(queue)) = (&mut self.callback, &self.reporter.queue) else {
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
    pub(super) fn report_invocations(&mut self, run: &AgentRun, scope: &mut Scope) {
        let all = run.invocations();
        for invocation in all.get(scope.reported..).unwrap_or_default() {
            scope.within(|| spans::call_answered(invocation));
            self.notify_with(|| {
                let mut invocation = invocation.clone();
                invocation.call_id = scope.shared.place.call_id(&invocation.call_id);
                scope.shared.event(Event::ToolFinished { invocation })
            });
        }
        scope.reported = all.len();
    }
}

impl Drop for Observers<'_> {
    fn drop(&mut self) {
        if let Some(queue) = &self.reporter.queue {
            queue.lock().is_closed = true;
        }
    }
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

    fn observed(queue: &EventQueue) -> Observers<'static> {
        Observers::new(None, Some(queue.clone()), None)
    }

    #[test]
    fn yields_the_oldest_event_first_and_wakes_a_waiting_task_once() {
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(wakes.clone());
        let context = Context::from_waker(&waker);
        let queue = EventQueue::default();
        let observers = observed(&queue);
        assert!(queue.poll_waiting(&context).is_pending());
        observers.reporter.send_progress(progress("one"));
        observers.reporter.send_progress(progress("two"));
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        assert!(queue.poll_waiting(&context).is_ready());
        assert_eq!(queue.pop(), Some(progress("one")));
        assert_eq!(queue.pop(), Some(progress("two")));
        assert_eq!(queue.pop(), None);
    }

    #[test]
    fn drops_progress_beyond_the_bound_and_everything_after_the_end() {
        let queue = EventQueue::default();
        let observers = observed(&queue);
        let reporter = observers.reporter.clone();
        for _ in 0..MAX_PROGRESS + 1 {
            reporter.send_progress(progress("again"));
        }
        assert_eq!(queue.len(), MAX_PROGRESS);
        assert!(!reporter.has_room());
        reporter.send(progress("not lost"));
        assert_eq!(queue.len(), MAX_PROGRESS + 1);
        drop(observers);
        reporter.send(progress("late"));
        assert_eq!(queue.len(), MAX_PROGRESS + 1);
    }
}
