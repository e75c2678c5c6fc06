//! Telling whoever watches a run what happens.

use super::spans;
use crate::event::Event;
use crate::run::Run;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What watches a run.
pub(crate) type Observer<'a> = Option<&'a mut (dyn FnMut(&Event) + Send)>;

/// How many events wait in a queue before a model is no longer read.
const QUEUED: usize = 16;

/// Events on their way to whoever reads a stream of them.
///
/// Only the model's parts wait for room. Everything else is little: what tools report is bounded by
/// the driver, and the rest is a few events a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventQueue(Arc<Mutex<VecDeque<Event>>>);

impl EventQueue {
    fn push(&self, event: Event) {
        self.events().push_back(event);
    }

    pub(crate) fn pop(&self) -> Option<Event> {
        self.events().pop_front()
    }

    fn has_room(&self) -> bool {
        self.events().len() < QUEUED
    }

    fn events(&self) -> std::sync::MutexGuard<'_, VecDeque<Event>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who is told what happens: a callback, the reader of a queue, both or nobody.
#[derive(Default)]
pub(crate) struct Audience<'o> {
    pub(crate) observer: Observer<'o>,
    pub(crate) queue: Option<EventQueue>,
    /// How many of the run's invocations were told.
    pub(crate) told: usize,
}

impl Audience<'_> {
    /// Tells of an event, which is not made when nobody listens.
    pub(crate) fn tell_of(&mut self, event: impl FnOnce() -> Event) {
        if self.listens() {
            self.tell(event());
        }
    }

    /// Whether anybody is told anything.
    pub(crate) fn listens(&self) -> bool {
        self.observer.is_some() || self.queue.is_some()
    }

    pub(crate) fn tell(&mut self, event: Event) {
        if let Some(observer) = &mut self.observer {
            observer(&event);
        }
        if let Some(queue) = &self.queue {
            queue.push(event);
        }
    }

    /// Tells of the calls that got their result since the last time.
    pub(crate) fn tell_invocations(&mut self, run: &Run) {
        let all = run.invocations();
        for invocation in all.get(self.told..).unwrap_or_default() {
            spans::tool_answered(invocation);
            self.tell_of(|| Event::ToolFinished {
                invocation: invocation.clone(),
            });
        }
        self.told = all.len();
    }

    /// Whether whoever reads the queue can take more of a model's parts.
    pub(crate) fn room(&self) -> impl Fn() -> bool + Sync + use<> {
        let queue = self.queue.clone();
        move || queue.as_ref().is_none_or(EventQueue::has_room)
    }
}
