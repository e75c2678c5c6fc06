//! The runs of the agents that a run calls. They are in its state, so that a driver sees one state machine.

use super::agent_call::AgentCall;
use super::output::Output;
use super::place::Place;
use super::state::{CallState, Phase, State, Turn, TurnCall};
use super::step::{NestedStep, PendingCall, Step};
use super::{
    MAX_CALLS_AT_ONCE, MAX_RUN_BYTES, Run, UsageLimits, not_waiting, stated_compaction,
    stated_output, texts,
};
use crate::model::{ModelReply, ModelRequest, Usage};
use agent_spec::json::parse_json;
use agent_spec::types::Kind as TypeKind;
use agent_tool::__private::{ErrorKind, KeptMedia, MediaForm, part_to_json};
use agent_tool::Error;
use agent_tool::media::Part;
use agent_tool::tool::ToolError;
use serde_json::Value;
use std::sync::Arc;

/// An amount that agents used which the body of a tool called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spent {
    pub(super) usage: Usage,
    pub(super) cost: Option<f64>,
    pub(super) calls: usize,
    /// The size of their answers and results.
    pub(super) bytes: usize,
}

impl Default for Spent {
    fn default() -> Self {
        Self {
            usage: Usage::default(),
            cost: Some(0.0),
            calls: 0,
            bytes: 0,
        }
    }
}

impl Spent {
    /// Adds the amount that the run of an agent used.
    pub(crate) fn add(&mut self, run: &Run) {
        self.usage.add(&run.usage());
        self.cost = self.cost.and_then(|cost| Some(cost + run.cost()?));
        self.calls = self.calls.saturating_add(run.calls_asked());
        self.bytes = self.bytes.saturating_add(run.bytes_held());
    }
}

/// Work that is due, which the driver has not got yet.
#[derive(Debug)]
pub(crate) enum Due {
    /// A request of the run at this place.
    Request {
        place: Place,
        request: Box<ModelRequest>,
    },
    /// A call of the run at this place, and the id that it has there.
    Call {
        place: Place,
        id: String,
        call: PendingCall,
        is_agent: bool,
    },
}

/// The steps of nested runs.
impl Run {
    /// The place of the run among those that called each other.
    #[doc(hidden)]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the step of a run whose turn has calls of agents that go on.
    pub(super) fn parallel_step(&self) -> Step {
        let mut steps = Vec::new();
        self.add_steps(&mut steps);
        Step::Parallel(steps)
    }

    fn add_steps(&self, steps: &mut Vec<NestedStep>) {
        let step = match &self.state.phase {
            Phase::AskModel => Step::CallModel(self.request()),
            Phase::Summarise(summarising) => Step::Summarise(self.summary_request(summarising)),
            Phase::Tools(turn) => {
                for nested in turn.agents() {
                    nested.add_steps(steps);
                }
                let mut calls = turn.ready(&self.place);
                calls.retain(|call| !self.tools.is_agent(&call.tool));
                if calls.is_empty() {
                    return;
                }
                Step::CallTools(calls)
            }
            Phase::Done { .. } | Phase::Failed(_) => return,
        };
        steps.push(NestedStep {
            run: self.place.run.as_ref().to_owned(),
            path: self.place.path.as_ref().to_owned(),
            step,
        });
    }

    /// The calls that wait for a person, those of nested runs included.
    #[doc(hidden)]
    pub fn awaiting_approval(&self) -> Vec<PendingCall> {
        let Phase::Tools(turn) = &self.state.phase else {
            return Vec::new();
        };
        let mut calls = turn.awaiting_approval(&self.place);
        for nested in turn.agents() {
            calls.extend(nested.awaiting_approval());
        }
        calls
    }

    /// The runs that agents were called by and that go on, callers first.
    pub(crate) fn callers(&self) -> Vec<&Run> {
        let mut callers = Vec::new();
        if self.has_agents() {
            callers.push(self);
        }
        for agent in self.agents() {
            callers.extend(agent.callers());
        }
        callers
    }

    /// The runs of the agents that this run called and that go on.
    #[doc(hidden)]
    pub fn agents(&self) -> impl Iterator<Item = &Run> {
        let turn = match &self.state.phase {
            Phase::Tools(turn) => Some(turn),
            _ => None,
        };
        turn.into_iter().flat_map(Turn::agents)
    }

