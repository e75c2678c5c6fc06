//! The runs of a journal that this process drives: their events so far, for followers, and the means to
//! cancel them and to send them messages.

use super::handle::RunHandle;
use crate::event::{Event, EventId, FollowedEvent};
use agent_tool::Cancellation;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedMutexGuard, watch};

/// The runs that this process drives, by their ids.
#[derive(Default)]
pub struct LiveRuns {
    runs: Mutex<HashMap<String, Arc<LiveRun>>>,
    /// Held while a task acquires a run from the journal, until the run is among `runs`.
    acquiring: Arc<tokio::sync::Mutex<()>>,
}

/// A run that this process drives.
pub struct LiveRun {
    /// The number of the lease.
    holder: u64,
    cancellation: Cancellation,
    handle: RunHandle,
    log: Mutex<EventLog>,
    /// Notified of each event, and of the end.
    changed: watch::Sender<()>,
}

/// The maximum number of events that are kept of a run. A model can stream faster than a follower reads, so that the
/// events would fill the memory.
const MAX_EVENTS: usize = 8192;

/// The events of a run since this process drives it. The parts of an answer are kept until the request after it.
#[derive(Default)]
struct EventLog {
    events: VecDeque<FollowedEvent>,
    /// The first step whose events are all in the log.
    first_step: u64,
    /// The step of the next event, and the number of the last one in it.
    step: u64,
    number: u64,
    is_over: bool,
}

/// The answer to a follower of a run that this process drives.
#[derive(Debug, PartialEq)]
pub enum Followed {
    /// The next events. There may be none yet.
    Events(Vec<FollowedEvent>),
    /// The next events, those of the steps before this one, are in the journal alone.
    Recorded(u64),
    /// The run is no longer driven here, and there are no further events.
    Over,
}

impl LiveRuns {
    /// Returns the run of an id, if this process drives it.
    pub fn get(&self, run: &str) -> Option<Arc<LiveRun>> {
        self.runs().get(run).cloned()
    }

    /// Waits until no task of this process acquires a run from the journal, and keeps others from it until the guard is
    /// dropped: a run whose lease is acquired and that is not live yet can neither be cancelled nor get messages.
    pub async fn acquiring(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.acquiring).lock_owned().await
    }

    /// Returns the ids of the runs that this process drives.
    pub fn ids(&self) -> Vec<String> {
        self.runs().keys().cloned().collect()
    }

    /// Adds a run that is driven from now on, whose journal has `step` records.
    pub(super) fn begin(
        &self,
        run: &str,
        (holder, step): (u64, u64),
        cancellation: Cancellation,
        handle: RunHandle,
    ) -> Arc<LiveRun> {
        let log = EventLog {
            first_step: step,
            step,
            ..EventLog::default()
        };
        let live = Arc::new(LiveRun {
            holder,
            cancellation,
            handle,
            log: Mutex::new(log),
            changed: watch::Sender::new(()),
        });
        self.runs().insert(run.to_owned(), Arc::clone(&live));
        live
    }

    /// Removes a run that is no longer driven.
    pub(super) fn end(&self, run: &str, live: &Arc<LiveRun>) {
        let mut runs = self.runs();
        if runs.get(run).is_some_and(|known| Arc::ptr_eq(known, live)) {
            runs.remove(run);
        }
        drop(runs);
        live.log().is_over = true;
        live.changed.send_replace(());
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<String, Arc<LiveRun>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveRun {
    /// Ends the run.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// The handle that sends messages to the model during the run.
    pub fn handle(&self) -> &RunHandle {
        &self.handle
    }

    /// Returns a receiver that is notified of each further event, and of the end.
    pub fn watch(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Waits until the run is no longer driven here.
    pub async fn ended(&self) {
        let mut changed = self.watch();
        while !self.log().is_over {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Returns the events after `last`, or all events without it. The follower has the events of all steps
    /// before `known`.
    pub fn after(&self, last: Option<EventId>, known: u64) -> Followed {
        let log = self.log();
        let first = match last {
            // An event of this holder is before `first_step` only if the oldest events were dropped.
            Some(last) if last.holder == self.holder => {
                let before = |id: EventId| (id.step, id.number) <= (last.step, last.number);
                let start = log.events.partition_point(|event| before(event.id));
                if start == 0 && (last.step, last.number) < (log.first_step, 0) {
                    return Followed::Recorded(log.first_step);
                }
                start
            }
            last => {
                let step = last.map_or(0, |last| last.step).max(known);
                if step < log.first_step {
                    return Followed::Recorded(log.first_step);
                }
                log.events.partition_point(|event| event.id.step < step)
            }
        };
        let mut events = Vec::new();
        if let Some(last) =
            last.filter(|last| last.holder != self.holder && last.step >= known.max(log.first_step))
        {
            let id = EventId::new(last.step, 0, self.holder);
            events.push(FollowedEvent::new(id, Event::StepReset { step: last.step }));
        }
        events.extend(log.events.range(first..).cloned());
        match events.is_empty() && log.is_over {
            true => Followed::Over,
            false => Followed::Events(events),
        }
    }

    /// Begins the step after `step` records.
    pub(super) fn begin_step(&self, step: u64) {
        let mut log = self.log();
        if log.step != step {
            (log.step, log.number) = (step, 0);
        }
    }

    /// Adds an event.
    pub(super) fn push(&self, event: Event) {
        let mut log = self.log();
        if matches!(event, Event::ModelCalled { .. }) {
            log.drop_parts();
        }
        log.number += 1;
        let id = EventId::new(log.step, log.number, self.holder);
        log.events.push_back(FollowedEvent::new(id, event));
        if log.events.len() > MAX_EVENTS
            && let Some(dropped) = log.events.pop_front()
        {
            log.first_step = log.first_step.max(dropped.id.step + 1);
        }
        drop(log);
        self.changed.send_replace(());
    }

    fn log(&self) -> MutexGuard<'_, EventLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog {
    /// Drops every part before the last complete answer of the first agent, those of nested agents too, because
    /// [`Event::ModelReplied`] has each of these answers as a whole.
    fn drop_parts(&mut self) {
        let replied = |event: &FollowedEvent| matches!(event.event, Event::ModelReplied { .. });
        let Some(last) = self.events.iter().rposition(replied) else {
            return;
        };
        let mut at = 0;
        self.events.retain(|event| {
            at += 1;
            at > last || !event.event.is_part()
        });
    }
}
