//! The events of a run, from its records.

use crate::conversation::ReadError;
use crate::event::{Event, EventId, FollowedEvent};
use crate::response::readable;
use crate::run::place::caller_and_id;
use crate::run::record::{Replay, RunRecord};
use crate::run::{Place, Run, Step};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The events of a run that follow from its records: those that observers get, without the parts of answers
/// and the progress of tools.
pub struct RecordedEvents {
    replay: Replay,
    /// The step of the last record.
    step: u64,
    events: Vec<FollowedEvent>,
    /// The agents that were called, by the ids of the calls that lead to them.
    called: HashSet<Arc<str>>,
    /// The number of the invocations that were reported, by the places of their runs.
    reported: HashMap<Arc<str>, usize>,
}

impl RecordedEvents {
    /// Begins with the run of the record of its start.
    #[must_use]
    pub fn new(run: Run, start: &Value) -> Self {
        Self {
            replay: Replay::new(run, start),
            step: step_of(start),
            events: Vec::new(),
            called: HashSet::new(),
            reported: HashMap::new(),
        }
    }

    /// Continues with the run of a later start, whose record has the state of the run.
    pub fn start_again(&mut self, run: Run, start: &Value) {
        self.end_step();
        self.replay = Replay::new(run, start);
        self.step = step_of(start);
    }

    /// Adds the events of a record.
    ///
    /// # Errors
    /// When the record cannot be read, or does not fit the run.
    pub fn apply(&mut self, record: &Value) -> Result<(), ReadError> {
        let step = step_of(record);
        if step != self.step {
            self.end_step();
            self.step = step;
        }
        match RunRecord::read(record)? {
            RunRecord::Replied { run, reply, .. } => {
                let own = self.replay.run().run_at(&run);
                let index = own.map_or(0, |own| own.message_count());
                let summarised = own.filter(|own| own.summarises());
                let summarised = summarised.map(|own| own.summary_usage());
                let answered = self.replay.apply(record)?;
                if let Some(request) = answered {
                    let model = request.model.clone();
                    self.add(
                        &run,
                        match summarised.is_some() {
                            true => Event::CompactionStarted { model },
                            false => Event::ModelCalled { model },
                        },
                    );
                }
                let Some(own) = self.replay.run().run_at(&run) else {
                    return Ok(());
                };
                let mut usage = reply.counted();
                let event = match summarised {
                    None => Some(Event::ModelReplied {
                        parts: readable(&reply.parts),
                        calls: own.calls_at(index).to_vec(),
                        finish_reason: reply.finish_reason,
                        usage,
                        usage_parts: reply.usage_parts,
                    }),
                    Some(before) => {
                        usage.add(&before);
                        let summary = own.message_at(index);
                        let summary = summary.filter(|message| message.is_summary()).cloned();
                        summary.map(|summary| Event::Compacted { summary, usage })
                    }
                };
                if let Some(event) = event {
                    self.add(&run, event);
                }
            }
            RunRecord::RequestFailed { run, .. } => {
                if let Some(request) = self.replay.apply(record)? {
                    let model = request.model.clone();
                    self.add(&run, Event::ModelCalled { model });
                }
            }
            RunRecord::CallBegun { run, call, .. } => {
                self.replay.apply(record)?;
                self.add_started(&run, &call);
            }
            RunRecord::Said { messages } => {
                self.replay.apply(record)?;
                for message in messages {
                    let message = message.into_steering();
                    self.add("", Event::Steered { message });
                }
            }
            RunRecord::Ended { error, .. } => {
                self.replay.apply(record)?;
                self.end_step();
                let event = match &error {
                    Some(error) => Event::of_error(error),
                    None => self.finished()?,
                };
                self.add("", event);
            }
            _ => {
                self.replay.apply(record)?;
            }
        }
        self.collect();
        Ok(())
    }

    /// Returns the events of the steps from `first` on, and the run after all records. `is_waiting` means
    /// that the run is paused, and `count` is the number of its records.
    #[must_use]
    pub fn finish(mut self, first: u64, is_waiting: bool, count: u64) -> (Vec<FollowedEvent>, Run) {
        self.end_step();
        let (run, _) = self.replay.finish();
        let mut events = self.events;
        if is_waiting {
            let calls = run.awaiting_approval();
            // The id is before the first event of the step in which the run continues, and after a reset.
            let id = EventId::new(count, 1, 0);
            events.push(FollowedEvent::new(id, Event::Waiting { calls }));
        }
        let start = events.partition_point(|event| event.id.step < first);
        events.drain(..start);
        (events, run)
    }

    /// Ends the last step, as the driver does before the next one.
    fn end_step(&mut self) {
        self.replay.end_step();
        self.collect();
    }

    /// Adds the events of agents that were called and of calls that got their results since the last record.
    fn collect(&mut self) {
        let mut found = Vec::new();
        for (place, own) in self.replay.run().runs() {
            if !place.run.is_empty() && self.called.insert(Arc::clone(&place.run)) {
                let (caller, id) = caller_and_id(&place.run);
                found.extend(started(self.replay.run(), caller, id));
            }
            let reported = self.reported.entry(Arc::clone(&place.run)).or_default();
            for invocation in own.invocations().get(*reported..).unwrap_or_default() {
                let mut invocation = invocation.clone();
                invocation.call_id = place.call_id(&invocation.call_id);
                found.push(located(place, Event::ToolFinished { invocation }));
            }
            *reported = own.invocations().len();
        }
        for event in found {
            push(&mut self.events, self.step, event);
        }
    }

    fn add_started(&mut self, place: &str, id: &str) {
        let run = self.replay.run();
        if let Some(event) = started(run, place, id) {
            push(&mut self.events, self.step, event);
        }
        if let Some(place) = run.place_of(place) {
            self.called.insert(place.call_id(id).into());
        }
    }

    fn add(&mut self, place: &str, event: Event) {
        let event = match self.replay.run().place_of(place) {
            Some(place) => located(place, event),
            None => event,
        };
        push(&mut self.events, self.step, event);
    }

    /// The last event of a run that has an answer.
    fn finished(&self) -> Result<Event, ReadError> {
        match self.replay.run().clone().next() {
            Ok(Step::Done(response)) => Ok(Event::Finished { response }),
            Ok(_) => Err(ReadError::new("it ends a run that goes on")),
            Err(error) => Ok(Event::of_error(&error)),
        }
    }
}

fn step_of(record: &Value) -> u64 {
    record["step"].as_u64().unwrap_or_default()
}

fn push(events: &mut Vec<FollowedEvent>, step: u64, event: Event) {
    let last = events.last().filter(|last| last.id.step == step);
    // Number 1 belongs to a pause.
    let number = last.map_or(2, |last| last.id.number + 1);
    let id = EventId::new(step, number, 0);
    events.push(FollowedEvent::new(id, event));
}

/// The beginning of a call of the run at a place.
fn started(run: &Run, place: &str, id: &str) -> Option<Event> {
    let (_, mut call) = run.run_at(place)?.call_made(id)?;
    let place = run.place_of(place)?;
    place.locate(&mut call);
    Some(located(place, Event::ToolStarted { call }))
}

/// An event of the run at a place as the observers of the first run get it.
fn located(place: &Place, event: Event) -> Event {
    match place.run.is_empty() {
        true => event,
        false => event.nested(&place.path, &place.run),
    }
}