    /// Returns the places of the agents that have ended, callers first, and the number of those that go on.
    pub(crate) fn ended_agents(&self) -> (Vec<Arc<str>>, usize) {
        let (mut ended, mut going) = (Vec::new(), 0);
        self.add_ended(&mut ended, &mut going);
        (ended, going)
    }

    fn add_ended(&self, ended: &mut Vec<Arc<str>>, going: &mut usize) {
        for agent in self.agents() {
            if agent.is_over() {
                ended.push(Arc::clone(&agent.place.run));
            } else {
                *going += 1;
                agent.add_ended(ended, going);
            }
        }
    }

    /// The call of an agent that goes on.
    pub(crate) fn agent_call(&self, id: &str) -> Option<PendingCall> {
        let Phase::Tools(turn) = &self.state.phase else {
            return None;
        };
        let call = turn.call(id)?;
        match &call.state {
            CallState::Agent { arguments, .. } => Some(call.pending(&self.place, arguments)),
            _ => None,
        }
    }

    /// The error with which the run ended.
    #[doc(hidden)]
    pub fn failure(&self) -> Option<&Error> {
        match &self.state.phase {
            Phase::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// The tools of the agent.
    #[doc(hidden)]
    pub fn tools(&self) -> &agent_tool::library::BoundTools {
        &self.tools.0
    }

    /// Whether an agent that the run called goes on.
    pub(super) fn has_agents(&self) -> bool {
        match &self.state.phase {
            Phase::Tools(turn) => turn.agents().next().is_some(),
            _ => false,
        }
    }

    /// Adds the work that is due since the last call of this method. Unlike [`next`](Run::next), it adds each request
    /// and each call once.
    pub(crate) fn take_due(&mut self, due: &mut Vec<Due>) {
        self.compact_all();
        self.add_due(due);
    }

    fn add_due(&mut self, due: &mut Vec<Due>) {
        match &mut self.state.phase {
            Phase::AskModel | Phase::Summarise(_) => {
                if !std::mem::replace(&mut self.is_request_taken, true) {
                    due.push(Due::Request {
                        place: self.place.clone(),
                        request: Box::new(match &self.state.phase {
                            Phase::Summarise(summarising) => self.summary_request(summarising),
                            _ => self.request(),
                        }),
                    });
                }
            }
            Phase::Tools(turn) => {
                for call in turn.take_ready(&self.place) {
                    let is_agent = self.tools.is_agent(&call.tool);
                    // The run itself begins a call of an agent as others end.
                    if !is_agent || self.host.holds_agents {
                        due.push(Due::Call {
                            id: self.place.own_id(&call.id).to_owned(),
                            place: self.place.clone(),
                            call,
                            is_agent,
                        });
                    }
                }
                for nested in turn.agents_mut() {
                    nested.add_due(due);
                }
            }
            Phase::Done { .. } | Phase::Failed(_) => {}
        }
    }

    /// Makes all work due again, because the driver that took it is gone.
    pub(crate) fn give_back(&mut self) {
        self.is_request_taken = false;
        if let Phase::Tools(turn) = &mut self.state.phase {
            turn.give_back();
            for nested in turn.agents_mut() {
                nested.give_back();
            }
        }
    }

    /// Lets summaries be written before requests that are too long, in this run and in nested ones.
    pub(super) fn compact_all(&mut self) {
        if !self.is_request_taken {
            self.compact();
        }
        let Phase::Tools(turn) = &mut self.state.phase else {
            return;
        };
        let mut ended = Vec::new();
        for nested in turn.agents_mut() {
            nested.compact_all();
            if nested.is_over() {
                ended.push(nested.place.run.clone());
            }
        }
        for run in ended {
            self.settle(&run);
        }
    }

    /// Returns the run of this place: the ids of the calls that lead to it.
    #[doc(hidden)]
    pub fn run_at(&self, run: &str) -> Option<&Run> {
        if *self.place.run == *run {
            return Some(self);
        }
        let Phase::Tools(turn) = &self.state.phase else {
            return None;
        };
        turn.agent(self.place.next_id(run)?)?.run_at(run)
    }

    /// Returns the run of this place, to change it.
    #[doc(hidden)]
    pub fn run_at_mut(&mut self, run: &str) -> Option<&mut Run> {
        if *self.place.run == *run {
            return Some(self);
        }
        self.agent_towards(run)?.run_at_mut(run)
    }

    /// The agent of this run that is the run of a place, or leads to it.
    fn agent_towards(&mut self, run: &str) -> Option<&mut Run> {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return None;
        };
        turn.agent_mut(self.place.next_id(run)?)
    }

    /// Returns the run that a call belongs to, and the id that the call has there.
    pub(crate) fn run_of_call<'i>(&mut self, call_id: &'i str) -> Option<(&mut Run, &'i str)> {
        // A run that an older version saved may have `/` in the ids of the first run.
        let is_own = match &self.state.phase {
            Phase::Tools(turn) => turn.call(call_id).is_some(),
            _ => false,
        };
        match call_id.rsplit_once('/') {
            Some((run, id)) if !is_own => Some((self.run_at_mut(run)?, id)),
            _ => Some((self, call_id)),
        }
    }

