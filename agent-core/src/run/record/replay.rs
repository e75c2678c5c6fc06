//! Replaying the records of a run.

use super::{CallPlaces, Read, RunRecord};
use crate::conversation::{Message, ReadError};
use crate::model::ModelRequest;
use crate::run::agent_run::AgentRun;
use crate::run::state::{Begun, CallState, Outcome, Phase};
use crate::run::{Decision, Due, PendingCall, Place, Run, Spent};
use agent_spec::ToolSettings;
use agent_tool::Error;
use serde_json::Value;
use std::sync::Arc;

/// A run that gets the records that follow its start.
pub struct Replay {
    run: Run,
    /// The places of the runs whose calls finished in this step, and whose results are not counted yet.
    called: Vec<Arc<str>>,
    /// Whether the run has begun the due requests and calls of this step.
    is_begun: bool,
    step: Option<u64>,
    /// The calls whose recorded arguments are not those that were used.
    masked: CallPlaces,
    /// The requests without answers, and the places of their runs.
    requests: Vec<(Arc<str>, Box<ModelRequest>)>,
    /// Whether the run may be that of another agent, or have other tools, than the run that was recorded.
    is_other: bool,
    /// The outcomes of calls that the other run has not opened yet, with the places of their runs and their ids.
    late: Vec<(String, String, Outcome)>,
}

impl Replay {
    /// Creates the replay of a run, as the record of its start has it.
    pub fn new(run: Run, start: &Value) -> Self {
        Self {
            run,
            called: Vec::new(),
            is_begun: false,
            step: start.get("step").and_then(Value::as_u64),
            masked: Vec::new(),
            requests: Vec::new(),
            is_other: false,
            late: Vec::new(),
        }
    }

    /// Replays the records of a run in another run, whose agent or tools differ. Records that do not fit the
    /// other run are skipped.
    #[must_use]
    pub fn of_other(mut self) -> Self {
        self.is_other = true;
        self
    }

    /// The run after the records so far.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Approves all calls that wait for a decision, except for these.
    pub fn approve_except(&mut self, waiting: &[PendingCall]) {
        for call in self.run.awaiting_approval() {
            if waiting.iter().all(|other| other.id != call.id) {
                // The call waits, so that it can be approved.
                let _ = self.run.approve(&call.id, Decision::Approve);
            }
        }
    }

    /// Ends the last step. Returns the requests that are under way, and the places of their runs.
    pub fn under_way(&mut self) -> Vec<(Arc<str>, Box<ModelRequest>)> {
        self.end_step();
        let mut requests = std::mem::take(&mut self.requests);
        requests.retain(|(place, _)| self.awaits_reply(place));
        requests
    }

    fn awaits_reply(&self, place: &str) -> bool {
        self.run.run_at(place).is_some_and(AgentRun::awaits_reply)
    }

    /// Returns the run after all records, and its calls that were begun, have no result and may not be made again without
    /// a person's decision.
    pub fn finish(mut self) -> (Run, CallPlaces) {
        self.end_step();
        let doubted = self.run.calls_in_doubt(&self.masked);
        // The earlier process has reported the invocations.
        self.run.mark_reported();
        (self.run, doubted)
    }

    /// Applies a record to the run. Returns the request that the record answers, if it is an answer.
    ///
    /// # Errors
    /// When the record cannot be read, or does not fit the run.
    pub fn apply(&mut self, record: &Value) -> Read<Option<Box<ModelRequest>>> {
        let step = record.get("step").and_then(Value::as_u64);
        if step != self.step {
            self.end_step();
            self.step = step;
            self.is_begun = false;
        }
        let record = RunRecord::read(record)?;
        match record {
            RunRecord::Replied { .. }
            | RunRecord::RequestFailed { .. }
            | RunRecord::CallFinished { .. } => {}
            _ => self.advance(),
        }
        match record {
            RunRecord::Started { .. } => return Err(ReadError::new("the run has begun already")),
            RunRecord::Replied { run, reply, .. } => {
                let answered = self.answered(&run);
                if !self.is_other || self.awaits_reply(&run) {
                    let replied = self.run.reply_to(&run, reply);
                    replied.map_err(|error| not_fitting("replied", &error))?;
                }
                return Ok(answered);
            }
            RunRecord::RequestFailed { run, error, .. } => {
                let answered = self.answered(&run);
                if let Some(own) = self.run_at(&run)? {
                    // The error that ends the run is in its state.
                    let _ = own.model_failed(error.again());
                }
                return Ok(answered);
            }
            RunRecord::CallFinished {
                run,
                call,
                outcome,
                spent,
                ..
            } => self.finish_call(run, call, outcome, spent)?,
            RunRecord::CallBegun {
                run,
                call,
                is_masked,
                ..
            } => {
                self.begin_due();
                if let Some(own) = self.run_at(&run)? {
                    own.begin_call(&call);
                }
                if is_masked {
                    self.masked.push((run.into(), call));
                }
            }
            RunRecord::AgentBegun {
                run,
                call,
                arguments,
            } => {
                if let Some(own) = self.run_at(&run)? {
                    own.change_arguments(&call, arguments);
                }
                // The failure is recorded as the outcome of the call.
                let _ = self.run.begin_agent(&run, &call);
            }
            RunRecord::AgentEnded { run, .. } => {
                self.run_at(&run)?;
                self.run.take_agent_result(&run);
            }
            RunRecord::Stopped { run, error } => {
                self.run_at(&run)?;
                self.run.stop(&run, error.again());
            }
            RunRecord::AnswerInterrupted { text } => {
                self.run.first_mut().keep_interrupted(&text);
            }
            RunRecord::Said { messages } => {
                for message in messages {
                    self.run.first_mut().replay_message(message);
                }
            }
            RunRecord::DecisionMade { call, decision } => {
                if self.is_other && !self.run.awaits_decision(&call) {
                    self.run.ask(&call);
                }
                let decided = self.run.approve_again(&call, decision);
                if !self.is_other {
                    decided.map_err(|error| not_fitting("decisionMade", &error))?;
                }
            }
            RunRecord::CallInDoubt { run, call } => {
                self.run_at(&run)?;
                self.run.doubt(&run, &call);
            }
            RunRecord::DecisionAsked { .. } | RunRecord::Ended { .. } => {}
        }
        Ok(None)
    }

