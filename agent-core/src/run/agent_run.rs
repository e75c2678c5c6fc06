//! The run of one agent: its messages, its calls and its limits. The run is independent of the agents that it
//! calls: it receives the result of such a call as the result of a tool.

use super::agent_call::AgentCall;
use super::output::Output;
use super::state::{Begun, CallState, Outcome, Phase, State, Weight};
use super::tool_rules::ToolRules;
use super::{
    Decision, HostValues, Input, MAX_RUN_BYTES, PendingCall, RunSetup, Step, UsageLimits,
    check_agent, check_input, check_message, limits, not_waiting, stated_compaction, stated_output,
    texts, tool_search,
};
use crate::conversation::{
    Compaction, Conversation, INTERRUPTED, Message, Part, Role, Taint, TokenCounts, ToolCall,
    check_messages,
};
use crate::model::request::overhead;
use crate::model::{ModelReply, ModelRequest, ToolDefinition, Usage};
use crate::response::{AgentResponse, ToolInvocation, readable};
use agent_gram::value::Text;
use agent_spec::json::parse_json;
use agent_spec::schema::Schema;
use agent_spec::types::Kind;
use agent_spec::{Agent, Model, Settings, ToolChoice, ToolSpec};
use agent_tool::__private::{KeptMedia, MediaForm, part_to_json, take_result};
use agent_tool::Error;
use agent_tool::library::BoundTools;
use agent_tool::tool::ToolError;
use agent_tool::trace::TARGET;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The run of one agent.
#[derive(Clone, Debug)]
pub struct AgentRun {
    pub(super) agent: Arc<Agent>,
    pub(super) instruction: String,
    pub(super) tools: ToolRules,
    pub(super) definitions: Arc<[ToolDefinition]>,
    /// The tools that the model searches.
    pub(super) deferred: Arc<[ToolDefinition]>,
    settings: Arc<Settings>,
    /// The type of the answer; `None` when the answer is text.
    pub(super) output: Option<Output>,
    pub(super) host: HostValues,
    /// The estimated tokens of the instruction and the tools; 0 without a compaction.
    pub(super) overhead: usize,
    /// The estimated tokens of the history, as far as a compaction has counted them.
    pub(super) counts: TokenCounts,
    /// Whether the driver has got the request that is due.
    is_request_taken: bool,
    /// The number of invocations that drivers have reported to observers.
    reported: usize,
    pub(super) state: State,
}

/// Creating a run.
impl AgentRun {
    /// Creates the run of an agent on an input. See [`Run::new`](super::Run::new).
    pub(super) fn create(
        agent: Agent,
        tools: &BoundTools,
        input: Input,
        conversation: &Conversation,
        variables: &BTreeMap<String, String>,
        setup: RunSetup,
    ) -> Result<Self, Error> {
        check_agent(&agent)?;
        let agent = tools.complete(agent)?;
        check_input(&input)?;
        check_messages(conversation.messages()).map_err(|invalid| {
            Error::validation("the conversation cannot be sent to a model").with_source(invalid)
        })?;
        let is_untrusted = input.is_untrusted;
        let call = AgentCall::new(&agent, input, variables)?;
        let mut history = conversation.messages().to_vec();
        let hidden = setup.retention;
        let hidden = hidden.map_or(0, |retention| retention.first_sent(&history));
        let is_tainted = is_untrusted || call.is_untrusted || tools.has_foreign_descriptions();
        let taint = match is_tainted {
            true => Taint::Tainted,
            false => Taint::Clean,
        };
        history.push(call.message.with_taint(taint));
        let (ty, read) = match setup.output {
            Some((ty, read)) => (Some(stated_output(&agent).unwrap_or(ty)), Some(read)),
            None => (stated_output(&agent), None),
        };
        let output = ty.map(|ty| Output::new(ty, agent.tools(), read));
        let output = output.transpose()?;
        let mut state = State::new(crate::id::run_id(), history, setup.limits);
        state.hidden = hidden;
        // Saved, because another process that continues the run may ask for less.
        state.when_tainted = setup.host.when_tainted;
        state.variables = Arc::new(variables.clone());
        state.given = call.given;
        let stated = || stated_compaction(&agent, &setup.host);
        state.compaction = setup.compaction.or_else(stated);
        if state.compaction.is_none() && agent.settings().compact_above.is_some() {
            state.warnings.push(texts::context_not_known(agent.model()));
        }
        Ok(Self {
            host: setup.host,
            ..Self::assemble(agent, call.instruction, tools, output, state)
        })
    }

