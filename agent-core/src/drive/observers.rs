//! Reporting the events of a run to its observer and its stream.

use super::host::CallingTool;
use super::scope::Scope;
use super::spans;
use crate::event::Event;
use crate::run::AgentRun;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The callback that a host gives to observe a run.
pub(super) type Observer<'a> = Option<&'a mut (dyn FnMut(&Event) + Send)>;

/// The number of queued events from which on no further part is read from a model.
const MAX_QUEUED: usize = 16;

/// The events that a stream has not yielded yet.
///
/// Only the parts of a model's answer wait for room. Other events need no bound of their own: the driver
/// bounds the reports of tools, and all other events are a few for each call.
#[derive(Clone, Debug, Default)]
pub struct EventQueue(Arc<Mutex<VecDeque<Event>>>);

impl EventQueue {
    fn push(&self, event: Event) {
        self.events().push_back(event);
    }

    /// Takes the oldest event.
    pub fn pop(&self) -> Option<Event> {
        self.events().pop_front()
    }

    /// Whether a further part of an answer may come.
    pub(super) fn has_room(&self) -> bool {
        self.events().len() < MAX_QUEUED
    }

    fn events(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The receivers of a run's events: a callback, the queue of a stream, both or neither.
pub(super) struct Observers<'o> {
    callback: Observer<'o>,
    queue: Option<EventQueue>,
    /// The call whose tool called the agent, and the path of the agent.
    caller: Option<(CallingTool, String)>,
}

impl<'o> Observers<'o> {
    pub(super) fn new(
        callback: Observer<'o>,
        queue: Option<EventQueue>,
        caller: Option<(CallingTool, String)>,
    ) -> Self {
        Self {
            callback,
            queue,
            caller: caller.filter(|(caller, _)| caller.is_observed()),
        }
    }

    /// Whether there is a receiver.
    pub(super) fn is_any(&self) -> bool {
        self.callback.is_some() || self.queue.is_some() || self.caller.is_some()
    }

    /// The queue of a stream.
    pub(super) fn queue(&self) -> Option<EventQueue> {
        self.queue.clone()
    }

    /// Sends an event to each receiver.
    pub(super) fn notify(&mut self, event: Event) {
        if let Some(callback) = &mut self.callback {
            callback(&event);
        }
        if let Some((caller, path)) = &self.caller {
            caller.report(path, &event);
        }
        if let Some(queue) = &self.queue {
            queue.push(event);
        }
    }

    /// Sends an event to each receiver. Does not create the event if there is none.
    pub(super) fn notify_with(&mut self, event: impl FnOnce() -> Event) {
        if self.is_any() {
            self.notify(event());
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
