//! The queue in which the events of a run wait for their observer.

use super::live_run::LiveRun;
use crate::event::Event;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The number of events from which on the progress of tools is dropped, because a slow observer must not hold up a tool.
const MAX_PROGRESS: usize = 256;

/// The number of events from which on no further part is read from a model. A server can stream faster than an observer
/// reads, so that the events would fill the memory.
const MAX_PARTS: usize = 16;

/// The events of a run that its observer has not received yet, in the order in which they happened. The
/// driver, requests and tools add them, from any thread.
///
/// Only the parts of a model's answer wait for room. The progress of tools is dropped when there is no room.
/// Other events need no bound, because each call has few of them.
#[derive(Clone, Default)]
pub struct EventQueue(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    events: VecDeque<Event>,
    /// The task that waits for the next event.
    waker: Option<Waker>,
    /// Whether the run is no longer driven, so that nothing follows its last event.
    is_closed: bool,
    /// Whether the last event of the run was added.
    has_last: bool,
}

impl EventQueue {
    fn push(&self, event: Event, most: usize) {
        let mut queue = self.lock();
        if queue.is_closed || queue.events.len() >= most {
            return;
        }
        queue.has_last |= event.is_last();
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

    /// Ready if there is an event. Otherwise the task is woken at the next one.
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

    pub(super) fn len(&self) -> usize {
        self.lock().events.len()
    }

    /// Drops all further events. The events in the queue stay.
    pub(super) fn end(&self) {
        self.lock().is_closed = true;
    }

    /// Adds the last event of a run that could not be driven, unless the queue already had a last event.
    pub fn finish(&self, last: impl FnOnce() -> Event) {
        let mut queue = self.lock();
        if !std::mem::replace(&mut queue.has_last, true) {
            queue.events.push_back(last());
        }
    }

    /// Drops the events, and all later ones.
    pub fn close(&self) {
        let mut queue = self.lock();
        queue.is_closed = true;
        let events = std::mem::take(&mut queue.events);
        // Unlocked first, because dropping an event can drop a value that uses this queue.
        drop(queue);
        drop(events);
    }

    /// Locks the queue. The queue is valid even after a panic, because no change is left half done.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports the events of a run, from any thread.
#[derive(Clone)]
pub(super) struct Reporter {
    /// `None` if the run itself is not observed.
    queue: Option<EventQueue>,
    /// The run whose tool called the agent, if it is observed.
    outer: Option<Arc<OuterRun>>,
    /// The run as others in this process see it, if it is in a journal.
    live: Option<Arc<LiveRun>>,
}

/// The run whose tool called an agent.
pub(super) struct OuterRun {
    pub(super) reporter: Reporter,
    /// The id of the call.
    pub(super) call_id: String,
    /// The path of the agent.
    pub(super) path: String,
}

impl Reporter {
    pub(super) fn new(
        queue: Option<EventQueue>,
        outer: Option<OuterRun>,
        live: Option<Arc<LiveRun>>,
    ) -> Self {
        let outer = outer.filter(|outer| outer.reporter.is_observed());
        Self {
            queue,
            outer: outer.map(Arc::new),
            live,
        }
    }

    /// The events of the run itself, if it is observed.
    pub(super) fn queue(&self) -> Option<&EventQueue> {
        self.queue.as_ref()
    }

    /// Whether anybody gets the events.
    pub(super) fn is_observed(&self) -> bool {
        self.queue.is_some() || self.outer.is_some() || self.live.is_some()
    }

    /// Whether there is room for a further part of an answer.
    pub(super) fn has_room(&self) -> bool {
        let (own, outer) = (self.queue.as_ref(), self.outer.as_ref());
        own.is_none_or(|queue| queue.len() < MAX_PARTS)
            && outer.is_none_or(|outer| outer.reporter.has_room())
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
        if let Some(outer) = &self.outer
            && let Some(event) = outer.nested(&event)
        {
            outer.reporter.push(event, most);
        }
        if let Some(live) = &self.live {
            live.push(event.clone());
        }
        if let Some(queue) = &self.queue {
            queue.push(event, most);
        }
    }
}

impl OuterRun {
    /// Returns an event of the agent as the observers of this run get it; `None` for an event that they do
    /// not get.
    fn nested(&self, event: &Event) -> Option<Event> {
        let (path, below, mut event) = match event {
            Event::Nested {
                path,
                call_id,
                event,
            } => (path, Some(call_id), (**event).clone()),
            event if event.is_last() => return None,
            Event::Steered { .. } => return None,
            event => (&self.path, None, event.clone()),
        };
        let id = match &mut event {
            Event::ToolStarted { call } => Some(&mut call.id),
            Event::ToolProgress { call_id, .. } => Some(call_id),
            Event::ToolFinished { invocation } => Some(&mut invocation.call_id),
            _ => None,
        };
        if let Some(id) = id {
            *id = format!("{}/{id}", self.call_id);
        }
        Some(Event::Nested {
            path: path.clone(),
            call_id: match below {
                Some(below) => format!("{}/{below}", self.call_id),
                None => self.call_id.clone(),
            },
            event: Box::new(event),
        })
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

    fn reporter(queue: &EventQueue) -> Reporter {
        Reporter::new(Some(queue.clone()), None, None)
    }

    #[test]
    fn yields_the_oldest_event_first_and_wakes_a_waiting_task_once() {
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(wakes.clone());
        let context = Context::from_waker(&waker);
        let queue = EventQueue::default();
        let reporter = reporter(&queue);
        assert!(queue.poll_waiting(&context).is_pending());
        reporter.send_progress(progress("one"));
        reporter.send_progress(progress("two"));
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        assert!(queue.poll_waiting(&context).is_ready());
        assert_eq!(queue.pop(), Some(progress("one")));
        assert_eq!(queue.pop(), Some(progress("two")));
        assert_eq!(queue.pop(), None);
    }

    #[test]
    fn drops_progress_beyond_the_bound_and_everything_after_the_end() {
        let queue = EventQueue::default();
        let reporter = reporter(&queue);
        for _ in 0..MAX_PROGRESS + 1 {
            reporter.send_progress(progress("again"));
        }
        assert_eq!(queue.len(), MAX_PROGRESS);
        assert!(!reporter.has_room());
        reporter.send(progress("not lost"));
        assert_eq!(queue.len(), MAX_PROGRESS + 1);
        queue.end();
        reporter.send(progress("late"));
        assert_eq!(queue.len(), MAX_PROGRESS + 1);
    }
}