    /// Creates the run of an agent that a call of this run calls. The new run has no limits of its own,
    /// because the limits of the first run apply to all runs.
    ///
    /// # Errors
    /// The result of the call when the run cannot begin.
    pub(super) fn of_call(&self, call: &PendingCall) -> Result<Self, ToolError> {
        let tool = &*call.tool;
        let failed = |error: &Error| ToolError::Execution(texts::agent_failed(tool, error));
        let (agent, tools) = self
            .tools
            .bound
            .agent(tool)
            .map_err(|error| failed(&error))?;
        let agent = tools.complete(agent).map_err(|error| failed(&error))?;
        let variables = &self.state.variables;
        let begun = AgentCall::of_arguments(&agent, call.args(), variables);
        let begun = begun.map_err(|error| match error.is_validation() {
            true => ToolError::Validation(error.to_string()),
            false => failed(&error),
        })?;
        let output = stated_output(&agent).map(|ty| Output::new(ty, agent.tools(), None));
        let output = output.transpose().map_err(|error| failed(&error))?;
        let id = format!("{}/{}", self.state.id, call.id);
        // The caller may pass on words that have entered its conversation. Values are looked for in `touched`.
        let is_tainted = self.taint() == Taint::Tainted
            || begun.is_untrusted
            || tools.has_foreign_descriptions();
        let taint = match is_tainted {
            true => Taint::Tainted,
            false => Taint::Clean,
        };
        let message = begun.message.with_taint(taint);
        let mut state = State::new(id, vec![message], UsageLimits::new());
        state.when_tainted = self.when_tainted();
        state.touched = self.touched_results();
        state.variables = Arc::clone(variables);
        state.unknown_calls = self.state.unknown_calls.clone();
        let compaction = self.host.compaction.clone();
        state.compaction = compaction.or_else(|| stated_compaction(&agent, &self.host));
        Ok(Self {
            host: self.host.clone(),
            ..Self::assemble(agent, begun.instruction, &tools, output, state)
        })
    }

    /// Creates the run of an agent in a state. `tools` are those of the agent, bound.
    pub(super) fn assemble(
        agent: Agent,
        instruction: String,
        tools: &BoundTools,
        output: Option<Output>,
        state: State,
    ) -> Self {
        let tools = ToolRules::new(tools);
        let definition = |spec: &ToolSpec| {
            let schema = tools.get(spec.name()).map(|rule| rule.schema.clone());
            schema.map_or_else(
                || ToolDefinition::new(spec),
                |schema| ToolDefinition::with_schema(spec, schema),
            )
        };
        let definitions = agent.tools().iter().map(definition);
        let (mut definitions, deferred) = tool_search::separate(&agent, definitions.collect());
        definitions.extend(output.as_ref().map(Output::definition));
        Self {
            overhead: match state.compaction {
                Some(_) => overhead(&instruction, &definitions),
                None => 0,
            },
            definitions: definitions.into(),
            deferred: deferred.into(),
            settings: Arc::new(agent.settings().clone()),
            output,
            counts: TokenCounts::default(),
            is_request_taken: false,
            reported: state.invocations.len(),
            host: HostValues::default(),
            tools,
            agent: Arc::new(agent),
            instruction,
            state,
        }
    }
}

/// The steps.
impl AgentRun {
    /// Sets a state from which the driver has taken no work.
    pub(super) fn with_state(mut self, state: State) -> Self {
        self.is_request_taken = false;
        self.reported = state.invocations.len();
        self.state = state;
        self
    }

    /// Sets when the beginning of the conversation is summarised.
    pub(super) fn set_compaction(&mut self, compaction: Compaction) {
        self.overhead = overhead(&self.instruction, &self.definitions);
        self.state.compaction = Some(compaction);
    }

    /// Sets the values of the host that drives the run.
    pub(super) fn set_host_values(&mut self, host: &HostValues) {
        if let Phase::Tools(turn) = &mut self.state.phase {
            turn.note_begun(host.begun());
        }
        self.host = host.clone();
    }