    /// Removes and returns the last request of the run at a place.
    fn answered(&mut self, place: &str) -> Option<Box<ModelRequest>> {
        let mut requests = self.requests.iter();
        let at = requests.rposition(|(run, _)| **run == *place)?;
        Some(self.requests.swap_remove(at).1)
    }

    /// Returns the run at a place. `None` if no run is there and the records are those of another run.
    fn run_at(&mut self, place: &str) -> Read<Option<&mut AgentRun>> {
        match self.run.run_at_mut(place) {
            None if !self.is_other => {
                Err(ReadError::new(format!("the run has no agent at `{place}`")))
            }
            run => Ok(run),
        }
    }

    fn finish_call(
        &mut self,
        place: String,
        id: String,
        outcome: Option<Outcome>,
        spent: Option<Spent>,
    ) -> Read<()> {
        if let Some(outcome) = outcome {
            let is_other = self.is_other;
            match self.run_at(&place)? {
                Some(own) if !is_other || own.takes_outcome(&id) => self
                    .run
                    .put_outcome(&place, &id, outcome)
                    .map_err(|error| not_fitting("callFinished", &error))?,
                // The tool of the call runs alone in the other run, so that the call may not be open yet.
                _ => self.late.push((place.clone(), id.clone(), outcome)),
            }
        }
        if let Some(spent) = spent {
            self.run.count_call(&place, &id, &spent);
        }
        self.called.push(place.into());
        Ok(())
    }

    /// Counts the results of the calls that finished.
    fn advance(&mut self) {
        for place in std::mem::take(&mut self.called) {
            self.run.advance(&place);
        }
        while let Some(at) = self.late.iter().position(|(place, id, _)| {
            let own = self.run.run_at(place);
            own.is_some_and(|own| own.takes_outcome(id))
        }) {
            let (place, id, outcome) = self.late.remove(at);
            // The run accepts the outcome, because the call is open.
            let _ = self.run.put_outcome(&place, &id, outcome);
            self.run.advance(&place);
        }
    }

    /// Begins the due requests and calls of the run, as a driver does once in a step.
    fn begin_due(&mut self) {
        if std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        self.run.enforce_limits();
        if !self.run.is_over() && self.run.awaiting_approval().is_empty() {
            let mut due = Vec::new();
            self.run.take_due(&mut due);
            for due in due {
                if let Due::Request { place, request } = due {
                    self.requests.push((place.run, request));
                }
            }
        }
    }

    /// Ends the last step.
    pub(crate) fn end_step(&mut self) {
        self.advance();
        self.begin_due();
        self.run.enforce_limits();
    }
}

/// The calls of a run that a crash interrupted.
impl AgentRun {
    /// Adds a message that was sent during the run, as the driver did.
    fn replay_message(&mut self, message: Message) {
        let is_late = self.is_over() && self.failure().is_some() || self.state.is_answer_taken;
        match is_late {
            true => self.state.history.push(message),
            false => {
                self.state.said.push(message);
                self.append_pending_messages();
            }
        }
    }

    /// Adds the calls that were begun and have no result, and whose tools may not run twice or not with the arguments
    /// that are recorded.
    pub(in crate::run) fn add_calls_in_doubt(
        &self,
        place: &Place,
        masked: &CallPlaces,
        calls: &mut CallPlaces,
    ) {
        let Phase::Tools(turn) = &self.state.phase else {
            return;
        };
        for call in &turn.calls {
            let tool = call.made().tool();
            if let CallState::Ready {
                begun: Begun::Yes, ..
            } = &call.state
                && !self.tools.is_agent(tool)
            {
                let call = (Arc::clone(&place.run), call.call.id().to_owned());
                let may_run_twice = self.tools.settings(tool).is_some_and(may_run_twice);
                if !may_run_twice || masked.contains(&call) {
                    calls.push(call);
                }
            }
        }
    }

    /// Whether the call of an id is open and has no outcome.
    fn takes_outcome(&self, id: &str) -> bool {
        self.call_made(id).is_some()
    }
}

fn may_run_twice(settings: &ToolSettings) -> bool {
    settings.idempotent || settings.read_only
}

fn not_fitting(kind: &str, error: &Error) -> ReadError {
    ReadError::new(format!("its `{kind}` does not fit the run: {error}"))
}