    /// Takes the answer of a model to the request of a nested run, whose [`NestedStep::run`] this is. See
    /// [`model_replied`](Self::model_replied).
    ///
    /// # Errors
    /// Validation when that run does not wait for an answer; it is unchanged then.
    pub fn nested_model_replied(&mut self, run: &str, reply: ModelReply) -> Result<(), Error> {
        self.reply_to(run, reply)?;
        self.settle(run);
        Ok(())
    }

    /// Takes the answer of a model without [settling](Self::settle) it.
    pub(crate) fn reply_to(&mut self, run: &str, reply: ModelReply) -> Result<(), Error> {
        let usage = reply.counted();
        let nested = self.run_at_mut(run).ok_or_else(|| no_answer_due(run))?;
        let price = nested.cost_of(&reply);
        nested.model_replied(reply)?;
        self.count_nested(run, &usage, price);
        Ok(())
    }

    /// Takes the failure of the request of a nested run, whose [`NestedStep::run`] this is. See
    /// [`model_failed`](Self::model_failed). When that run ends, the call of its agent fails, and this run goes on.
    ///
    /// # Errors
    /// Validation when that run does not wait for an answer; it is unchanged then.
    pub fn nested_model_failed(&mut self, run: &str, error: Error) -> Result<(), Error> {
        let nested = self.run_at_mut(run).ok_or_else(|| no_answer_due(run))?;
        if !nested.awaits_reply() {
            return Err(no_answer_due(run));
        }
        // The error is in the state of the nested run.
        let _ = nested.model_failed(error);
        self.settle(run);
        Ok(())
    }

    /// Puts the run below the tool of this path, whose body calls the agent.
    ///
    /// # Errors
    /// Limit when the tool is as deep as agents may call each other.
    pub(crate) fn go_below(&mut self, tool: &str, depth_left: u32) -> Result<(), Error> {
        let name = self.agent.name();
        let Some(left) = depth_left.checked_sub(1) else {
            let text = texts::too_deep(name, tool);
            return Err(Error::new(ErrorKind::Limit, text));
        };
        self.set_place(self.place.below_tool(tool, &self.agent, left));
        Ok(())
    }

    /// The limits that are left to this run.
    pub(crate) fn limits_left(&self) -> UsageLimits {
        let state = &self.state;
        match state.limits == UsageLimits::new() {
            true => state.limits,
            false => state
                .limits
                .left(&state.usage, state.cost, self.calls_asked()),
        }
    }

    /// Adds the amounts that agents used which the body of a tool called.
    pub(crate) fn count_call(&mut self, run: &str, id: &str, spent: &Spent) {
        let Spent { usage, cost, .. } = spent;
        if let Some(own) = self.run_at_mut(run) {
            own.add_usage(usage, *cost);
            own.state.nested_calls = own.state.nested_calls.saturating_add(spent.calls);
            own.state.bytes = own.state.bytes.saturating_add(spent.bytes);
            if let Phase::Tools(turn) = &mut own.state.phase
                && let Some(call) = turn.open_call_mut(id)
                && let CallState::Finished(outcome) = &mut call.state
            {
                outcome.usage = Some((*usage, *cost));
            }
        }
        self.count_nested(run, usage, *cost);
    }

    /// Adds usage to this run and to each one between it and the run at a place, without that run.
    fn count_nested(&mut self, run: &str, usage: &Usage, price: Option<f64>) {
        if *self.place.run == *run {
            return;
        }
        self.add_usage(usage, price);
        if let Some(nested) = self.agent_towards(run) {
            nested.count_nested(run, usage, price);
        }
    }

    /// Gives each run on the way to a place the results of the agents that have ended, the deepest first, and ends
    /// the whole run when its limits are reached.
    pub(super) fn settle(&mut self, run: &str) {
        self.settle_below(run);
        self.hold_limits();
    }