    /// Returns the step that is due, as [`Run::next`](super::Run::next) does for a run that calls no agents. `None` after
    /// the run has failed.
    pub(super) fn step(&self) -> Option<Step> {
        Some(match &self.state.phase {
            Phase::AskModel => Step::CallModel(self.request()),
            Phase::Summarise(summarising) => Step::Summarise(self.summary_request(summarising)),
            Phase::Tools(turn) => Step::CallTools(turn.ready()),
            Phase::Done {
                parts,
                finish_reason,
            } => Step::Done(AgentResponse {
                content: parts.iter().filter_map(Part::as_text).collect(),
                parts: readable(parts),
                tools_used: self.state.invocations.clone(),
                usage: self.state.usage,
                cost: self.state.cost,
                finish_reason: finish_reason.clone(),
                warnings: self.warnings(),
            }),
            Phase::Failed(_) => return None,
        })
    }

    /// Returns the request that is due, unless the driver has got it.
    pub(super) fn take_request(&mut self) -> Option<ModelRequest> {
        if !self.awaits_reply() || std::mem::replace(&mut self.is_request_taken, true) {
            return None;
        }
        Some(match &self.state.phase {
            Phase::Summarise(summarising) => self.summary_request(summarising),
            _ => self.request(),
        })
    }

    /// Returns the calls that may be made and that the driver has not got.
    pub(super) fn take_calls_due(&mut self) -> Vec<PendingCall> {
        match &mut self.state.phase {
            Phase::Tools(turn) => turn.take_ready(),
            _ => Vec::new(),
        }
    }

    /// Makes all work due again, because the driver that took it is gone.
    pub(super) fn forget_taken(&mut self) {
        self.is_request_taken = false;
        if let Phase::Tools(turn) = &mut self.state.phase {
            turn.forget_taken();
        }
    }

    /// Plans a summary before the request that is due, if the request is too long and the driver has not
    /// taken it.
    pub(super) fn compact_untaken(&mut self) {
        if !self.is_request_taken {
            self.compact();
        }
    }

    /// The calls that wait for a person.
    pub(super) fn awaiting_approval(&self) -> Vec<PendingCall> {
        match &self.state.phase {
            Phase::Tools(turn) => turn.awaiting_approval(),
            _ => Vec::new(),
        }
    }

    /// The calls of agents that may be made now.
    pub(super) fn agent_calls(&self) -> Vec<PendingCall> {
        match &self.state.phase {
            Phase::Tools(turn) if self.tools.has_agents && !turn.has_undecided() => {
                let mut calls = turn.ready();
                calls.retain(|call| self.tools.is_agent(&call.tool));
                calls
            }
            _ => Vec::new(),
        }
    }

    /// The call of an id and its index in the turn, while it is being made.
    pub(crate) fn call_made(&self, id: &str) -> Option<(usize, PendingCall)> {
        let Phase::Tools(turn) = &self.state.phase else {
            return None;
        };
        let call = turn.open_call(id)?;
        let CallState::Ready { arguments, .. } = &call.state else {
            return None;
        };
        Some((turn.place(id)?, call.pending(arguments)))
    }

    /// Marks a call of an agent as begun, and as one whose usage is counted from now on.
    pub(super) fn begin_agent(&mut self, id: &str) {
        self.begin_call(id);
        if let Phase::Tools(turn) = &mut self.state.phase
            && let Some(call) = turn.open_call_mut(id)
        {
            call.used = Some((Usage::default(), Some(0.0)));
        }
    }

    /// Answers the call of an agent that cannot begin.
    pub(super) fn refuse_agent(&mut self, id: &str, error: ToolError) {
        if let Phase::Tools(turn) = &mut self.state.phase {
            turn.refuse(id, error);
        }
    }

    /// The result of the call that this run answers, once it has ended. `kept` gets the bytes of media.
    pub(crate) fn result(&self, kept: &KeptMedia) -> Option<Result<Value, ToolError>> {
        Some(match &self.state.phase {
            Phase::Done { parts, .. } => Ok(self.value_of(parts, kept)),
            // The time limit of the agent, and not the time limit of a request.
            Phase::Failed(error) if error.is_limit() && error.is_timeout() => {
                Err(ToolError::Timeout)
            }
            Phase::Failed(error) => {
                let text = match self.taint() {
                    Taint::Clean => texts::agent_failed(self.agent.name(), error),
                    _ => texts::tainted_agent_failed(self.agent.name(), error),
                };
                Err(ToolError::Execution(text))
            }
            _ => return None,
        })
    }

