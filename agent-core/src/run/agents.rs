//! The runs that call each other, for the driver and for replays: which runs are due, and which usage of a
//! run counts for its callers.

use super::agent_run::AgentRun;
use super::place::{CallPlaces, Place, caller_and_id, joined, leads_to};
use super::state::Outcome;
use super::step::{NestedStep, PendingCall, Step};
use super::{MAX_CALLS_AT_ONCE, MAX_RUN_BYTES, Run, UsageLimits, not_waiting, texts};
use crate::conversation::Taint;
use crate::model::{ModelReply, ModelRequest, Usage};
use agent_spec::{Agent, WhenTainted};
use agent_tool::__private::{ErrorKind, KeptMedia};
use agent_tool::Error;
use agent_tool::library::BoundTools;
use agent_tool::tool::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A run among those that call each other.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    /// The indexes of the calls that lead to the run. They sort agents in the order of their calls.
    pub(super) order: Vec<usize>,
    pub(super) run: AgentRun,
}

/// The usage of agents that the body of a tool called.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Spent {
    usage: Usage,
    cost: Option<f64>,
    calls: usize,
    /// The size of the answers and results of the agents.
    bytes: usize,
    /// The taint of the agents.
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    taint: Taint,
}

impl Default for Spent {
    fn default() -> Self {
        Self {
            usage: Usage::default(),
            cost: Some(0.0),
            calls: 0,
            bytes: 0,
            taint: Taint::Clean,
        }
    }
}

impl Spent {
    /// Adds the usage of a run and of the agents that it called.
    pub(crate) fn add(&mut self, run: &Run) {
        self.usage.add(&run.usage());
        self.cost = self.cost.and_then(|cost| Some(cost + run.cost()?));
        self.calls = self.calls.saturating_add(run.calls_asked());
        self.bytes = self.bytes.saturating_add(run.bytes_held());
        self.taint = self.taint.max(run.first().taint());
    }

    /// Whether words of strangers have entered one of the agents.
    pub(crate) fn is_tainted(&self) -> bool {
        self.taint == Taint::Tainted
    }
}

/// The values that agents inherit in the body of a tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inherited {
    /// Whether words of strangers are in the conversation of the tool's run.
    pub(crate) is_tainted: bool,
    /// The results with values of strangers there.
    pub(crate) touched: Vec<String>,
    /// The `whenTainted` of the tool's run.
    pub(crate) when_tainted: WhenTainted,
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

/// The runs that call each other, for the driver and for replays.
impl Run {
    /// The run of the first agent.
    #[doc(hidden)]
    pub fn first(&self) -> &AgentRun {
        &self.first.run
    }

    pub(crate) fn first_mut(&mut self) -> &mut AgentRun {
        &mut self.first.run
    }

    /// The place of the first agent.
    pub(crate) fn place(&self) -> &Place {
        &self.first.place
    }

    pub(super) fn node(&self, place: &str) -> Option<&Node> {
        match place {
            "" => Some(&self.first),
            place => self.agents.get(place),
        }
    }

    /// Returns the run of a place: the ids of the calls that lead to it, joined by `/`.
    #[doc(hidden)]
    pub fn run_at(&self, place: &str) -> Option<&AgentRun> {
        self.node(place).map(|node| &node.run)
    }

    pub(crate) fn run_at_mut(&mut self, place: &str) -> Option<&mut AgentRun> {
        let node = match place {
            "" => Some(&mut self.first),
            place => self.agents.get_mut(place),
        };
        node.map(|node| &mut node.run)
    }

    /// The place of the run with these ids of calls.
    pub(crate) fn place_of(&self, place: &str) -> Option<&Place> {
        self.node(place).map(|node| &node.place)
    }

    /// The names of the agents that lead to the run of a place, joined by `/`.
    #[doc(hidden)]
    pub fn path_at(&self, place: &str) -> Option<&str> {
        self.node(place).map(|node| &*node.place.path)
    }

    /// The runs that call each other, in the order of the calls, callers first.
    #[doc(hidden)]
    pub fn runs(&self) -> impl Iterator<Item = (&Place, &AgentRun)> {
        self.nodes().map(|node| (&node.place, &node.run))
    }

    /// Whether agents were called whose results were not taken.
    pub(crate) fn has_agents(&self) -> bool {
        !self.agents.is_empty()
    }