    /// Ends the first run when the agents that it called have reached its limits.
    pub(crate) fn hold_limits(&mut self) {
        if !self.place.run.is_empty() || !self.has_agents() {
            return;
        }
        // The results of agents that go on would need a further request of this run.
        let reached = self.limit_reached().or_else(|| self.nested_call_limit());
        let is_full = self.bytes_held() > MAX_RUN_BYTES;
        let reached = reached.or_else(|| is_full.then(|| texts::too_many_bytes(self.agent.name())));
        if let Some(text) = reached {
            self.answer_rest();
            self.fail(ErrorKind::Limit, text);
        }
    }

    fn settle_below(&mut self, run: &str) {
        if *self.place.run == *run {
            return;
        }
        let Some(nested) = self.agent_towards(run) else {
            return;
        };
        nested.settle_below(run);
        if nested.is_over() {
            let id = last_id(&nested.place.run).to_owned();
            let kept = KeptMedia::default();
            if !self.host.holds_agents
                && let Some(result) = self.agent_result(&id, &kept)
            {
                self.take_agent_result(&id, result, &kept);
            }
        }
    }

    /// Takes the [result](Self::agent_result) of an agent that has ended as that of its call.
    pub(crate) fn take_agent_result(
        &mut self,
        id: &str,
        result: Result<Value, ToolError>,
        kept: &KeptMedia,
    ) {
        // The call is there, since its agent is.
        if self.take_result(id, result, kept).is_ok() {
            self.advance();
        }
    }

    /// Returns the result of the call of an agent that has ended. `kept` gets the bytes of media.
    pub(crate) fn agent_result(
        &self,
        id: &str,
        kept: &KeptMedia,
    ) -> Option<Result<Value, ToolError>> {
        let Phase::Tools(turn) = &self.state.phase else {
            return None;
        };
        let CallState::Agent { run, .. } = &turn.call(id)?.state else {
            return None;
        };
        match &run.state.phase {
            Phase::Done { parts, .. } => Some(Ok(run.value_of(parts, kept))),
            // Its own time limit, and not that of a request.
            Phase::Failed(error) if error.is_limit() && error.is_timeout() => {
                Some(Err(ToolError::Timeout))
            }
            Phase::Failed(error) => {
                let text = texts::agent_failed(run.agent.name(), error);
                Some(Err(ToolError::Execution(text)))
            }
            _ => None,
        }
    }

    /// The answer of a run as the result of a call.
    fn value_of(&self, parts: &[Part], kept: &KeptMedia) -> Value {
        let text = || -> String { parts.iter().filter_map(Part::as_text).collect() };
        if self.is_typed() {
            return parse_json(&text()).unwrap_or_default();
        }
        if let TypeKind::Media(_) = self.agent.signature().returns().ty().kind()
            && let Some(part) = parts.iter().find(|part| part.media().is_some())
        {
            kept.keep(part.media().cloned());
            return part_to_json(part, MediaForm::Digest);
        }
        Value::String(text())
    }

    /// The number of calls that this run and those that it called asked for.
    pub(crate) fn calls_asked(&self) -> usize {
        let mut asked = self
            .state
            .invocations
            .len()
            .saturating_add(self.state.nested_calls);
        if let Phase::Tools(turn) = &self.state.phase {
            asked = asked.saturating_add(turn.calls.len() - turn.accounted);
            for nested in turn.agents() {
                asked = asked.saturating_add(nested.calls_asked());
            }
        }
        asked
    }

    /// The size of the answers and results of this run and of those that it called.
    fn bytes_held(&self) -> usize {
        let agents = self.agents().map(Self::bytes_held);
        agents.fold(self.state.bytes, usize::saturating_add)
    }

    /// The text that names the limit of calls which the agents have passed.
    fn nested_call_limit(&self) -> Option<String> {
        let reached = self.state.limits.calls_reached(self.calls_asked(), 0)?;
        Some(format!("the agent `{}` {reached}", self.agent.name()))
    }
}

/// Beginning nested runs.
impl Run {
    /// Begins the runs of the agents that are called, as far as calls are open.
    pub(super) fn start_agents(&mut self) {
        if self.host.holds_agents {
            return;
        }
        while let Phase::Tools(turn) = &mut self.state.phase {
            let Some(at) = turn.next_unseen(MAX_CALLS_AT_ONCE) else {
                return;
            };
            if let CallState::Ready { .. } = &turn.calls[at].state
                && self.tools.is_agent(turn.calls[at].made().tool())
                && let Err(error) = self.start_agent(at)
                && let Phase::Tools(turn) = &mut self.state.phase
            {
                turn.refuse(at, error);
            }
        }
    }