    /// The answer as the result of a call.
    fn value_of(&self, parts: &[Part], kept: &KeptMedia) -> Value {
        let text = || -> String { parts.iter().filter_map(Part::as_text).collect() };
        if self.is_typed() {
            return parse_json(&text()).unwrap_or_default();
        }
        if let Kind::Media(_) = self.agent.signature().returns().ty().kind()
            && let Some(part) = parts.iter().find(|part| part.media().is_some())
        {
            kept.keep(part.media().cloned());
            return part_to_json(part, MediaForm::Digest);
        }
        Value::String(text())
    }

    /// Adds the usage of an agent that a call of this run called.
    pub(super) fn add_usage_of_call(&mut self, id: &str, usage: &Usage, price: Option<f64>) {
        self.add_usage(usage, price);
        if let Phase::Tools(turn) = &mut self.state.phase
            && let Some(call) = turn.open_call_mut(id)
        {
            let used = call.used.get_or_insert((Usage::default(), Some(0.0)));
            used.0.add(usage);
            used.1 = used.1.and_then(|cost| Some(cost + price?));
        }
    }

    /// Notes what has entered an agent that a call of this run called.
    pub(super) fn add_inner_taint(&mut self, id: &str, taint: Taint) {
        if let Phase::Tools(turn) = &mut self.state.phase
            && let Some(call) = turn.open_call_mut(id)
        {
            call.inner_taint = call.inner_taint.max(taint);
        }
    }

    /// Adds the calls and the size of an agent whose result the run has taken.
    pub(super) fn add_ended(&mut self, calls: usize, bytes: usize) {
        self.state.nested_calls = self.state.nested_calls.saturating_add(calls);
        self.state.bytes = self.state.bytes.saturating_add(bytes);
    }

    /// Adds the calls of an agent for which it is not known whether they were made.
    pub(super) fn add_unknown_calls(&mut self, agent: &Self) {
        // Each called agent begins with the unknown calls of this run.
        for unknown in &agent.state.unknown_calls {
            if !self.state.unknown_calls.contains(unknown) {
                self.state.unknown_calls.push(unknown.clone());
            }
        }
    }

    /// The number of calls that this run and the agents whose results it has taken asked for.
    pub(super) fn calls_asked(&self) -> usize {
        let state = &self.state;
        let asked = state.invocations.len().saturating_add(state.nested_calls);
        match &state.phase {
            Phase::Tools(turn) => asked.saturating_add(turn.calls.len() - turn.accounted),
            _ => asked,
        }
    }