    /// Returns the places of the agents that have ended, callers first, and the number of the other agents.
    pub(crate) fn ended_agents(&self) -> (Vec<Arc<str>>, usize) {
        let agents = self.agents.values();
        let ended = agents.filter(|node| node.run.is_over());
        let ended: Vec<_> = ended.map(|node| Arc::clone(&node.place.run)).collect();
        let going = self.agents.len() - ended.len();
        (ended, going)
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        let mut agents: Vec<&Node> = self.agents.values().collect();
        agents.sort_by(|one, other| one.order.cmp(&other.order));
        std::iter::once(&self.first).chain(agents)
    }

    pub(super) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        std::iter::once(&mut self.first).chain(self.agents.values_mut())
    }

    /// The calls that wait for a person.
    #[doc(hidden)]
    pub fn awaiting_approval(&self) -> Vec<PendingCall> {
        self.nodes().flat_map(Node::awaiting_approval).collect()
    }

    /// Whether a person must decide on this call.
    pub(crate) fn awaits_decision(&self, call_id: &str) -> bool {
        let (place, id) = caller_and_id(call_id);
        self.run_at(place)
            .is_some_and(|own| own.awaits_decision(id))
    }

    /// Returns the steps of all runs that have a step. The steps of agents are before the steps of their
    /// callers.
    pub(super) fn parallel_steps(&self) -> Vec<NestedStep> {
        let mut nodes: Vec<&Node> = self.nodes().collect();
        nodes.sort_by(|one, other| {
            let mut pairs = one.order.iter().zip(&other.order);
            let differs = pairs.find(|(one, other)| one != other);
            differs.map_or_else(
                || other.order.len().cmp(&one.order.len()),
                |(one, other)| one.cmp(other),
            )
        });
        let steps = nodes.into_iter().filter_map(|node| {
            let mut step = node.located_step()?;
            if let Step::CallTools(calls) = &mut step {
                calls.retain(|call| !node.run.tools.is_agent(&call.tool));
            }
            let is_due = match &step {
                Step::CallTools(calls) => !calls.is_empty(),
                step => !matches!(step, Step::Done(_)),
            };
            is_due.then(|| NestedStep {
                run: node.place.run.as_ref().to_owned(),
                path: node.place.path.as_ref().to_owned(),
                step,
            })
        });
        steps.collect()
    }

    /// Adds the work that is due since the last call of this method. Unlike [`next`](Run::next), it adds each request
    /// and each call once.
    pub(crate) fn take_due(&mut self, due: &mut Vec<Due>) {
        self.compact_all();
        let places: Vec<Arc<str>> = self
            .nodes()
            .map(|node| Arc::clone(&node.place.run))
            .collect();
        let holds_agents = self.first.run.host.holds_agents;
        for place in places {
            let node = match &*place {
                "" => &mut self.first,
                place => match self.agents.get_mut(place) {
                    Some(node) => node,
                    None => continue,
                },
            };
            let place = node.place.clone();
            if let Some(request) = node.run.take_request() {
                due.push(Due::Request {
                    place,
                    request: Box::new(request),
                });
                continue;
            }
            let calls = node.run.take_calls_due().into_iter();
            let is_agent = |call: &PendingCall| node.run.tools.is_agent(&call.tool);
            let calls: Vec<_> = calls.map(|call| (is_agent(&call), call)).collect();
            for (is_agent, mut call) in calls {
                let id = call.id.clone();
                place.locate(&mut call);
                // Without hooks, the run of an agent begins by itself.
                if !is_agent || holds_agents && !self.agents.contains_key(&*call.id) {
                    due.push(Due::Call {
                        place: place.clone(),
                        id,
                        call,
                        is_agent,
                    });
                }
            }
        }
    }

    /// Makes all work due again, because the driver that took it is gone.
    pub(crate) fn forget_taken(&mut self) {
        for node in self.nodes_mut() {
            node.run.forget_taken();
        }
    }

    /// Notes that all invocations were reported.
    pub(crate) fn mark_reported(&mut self) {
        for node in self.nodes_mut() {
            node.run.mark_reported();
        }
    }

    /// Plans summaries before requests that are too long.
    pub(super) fn compact_all(&mut self) {
        let mut ended = Vec::new();
        for node in self.nodes_mut() {
            node.run.compact_untaken();
            if node.run.is_over() && !node.place.run.is_empty() {
                ended.push(Arc::clone(&node.place.run));
            }
        }
        for place in ended.iter().rev() {
            self.settle(place);
        }
    }

    /// Receives the answer of a model without [settling](Self::settle) it.
    pub(crate) fn reply_to(&mut self, place: &str, reply: ModelReply) -> Result<(), Error> {
        let usage = reply.counted();
        let own = self.run_at_mut(place).ok_or_else(|| no_answer_due(place))?;
        let price = own.cost_of(&reply);
        own.model_replied(reply)?;
        self.count_above(place, &usage, price);
        self.advance(place);
        Ok(())
    }

    /// Receives the result of the call with this id in the run at a place. [`advance`](Self::advance) writes
    /// the result into the history.
    ///
    /// # Errors
    /// Validation when that run does not wait for a result of this call; it is unchanged then.
    pub(crate) fn take_result(
        &mut self,
        place: &str,
        id: &str,
        result: Result<Value, ToolError>,
        kept: &KeptMedia,
    ) -> Result<(), Error> {
        let own = self.run_at_mut(place);
        let own = own.ok_or_else(|| not_waiting("a result", &joined(place, id)))?;
        own.take_result(id, result, kept)?;
        self.remove_agent(place, id);
        Ok(())
    }

    /// Receives the recorded outcome of a call.
    pub(crate) fn put_outcome(
        &mut self,
        place: &str,
        id: &str,
        outcome: Outcome,
    ) -> Result<(), Error> {
        let own = self.run_at_mut(place);
        let own = own.ok_or_else(|| not_waiting("a result", &joined(place, id)))?;
        own.put_outcome(id, outcome)?;
        self.remove_agent(place, id);
        Ok(())
    }

    /// Removes the agent of a call whose result was taken, and adds the agent's calls and size to its caller.
    fn remove_agent(&mut self, place: &str, id: &str) {
        let agent = joined(place, id);
        if !self.agents.contains_key(&*agent) {
            return;
        }
        self.remove_below(&agent);
        if let Some(node) = self.agents.remove(&*agent)
            && let Some(caller) = self.run_at_mut(place)
        {
            caller.add_inner_taint(id, node.run.taint());
            caller.add_ended(node.run.calls_asked(), node.run.state.bytes);
            caller.add_unknown_calls(&node.run);
        }
    }

    /// Removes all agents below a run that has ended.
    fn remove_below(&mut self, place: &str) {
        if !self.agents.is_empty() {
            self.agents
                .retain(|agent, _| **agent == *place || !leads_to(place, agent));
        }
    }

    /// Writes the results of the run at a place into its history, and begins the agents that it may call.
    pub(crate) fn advance(&mut self, place: &str) {
        while let Some(own) = self.run_at_mut(place) {
            own.advance();
            if own.is_over() {
                return self.remove_below(place);
            }
            if !self.begin_agents(place) {
                return;
            }
        }
    }

    /// Begins the runs of the agents that the run at a place may call. Returns whether one of them could not begin, so that
    /// its call has a result.
    fn begin_agents(&mut self, place: &str) -> bool {
        let Some(own) = self.run_at(place).filter(|own| !own.host.holds_agents) else {
            return false;
        };
        let calls = own.agent_calls();
        if calls.is_empty() {
            return false;
        }
        let is_begun = |call: &PendingCall| self.agents.contains_key(&*joined(place, &call.id));
        let (begun, waiting): (Vec<_>, Vec<_>) = calls.into_iter().partition(is_begun);
        let mut free = MAX_CALLS_AT_ONCE.saturating_sub(begun.len());
        let mut is_refused = false;
        for call in waiting {
            if free == 0 {
                break;
            }
            match self.begin_agent(place, &call.id) {
                Ok(()) => free -= 1,
                Err(error) => {
                    is_refused = true;
                    if let Some(own) = self.run_at_mut(place) {
                        own.refuse_agent(&call.id, error);
                    }
                }
            }
        }
        is_refused
    }

    /// Begins the run of an agent for a call of the run at a place.
    ///
    /// # Errors
    /// The result of the call when the run cannot begin.
    pub(crate) fn begin_agent(&mut self, place: &str, id: &str) -> Result<(), ToolError> {
        let Some(node) = self.node(place) else {
            return Ok(());
        };
        let Some((_, call)) = node.run.call_made(id) else {
            return Ok(());
        };
        if node.place.depth_left() == 0 {
            let text = texts::too_deep(&call.tool, &node.place.path);
            return Err(ToolError::Authorization(text));
        }
        let agent = node.run.of_call(&call)?;
        self.insert_agent(place, id, agent);
        if let Some(own) = self.run_at_mut(place) {
            own.begin_agent(id);
        }
        Ok(())
    }

    /// Puts the run of an agent below the call of the run at a place.
    pub(super) fn insert_agent(&mut self, place: &str, id: &str, run: AgentRun) {
        if let Some(caller) = self.node(place)
            && let Some((at, _)) = caller.run.call_made(id)
        {
            let mut order = caller.order.clone();
            order.push(at);
            let place = caller.place.below(id, &run.agent);
            let node = Node { place, order, run };
            self.agents.insert(Arc::clone(&node.place.run), node);
        }
    }

    /// Returns a run with the input of this one that has not begun.
    #[doc(hidden)]
    #[must_use]
    pub fn anew(&self) -> Self {
        Self::of_first(self.first.run.anew())
    }

    /// Returns this run with another agent, and with the same input, calls and results. `variables` are added
    /// to those of the run.
    ///
    /// # Errors
    /// Validation when the agent does not accept the input, configuration when a variable is missing, and a
    /// tool error when a called agent that has not ended is missing.
    #[doc(hidden)]
    pub fn with_agent(
        &self,
        agent: Agent,
        tools: &BoundTools,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let mut run = Self::of_first(self.first.run.with_agent(agent, tools, variables)?);
        // Callers come first.
        for (place, node) in &self.agents {
            let (caller, id) = caller_and_id(place);
            if let Some(new) = run.run_at(caller)
                && let Some((_, call)) = new.call_made(id)
            {
                let agent = node.run.with_agent_of(new, &call)?;
                run.insert_agent(caller, id, agent);
            }
        }
        Ok(run)
    }

    /// Drops the limits of what the run may use. A run that was continued with other limits has no record of
    /// them, and a replay has no prices.
    #[doc(hidden)]
    #[must_use]
    pub fn without_limits(mut self) -> Self {
        self.set_usage_limits(UsageLimits::new());
        self
    }

    /// Writes all results into the histories.
    pub(super) fn advance_all(&mut self) {
        let agents: Vec<Arc<str>> = self.agents.keys().cloned().collect();
        self.advance("");
        for place in agents {
            self.advance(&place);
        }
    }

    /// Lets a call wait for a person's decision.
    pub(crate) fn ask(&mut self, call_id: &str) {
        let (place, id) = caller_and_id(call_id);
        if let Some(own) = self.run_at_mut(place) {
            own.ask(id, false);
        }
    }

    /// Returns the calls that were begun, have no result and may not be made twice. `masked` are further calls that cannot
    /// be made again, because their recorded arguments are not those that were used.
    pub(super) fn calls_in_doubt(&self, masked: &CallPlaces) -> CallPlaces {
        let mut calls = Vec::new();
        for (place, run) in self.runs() {
            run.add_calls_in_doubt(place, masked, &mut calls);
        }
        calls
    }

    /// Makes calls wait for a person's decision that were begun, have no result and may not be made twice.
    /// Returns these calls.
    pub(crate) fn doubt_begun_calls(&mut self) -> CallPlaces {
        let calls = self.calls_in_doubt(&Vec::new());
        for (place, id) in &calls {
            self.doubt(place, id);
        }
        calls
    }

    /// Lets a call that was begun wait for a person's decision whether to make it again.
    #[doc(hidden)]
    pub fn doubt(&mut self, place: &str, id: &str) {
        if let Some(own) = self.run_at_mut(place) {
            own.ask(id, true);
        }
    }

    /// Ends the run at a place with an error, unless it has already ended.
    pub(crate) fn stop(&mut self, place: &str, error: Error) {
        if let Some(own) = self.run_at_mut(place) {
            own.stop(error);
            self.remove_below(place);
        }
    }

    /// Puts the first agent below the tool of this path, whose body calls it. The agent inherits the taint of the run of
    /// the tool and its `whenTainted`.
    ///
    /// # Errors
    /// Limit when no agent may be called below the tool.
    pub(crate) fn place_below_tool(
        &mut self,
        tool: &str,
        depth_left: u32,
        above: &Inherited,
    ) -> Result<(), Error> {
        let agent = &self.first.run.agent;
        let Some(left) = depth_left.checked_sub(1) else {
            let text = texts::too_deep(agent.name(), tool);
            return Err(Error::new(ErrorKind::Limit, text));
        };
        self.first.place = self.first.place.below_tool(tool, agent, left);
        let state = &mut self.first.run.state;
        state.when_tainted = state.when_tainted.max(above.when_tainted);
        state.touched = above.touched.clone();
        let start = state.start;
        if let Some(input) = state.history.get_mut(start)
            && above.is_tainted
        {
            *input = input.clone().with_taint(Taint::Tainted);
        }
        // Callers come first.
        let places: Vec<Arc<str>> = self.agents.keys().cloned().collect();
        for place in places {
            let (caller, id) = caller_and_id(&place);
            let caller = self.node(caller).map(|caller| caller.place.clone());
            if let (Some(caller), Some(node)) = (caller, self.agents.get_mut(&place)) {
                node.place = caller.below(id, &node.run.agent);
            }
        }
        Ok(())
    }

    /// The limits that are left to the run.
    pub(crate) fn limits_left(&self) -> UsageLimits {
        let state = &self.first.run.state;
        match state.limits == UsageLimits::new() {
            true => state.limits,
            false => state
                .limits
                .left(&state.usage, state.cost, self.calls_asked()),
        }
    }

    /// Counts the usage of the agents that the body of a tool called. `id` is the id of the tool's call in
    /// the run at a place.
    pub(crate) fn count_call(&mut self, place: &str, id: &str, spent: &Spent) {
        if let Some(own) = self.run_at_mut(place) {
            own.add_usage_of_call(id, &spent.usage, spent.cost);
            own.add_inner_taint(id, spent.taint);
            own.add_ended(spent.calls, spent.bytes);
        }
        self.count_above(place, &spent.usage, spent.cost);
    }

    /// Counts usage for each run that leads to the run at a place.
    fn count_above(&mut self, place: &str, usage: &Usage, price: Option<f64>) {
        let mut place = place;
        while !place.is_empty() {
            let (caller, id) = caller_and_id(place);
            if let Some(caller) = self.run_at_mut(caller) {
                caller.add_usage_of_call(id, usage, price);
            }
            place = caller;
        }
    }

    /// Gives the results of agents that have ended to the runs that called them, from a place up, and ends the whole run
    /// when its limits are reached. A driver that [holds agents](HostValues::holds_agents) gives the results itself.
    pub(super) fn settle(&mut self, place: &str) {
        let mut place = place;
        while !place.is_empty() {
            let (caller, _) = caller_and_id(place);
            if !self.first.run.host.holds_agents {
                self.take_agent_result(place);
            }
            place = caller;
        }
        self.enforce_limits();
    }

    /// Gives the result of an agent that has ended to the run that called it.
    pub(crate) fn take_agent_result(&mut self, place: &str) {
        let kept = KeptMedia::default();
        let result = self.run_at(place).and_then(|agent| agent.result(&kept));
        let (caller, id) = caller_and_id(place);
        // The call exists, because its agent does.
        if let Some(result) = result
            && self.take_result(caller, id, result, &kept).is_ok()
        {
            self.advance(caller);
        }
    }

    /// The taint that the result of an agent will bring into the conversation of its caller.
    pub(crate) fn taint_of_agent(&self, place: &str) -> Taint {
        let (caller, _) = caller_and_id(place);
        let found = self.run_at(place).zip(self.run_at(caller));
        found.map_or(Taint::Clean, |(agent, caller)| caller.taint_from(agent))
    }

    /// Ends the first run when the agents that it called have reached its limits.
    pub(crate) fn enforce_limits(&mut self) {
        if self.agents.is_empty() {
            return;
        }
        // The results of agents that have not ended would need a further request of this run.
        let first = &self.first.run;
        let reached = first.limit_reached();
        let reached = reached.or_else(|| first.calls_reached(self.calls_asked()));
        let is_full = self.bytes_held() > MAX_RUN_BYTES;
        let reached =
            reached.or_else(|| is_full.then(|| texts::too_many_bytes(first.agent.name())));
        if let Some(text) = reached {
            self.stop("", Error::new(ErrorKind::Limit, text));
        }
    }

    /// The number of calls that all runs asked for.
    pub(super) fn calls_asked(&self) -> usize {
        let agents = self.agents.values().map(|node| node.run.calls_asked());
        agents.fold(self.first.run.calls_asked(), usize::saturating_add)
    }

    /// The size of the answers and results of all runs.
    pub(super) fn bytes_held(&self) -> usize {
        let agents = self.agents.values().map(|node| node.run.state.bytes);
        agents.fold(self.first.run.state.bytes, usize::saturating_add)
    }
}

impl Node {
    /// The step of this run, with the ids of its calls as the host knows them.
    pub(super) fn located_step(&self) -> Option<Step> {
        let mut step = self.run.step()?;
        if let Step::CallTools(calls) = &mut step {
            calls.iter_mut().for_each(|call| self.place.locate(call));
        }
        Some(step)
    }

    fn awaiting_approval(&self) -> Vec<PendingCall> {
        let mut calls = self.run.awaiting_approval();
        calls.iter_mut().for_each(|call| self.place.locate(call));
        calls
    }
}

pub(super) fn no_answer_due(place: &str) -> Error {
    match place {
        "" => Error::validation("the run does not wait for an answer"),
        place => not_waiting("an answer to a request", place),
    }
}