    /// Begins the run of an agent for a call that a hook let pass.
    ///
    /// # Errors
    /// The result of the call when the run cannot begin.
    pub(crate) fn begin_agent(&mut self, id: &str) -> Result<(), ToolError> {
        let Phase::Tools(turn) = &self.state.phase else {
            return Ok(());
        };
        match turn.place(id) {
            Some(at) => self.start_agent(at),
            None => Ok(()),
        }
    }

    fn start_agent(&mut self, at: usize) -> Result<(), ToolError> {
        let Phase::Tools(turn) = &self.state.phase else {
            return Ok(());
        };
        let call = turn.calls[at].made();
        let CallState::Ready { arguments, .. } = &turn.calls[at].state else {
            return Ok(());
        };
        let run = Box::new(self.nested(call.tool(), call.id(), arguments)?);
        let arguments = arguments.clone();
        if let Phase::Tools(turn) = &mut self.state.phase {
            turn.set_state(at, CallState::Agent { arguments, run });
        }
        Ok(())
    }

    /// Creates the run of an agent that a call calls.
    fn nested(&self, tool: &str, call_id: &str, arguments: &str) -> Result<Run, ToolError> {
        if self.place.depth_left() == 0 {
            let text = texts::too_deep(tool, &self.place.path);
            return Err(ToolError::Authorization(text));
        }
        let failed = |error: &Error| ToolError::Execution(texts::agent_failed(tool, error));
        let (agent, tools) = self.tools.0.agent(tool).map_err(|error| failed(&error))?;
        let agent = tools.complete(agent).map_err(|error| failed(&error))?;
        let arguments = parse_json(arguments).unwrap_or_default();
        let variables = &self.state.variables;
        let call = AgentCall::of_arguments(&agent, arguments, variables).map_err(|error| {
            match error.is_validation() {
                true => ToolError::Validation(error.to_string()),
                false => failed(&error),
            }
        })?;
        let output = stated_output(&agent).map(|ty| Output::new(ty, agent.tools(), None));
        let output = output.transpose().map_err(|error| failed(&error))?;
        let id = format!("{}/{call_id}", self.state.id);
        let mut state = State::new(id, vec![call.message], UsageLimits::new());
        state.variables = Arc::clone(variables);
        state.unknown_calls = self.state.unknown_calls.clone();
        let compaction = self.host.compaction.clone();
        state.compaction = compaction.or_else(|| stated_compaction(&agent, &self.host));
        let place = self.place.below(call_id, &agent);
        let mut run = Self::assemble(agent, call.instruction, &tools, output, state);
        run.place = place;
        run.host = self.host.clone();
        Ok(run)
    }

    /// Puts a saved run in the place of a call.
    pub(super) fn resume_agent(&mut self, at: usize, mut run: Run) {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return;
        };
        let TurnCall { call, state, .. } = &turn.calls[at];
        let CallState::Ready { arguments, .. } = state else {
            return;
        };
        let arguments = arguments.clone();
        run.set_place(self.place.below(call.id(), &run.agent));
        let run = Box::new(run);
        turn.set_state(at, CallState::Agent { arguments, run });
    }

    pub(super) fn set_place(&mut self, place: Place) {
        if let Phase::Tools(turn) = &mut self.state.phase {
            for nested in turn.agents_mut() {
                let id = last_id(&nested.place.run).to_owned();
                let below = place.below(&id, &nested.agent);
                nested.set_place(below);
            }
        }
        self.place = place;
    }
}

/// Whether the run at a place is the one that is looked for, or one that leads to it.
pub(crate) fn leads_to(place: &str, run: &str) -> bool {
    run.strip_prefix(place)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The place of the run that called the one at a place.
pub(crate) fn caller_of(run: &str) -> &str {
    run.rsplit_once('/').map_or("", |(caller, _)| caller)
}

/// The id of the call that a nested run answers.
pub(crate) fn last_id(run: &str) -> &str {
    run.rsplit_once('/').map_or(run, |(_, id)| id)
}

fn no_answer_due(run: &str) -> Error {
    not_waiting("an answer to a request", run)
}