    /// The outcome of a call, once it is finished.
    pub(super) fn outcome(&self, id: &str) -> Option<&Outcome> {
        let Phase::Tools(turn) = &self.state.phase else {
            return None;
        };
        match &turn.call(id)?.state {
            CallState::Finished(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Whether a person must decide on this call.
    pub(super) fn awaits_decision(&self, id: &str) -> bool {
        let Phase::Tools(turn) = &self.state.phase else {
            return false;
        };
        turn.call(id)
            .is_some_and(super::state::TurnCall::awaits_decision)
    }

    /// Lets a call wait for a person's decision. `in_doubt` means that the call was begun before a crash.
    pub(super) fn ask(&mut self, id: &str, in_doubt: bool) {
        let ready = match &self.state.phase {
            Phase::Tools(turn) => turn.call(id),
            _ => None,
        };
        let guarded = ready.and_then(|call| match &call.state {
            CallState::Ready { arguments, .. } => self.guarded(call.made().tool(), arguments),
            _ => None,
        });
        if let Phase::Tools(turn) = &mut self.state.phase {
            turn.ask(id, in_doubt, guarded.map(Box::new));
        }
    }

    /// The run's id.
    pub(crate) fn id(&self) -> &str {
        &self.state.id
    }

    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The agent, shared with the values that the driver keeps of the run.
    pub(crate) fn shared_agent(&self) -> Arc<Agent> {
        Arc::clone(&self.agent)
    }

    /// The tools of the agent.
    pub fn tools(&self) -> &BoundTools {
        &self.tools.bound
    }

    /// The error with which the run ended.
    pub fn failure(&self) -> Option<&Error> {
        match &self.state.phase {
            Phase::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Receives the model's answer to the request that is due.
    ///
    /// # Errors
    /// Validation when the run does not wait for an answer; the run is unchanged then.
    pub(super) fn model_replied(&mut self, reply: ModelReply) -> Result<(), Error> {
        if !self.awaits_reply() {
            return Err(Error::validation("the run does not wait for an answer"));
        }
        self.is_request_taken = false;
        self.count(&reply);
        for warning in &reply.warnings {
            if !self.state.warnings.contains(warning) {
                self.state.warnings.push(warning.clone());
            }
        }
        self.state.bytes = self.state.bytes.saturating_add(limits::reply_size(&reply));
        self.state.unavailable = None;
        if self.summarises() {
            self.take_summary(&reply);
        } else {
            self.take_reply(reply);
        }
        Ok(())
    }

    /// The warnings about the requests, and about a demanded call that was not made.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.state.warnings.clone();
        let choice = self.settings.tool_choice.as_ref();
        if let Some(choice) = choice.filter(|choice| choice.is_forced())
            && !self.has_called()
        {
            warnings.push(texts::no_demanded_call(self.request_model(), choice));
        }
        warnings
    }

    pub(super) fn awaits_reply(&self) -> bool {
        matches!(self.state.phase, Phase::AskModel | Phase::Summarise(_))
    }

    /// Receives a message that the user sends during the run.
    ///
    /// # Errors
    /// As those of [`Run::say`](super::Run::say).
    pub(super) fn say(&mut self, message: Input) -> Result<(), Error> {
        check_message(&message)?;
        let is_over = match self.state.phase {
            Phase::Failed(_) => true,
            Phase::Done { .. } => self.state.is_answer_taken,
            _ => false,
        };
        if is_over {
            return Err(Error::validation(texts::SAID_TOO_LATE));
        }
        self.state.said.push(message.into_message().into_steering());
        self.append_pending_messages();
        Ok(())
    }

    /// Adds a message that was sent too late, so that the conversation has it.
    pub(crate) fn append_late_message(&mut self, message: Input) {
        if let Err(error) = self.say(message.clone()) {
            tracing::debug!(target: TARGET, %error, "a message was said too late");
            self.state
                .history
                .push(message.into_message().into_steering());
        }
    }

    /// Receives the failure of a request. When the provider is unavailable and the agent names a fallback
    /// model, the run continues with that. A fallback model that cannot be used, such as one without a key or
    /// one that does not accept an image of the input, is skipped.
    ///
    /// # Errors
    /// The error that ended the run: this one or, when no fallback could be used, the first provider error.
    pub(crate) fn model_failed(&mut self, error: Error) -> Result<(), Error> {
        if !self.awaits_reply() {
            return Err(Error::validation("the run does not wait for an answer"));
        }
        self.is_request_taken = false;
        let unusable =
            self.state.fallback > 0 && (error.is_configuration() || error.is_validation());
        let error = if error.is_unavailable() || unusable {
            if unusable {
                let model = self.request_model();
                tracing::warn!(target: TARGET, %model, %error, "a fallback model cannot be used");
            }
            let first = self.state.unavailable.get_or_insert(Arc::new(error));
            if self.state.fallback < self.agent.settings().fallback.len() {
                self.state.fallback += 1;
                return Ok(());
            }
            first.again()
        } else {
            error
        };
        self.fail_with(error.again());
        Err(error)
    }

    /// Receives the result of a call, which [`advance`](Self::advance) writes into the history. When calls
    /// end together, this keeps every result even if one of them ends the run. `kept` has the bytes of media
    /// that the result names by their digests.
    ///
    /// # Errors
    /// Validation when the run does not wait for a result of this call; the run is unchanged then.
    pub(crate) fn take_result(
        &mut self,
        call_id: &str,
        mut result: Result<Value, ToolError>,
        kept: &KeptMedia,
    ) -> Result<(), Error> {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return Err(not_waiting("a result", call_id));
        };
        let Some(call) = turn.open_call_mut(call_id) else {
            return Err(not_waiting("a result", call_id));
        };
        let CallState::Ready { arguments, .. } = &call.state else {
            return Err(not_waiting("a result", call_id));
        };
        let mut parts = Vec::new();
        if let Ok(value) = &mut result
            && let Some(signature) = self.tools.media_signature(call.made().tool(), kept)
        {
            match take_result(signature, value, kept) {
                Ok(read) => parts = read,
                Err(error) => result = Err(error),
            }
        }
        let beside = kept.take_beside();
        if let Ok(value) = &result
            && !beside.is_empty()
        {
            if parts.is_empty() {
                parts.push(Part::Text(match value {
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                }));
            }
            parts.extend(beside);
        }
        let outcome = Outcome {
            arguments: Some(arguments.clone()),
            weight: match &result {
                // The tool asks for other arguments, as validation does.
                Err(ToolError::Retry(_)) => Weight::Mistake,
                // The agent was too deep to be called.
                Err(ToolError::Authorization(_)) if self.tools.is_agent(call.made().tool()) => {
                    Weight::Free
                }
                _ => Weight::Attempt,
            },
            result,
            parts,
        };
        self.put_outcome(call_id, outcome)
    }

    /// Sets the outcome of a call that is being made. A run that is full keeps no further result, because the results of
    /// all calls of an answer may arrive together.
    pub(super) fn put_outcome(&mut self, call_id: &str, mut outcome: Outcome) -> Result<(), Error> {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return Err(not_waiting("a result", call_id));
        };
        let call = turn.open_call_mut(call_id);
        let call = call.filter(|call| matches!(call.state, CallState::Ready { .. }));
        let Some(call) = call else {
            return Err(not_waiting("a result", call_id));
        };
        if self.state.bytes > MAX_RUN_BYTES && outcome.result.is_ok() {
            outcome.result = Err(ToolError::Execution(texts::RESULT_NOT_KEPT.to_owned()));
            outcome.parts = Vec::new();
        }
        let size = match &outcome.result {
            Ok(value) => limits::value_size(value),
            Err(error) => error.text().len(),
        };
        self.state.bytes = self.state.bytes.saturating_add(size);
        call.state = CallState::Finished(outcome);
        Ok(())
    }

    /// Checks the result that a person gives to a call in doubt. `shown` is the id that the person sees.
    ///
    /// # Errors
    /// Validation when the result is not of the tool's result type.
    pub(super) fn check_done(&self, id: &str, shown: &str, result: &Value) -> Result<(), Error> {
        let Phase::Tools(turn) = &self.state.phase else {
            return Ok(());
        };
        let Some(call) = turn.call(id) else {
            return Ok(());
        };
        let tool = call.made().tool();
        let in_doubt = matches!(
            call.state,
            CallState::AwaitingApproval { in_doubt: true, .. }
        );
        let Some(rule) = self.tools.get(tool).filter(|_| in_doubt) else {
            return Ok(());
        };
        let signature = rule.spec.signature();
        let checked = signature.returns().ty().validate(result);
        let checked = checked.map_err(|violations| violations.to_string());
        let checked = checked.and_then(|()| rule.parts.result_problems(result));
        checked.map_err(|violations| {
            Error::validation(texts::bad_result(shown, tool, signature, &violations))
        })
    }

    /// Receives a decision on a call. `shown` is the id that the person sees.
    ///
    /// # Errors
    /// As those of [`Run::approve`](super::Run::approve).
    pub(super) fn decide(
        &mut self,
        id: &str,
        shown: &str,
        decision: Decision,
    ) -> Result<(), Error> {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return Err(not_waiting("a decision", shown));
        };
        let Some(call) = turn.call(id) else {
            return Err(not_waiting("a decision", shown));
        };
        let CallState::AwaitingApproval {
            arguments,
            in_doubt,
            ..
        } = &call.state
        else {
            return Err(not_waiting("a decision", shown));
        };
        let begun = self.host.begun();
        let state = match decision {
            Decision::Done { .. } | Decision::Unknown if !in_doubt => {
                return Err(Error::validation(texts::not_in_doubt(shown)));
            }
            Decision::Done { result } => {
                self.state.bytes = self.state.bytes.saturating_add(limits::value_size(&result));
                CallState::Finished(Outcome {
                    arguments: Some(arguments.clone()),
                    result: Ok(result),
                    parts: Vec::new(),
                    weight: Weight::Attempt,
                })
            }
            Decision::Unknown => {
                let unknown = (call.made().tool().to_owned(), arguments.clone());
                self.state.unknown_calls.push(unknown);
                let error = ToolError::Execution(texts::NOT_KNOWN.to_owned());
                CallState::Finished(Outcome::refused(error, Weight::Free))
            }
            Decision::Approve => CallState::Ready {
                arguments: arguments.clone(),
                begun,
            },
            Decision::Deny { reason } if *in_doubt => CallState::Finished(Outcome::refused(
                ToolError::Execution(texts::interrupted(reason.as_deref())),
                Weight::Free,
            )),
            Decision::Deny { reason } => CallState::Finished(Outcome::refused(
                ToolError::Authorization(texts::denied(reason.as_deref())),
                Weight::Free,
            )),
            Decision::Edit { args } => {
                let tool = call.made().tool();
                let edited = match args.is_object() {
                    true => self.tools.validate_edit(tool, &args.to_string()),
                    false => Err(ToolError::Validation(texts::NO_OBJECT.to_owned())),
                };
                // The person made the mistake and can correct it, so the model does not read the error.
                let edited = edited
                    .map_err(|error| Error::validation(texts::bad_edit(shown, tool, &error)))?;
                CallState::Ready {
                    arguments: edited,
                    begun,
                }
            }
        };
        turn.decided(id, state);
        Ok(())
    }

    /// Ends the run with an error, unless it has already ended.
    pub(crate) fn stop(&mut self, error: Error) {
        if !self.is_over() {
            self.answer_rest();
            self.fail_with(error);
        }
    }

    /// Adds the beginning of an answer to the history of a run that has failed. Returns whether a message was
    /// added.
    pub(crate) fn keep_interrupted(&mut self, text: &str) -> bool {
        let text = text.trim_end();
        let is_kept = !text.is_empty() && self.failure().is_some();
        if is_kept {
            let message = Message::assistant(format!("{text} {INTERRUPTED}"));
            self.state.history.push(message);
        }
        is_kept
    }

    /// Marks a call as begun.
    pub(crate) fn begin_call(&mut self, call_id: &str) {
        if let Some(CallState::Ready { begun, .. }) = self.open_call(call_id) {
            *begun = Begun::Yes;
        }
    }

    /// Replaces the arguments of a call that a hook changed.
    pub(crate) fn change_arguments(&mut self, call_id: &str, changed: String) {
        if let Some(CallState::Ready { arguments, .. }) = self.open_call(call_id) {
            *arguments = changed;
        }
    }

    fn open_call(&mut self, call_id: &str) -> Option<&mut CallState> {
        match &mut self.state.phase {
            Phase::Tools(turn) => turn.open_call_mut(call_id).map(|call| &mut call.state),
            _ => None,
        }
    }

    /// The invocations that no driver has reported, such as a call that a person has denied since.
    pub(crate) fn unreported(&self) -> &[ToolInvocation] {
        self.invocations().get(self.reported..).unwrap_or_default()
    }

    /// Notes that all invocations were reported.
    pub(super) fn mark_reported(&mut self) {
        self.reported = self.invocations().len();
    }

    /// The calls that have results so far, in call order.
    #[must_use]
    pub fn invocations(&self) -> &[ToolInvocation] {
        &self.state.invocations
    }

    /// The usage of the requests so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.state.usage
    }

    /// The cost of the requests so far, in dollars; `None` when a model has no price or its provider did
    /// not report the number of tokens.
    #[must_use]
    pub fn cost(&self) -> Option<f64> {
        self.state.cost
    }

    #[doc(hidden)]
    pub fn usage_limits(&self) -> &UsageLimits {
        &self.state.limits
    }

    /// Whether the run has ended, with an answer or an error.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.state.phase, Phase::Done { .. } | Phase::Failed(_))
    }

    /// Whether the answer is a value of a type, and not text.
    pub(crate) fn is_typed(&self) -> bool {
        self.output.is_some()
    }

    /// The number of the attempt at a tool that a call begun now makes, from 1.
    pub(crate) fn attempt(&self, tool: &str) -> u32 {
        let attempts = self.state.attempts.get(tool);
        attempts.map_or(1, |attempts| attempts.failures.saturating_add(1))
    }

    /// The number of messages in the history.
    pub(crate) fn message_count(&self) -> usize {
        self.state.history.len()
    }

    /// The calls of the message at this index of the history; empty when there is no such message.
    pub(crate) fn calls_at(&self, index: usize) -> &[ToolCall] {
        let message = self.state.history.get(index);
        message.map(Message::tool_calls).unwrap_or_default()
    }

    /// Returns the history as it would be if the run stopped here: always valid to send. Calls without
    /// a result are answered as cancelled. An input that the model did not answer is left out, so that the
    /// caller can try again.
    #[must_use]
    pub fn conversation(&self) -> Conversation {
        if matches!(self.state.phase, Phase::Tools(_)) {
            let mut stopped = self.clone();
            stopped.stop(Error::cancelled(texts::CANCELLED));
            return stopped.conversation();
        }
        let (before, own) = self.state.history.split_at(self.state.start);
        let is_answered = own.iter().any(|message| message.role() == Role::Assistant);
        // A summary of the earlier messages is useful without the input, too.
        let is_kept = |message: &&Message| is_answered || message.summary_scope().is_some();
        let said = self.state.said.iter().filter(|_| is_answered);
        let own = own.iter().filter(is_kept).chain(said);
        before.iter().chain(own).cloned().collect()
    }

    /// All messages: those that the run continues and its own, including an input that the model has not
    /// answered yet and calls without results.
    pub fn messages(&self) -> Vec<Message> {
        let history = self.state.history.iter().chain(&self.state.said);
        history.cloned().collect()
    }

    /// Returns the messages that the run adds to the [conversation](Self::conversation).
    pub(crate) fn added_messages(&self) -> Vec<Message> {
        let conversation = self.conversation();
        let messages = conversation.messages();
        messages[self.state.start.min(messages.len())..].to_vec()
    }

    /// The request that is due.
    fn request(&self) -> ModelRequest {
        let model = self.request_model();
        ModelRequest {
            model: model.clone(),
            agent: self.agent.name().to_owned(),
            instruction: self.instruction.clone(),
            messages: self.view().messages(),
            tools: self.request_tools(),
            deferred: self.request_deferred(),
            settings: self.request_settings(model),
            conversation_id: None,
            answer_schema: self.answer_schema(),
            catalog: self.agent.catalog(),
            answer_tool: self.output.as_ref().map(|output| output.name().to_owned()),
            permissions: Default::default(),
        }
    }

    /// Returns a request to the agent's own model without messages, to check how the model is reached. `None`
    /// while a fallback model is in use, because a fallback model that cannot be reached is skipped.
    pub(crate) fn request_to_check(&self) -> Option<ModelRequest> {
        let model = self.request_model();
        (self.state.fallback == 0).then(|| ModelRequest {
            settings: self.request_settings(model),
            catalog: self.agent.catalog(),
            ..ModelRequest::new(model.clone(), "", Vec::new())
        })
    }

    /// The schema of a typed answer that is a record, whose definition is the last one.
    fn answer_schema(&self) -> Option<Schema> {
        let output = self.output.as_ref()?;
        let definition = self.definitions.last().filter(|_| output.is_record())?;
        Some(definition.schema().clone())
    }

    /// The model of the request that is due, or of the last request.
    pub(super) fn request_model(&self) -> &Model {
        let fallback = self.agent.settings().fallback.as_ref();
        let in_use = self.state.fallback.checked_sub(1);
        let in_use = in_use.and_then(|index| fallback.get(index));
        in_use.unwrap_or_else(|| match self.summarises() {
            true => self.summary_model(),
            false => self.agent.model(),
        })
    }

    /// The tools of the request that is due.
    fn request_tools(&self) -> Arc<[ToolDefinition]> {
        match self.only_answer() {
            Some(answer) => Arc::new([answer.definition()]),
            None => Arc::clone(&self.definitions),
        }
    }

    /// The tools that the model of the request that is due searches.
    fn request_deferred(&self) -> Arc<[ToolDefinition]> {
        match self.only_answer() {
            Some(_) => Arc::new([]),
            None => Arc::clone(&self.deferred),
        }
    }

    /// The settings of the request that is due. A forced tool choice holds until an answer has called
    /// tools, because a run in which every answer must call tools never ends.
    fn request_settings(&self, model: &Model) -> Arc<Settings> {
        let is_other = !model.has_provider_of(self.agent.model());
        let choice = self.settings.tool_choice.as_ref();
        let is_forced = choice.is_some_and(ToolChoice::is_forced);
        let is_met = is_forced && self.state.iterations > 0 && self.has_called();
        let answer = self.only_answer();
        if !is_other && !is_met && answer.is_none() {
            return Arc::clone(&self.settings);
        }
        let mut settings = Settings::clone(&self.settings);
        if is_other {
            settings.leave_provider();
        }
        if is_met {
            settings.tool_choice = Some(ToolChoice::Auto);
        }
        if let Some(answer) = answer {
            settings.tool_choice = Some(ToolChoice::Tool(Text::new(answer.name())));
        }
        Arc::new(settings)
    }

    /// The typed answer, when the agent's tool choice forbids all tools. The answer is given by a call, so
    /// that choice must not forbid it.
    fn only_answer(&self) -> Option<&Output> {
        let is_none = self.settings.tool_choice == Some(ToolChoice::None);
        self.output.as_ref().filter(|_| is_none)
    }
}
