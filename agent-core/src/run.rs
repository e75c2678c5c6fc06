//! One execution of an agent on one input: a state machine without I/O.
//!
//! [`Run::next`] returns the next [`Step`]. The other methods receive the outcome of the step. Every rule of the loop is
//! here: which calls are made, how bad calls are answered, when a run ends. A driver (this crate's
//! `Runtime` does the I/O and decides nothing.
//!
//! This file has the run as its driver sees it, `run/turn.rs` the rules of one turn, and `run/plan_calls.rs` those of its
//! calls.

mod agent_call;
pub(crate) mod compact;
mod input;
mod instruction;
mod limits;
mod nested;
mod output;
pub(crate) mod place;
mod plan_calls;
pub(crate) mod record;
mod replace;
mod saved;
mod state;
mod step;
mod texts;
mod tool_rules;
mod tool_search;
mod turn;

pub use input::Input;
pub use instruction::instruction_variables;
pub use limits::{
    MAX_BAD_CALLS, MAX_CALLS, MAX_CALLS_AT_ONCE, MAX_FAILURES, MAX_ITERATIONS, MAX_PAUSES,
    MAX_RESULT_TEXT, MAX_RUN_BYTES, UsageLimits,
};
pub use place::MAX_DEPTH;
pub use step::{AwaitingApproval, Decision, NestedStep, PendingCall, RunOutcome, Step};
pub use tool_search::{called_tool, search_result};

pub(crate) use compact::overhead;
pub(crate) use nested::{Due, Spent, caller_of, last_id, leads_to};
pub(crate) use place::Place;
pub(crate) use tool_rules::validate_call;

use crate::conversation::{
    Compaction, Conversation, Message, Part, Retention, Role, TokenCounts, ToolCall, check_messages,
};
use crate::cost::Prices;
use crate::model::{ModelReply, ModelRequest, ToolDefinition, Usage};
use crate::response::{AgentResponse, ToolInvocation, readable};
use agent_call::AgentCall;
use agent_gram::value::Text;
use agent_spec::schema::Schema;
use agent_spec::types::{Kind, Type};
use agent_spec::{Agent, AgentTool, CompactAbove, Model, Settings, ToolChoice, ToolSpec};
use agent_tool::__private::{KeptMedia, ReadFn, take_result, true_media_type};
use agent_tool::library::BoundTools;
use agent_tool::tool::ToolError;
use agent_tool::trace::TARGET;
use agent_tool::{Error, ToolContext};
use output::Output;
use serde_json::Value;
use state::{Begun, CallState, Outcome, Phase, State, TurnCall, Weight};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tool_rules::ToolRules;

/// One execution of an agent on one input.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use agent_runtime::library::bind_agent_tools;
/// use agent_runtime::model::ModelReply;
/// use agent_runtime::run::{Run, Step};
/// use agent_runtime::{Agent, Conversation, ToolLibrary};
///
/// let agent = Agent::new("greeter", "Scripted/any", "Greet the user.")?;
/// let tools = bind_agent_tools(&agent, &ToolLibrary::new())?;
/// let mut run = Run::new(&agent, &tools, "Hello!", &Conversation::new(), &Default::default())?;
/// let Step::CallModel(request) = run.next()? else { panic!("a run begins with a request") };
/// assert_eq!(request.messages[0].content(), "Hello!");
/// run.model_replied(ModelReply::text("Good morning."))?;
/// let Step::Done(response) = run.next()? else { panic!("an answer in words ends a run") };
/// assert_eq!(response.content, "Good morning.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Run {
    agent: Arc<Agent>,
    instruction: String,
    tools: ToolRules,
    definitions: Arc<[ToolDefinition]>,
    /// The tools that the model searches.
    deferred: Arc<[ToolDefinition]>,
    settings: Arc<Settings>,
    /// The type of the answer; `None` when the answer is text.
    output: Option<Output>,
    host: HostValues,
    /// The estimated tokens of the instruction and the tools; 0 without a compaction.
    overhead: usize,
    /// The estimated tokens of the history, as far as a compaction has counted them.
    counts: TokenCounts,
    place: Place,
    /// Whether the driver has got the request that is due.
    is_request_taken: bool,
    state: State,
}

/// Looks up the context of an agent's model. The default knows none.
#[derive(Clone, Default)]
pub struct ContextWindow(Option<Arc<WindowOf>>);

pub(crate) type WindowOf = dyn Fn(&Agent) -> Option<u64> + Send + Sync;

impl ContextWindow {
    /// Creates it from a function.
    pub fn of(look_up: impl Fn(&Agent) -> Option<u64> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(look_up)))
    }
}

impl fmt::Debug for ContextWindow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ContextWindow").finish_non_exhaustive()
    }
}

/// The values that belong to the host of a run and are not saved.
#[derive(Clone, Debug)]
pub struct HostValues {
    /// The prices of models, by which the cost of the run is counted.
    pub prices: Arc<Prices>,
    /// The maximum number of bytes of a result that the model reads.
    pub result_limit: usize,
    /// The compaction of agents that are called.
    pub compaction: Option<Compaction>,
    /// Returns the number of tokens that a request and its answer may have together with the model of an agent.
    pub context_window: ContextWindow,
    /// Whether the driver begins the agents that are called, and takes their results, because hooks come before and
    /// after.
    pub holds_agents: bool,
    /// Whether the driver reports which calls it begins.
    pub reports_begun: bool,
}

impl HostValues {
    /// The mark of a call that becomes due.
    fn begun(&self) -> Begun {
        match self.reports_begun {
            true => Begun::No,
            false => Begun::Unsaid,
        }
    }
}

impl Default for HostValues {
    fn default() -> Self {
        Self {
            prices: Arc::default(),
            result_limit: MAX_RESULT_TEXT,
            compaction: None,
            context_window: ContextWindow::default(),
            holds_agents: false,
            reports_begun: false,
        }
    }
}

/// The values with which a run is created, beside its agent, its tools and its input.
#[derive(Default)]
pub struct RunSetup {
    /// The type of the answer, and the function that reports whether the program can read an answer; `None`
    /// when the answer is text.
    pub output: Option<(&'static Type, ReadFn)>,
    /// The limits of what the run may use.
    pub limits: UsageLimits,
    /// The compaction of the conversation.
    pub compaction: Option<Compaction>,
    /// The turns of the conversation that are kept.
    pub retention: Option<Retention>,
    /// The values that belong to the host.
    pub host: HostValues,
}

impl Run {
    /// Creates a run of an agent, with its bound tools, on an input. `conversation` is the history before
    /// the input; `variables` fill each `{{name}}` of the instruction. The run has the specs of the bound
    /// tools in the places of the agent's [references](Agent::references).
    ///
    /// # Errors
    /// A tool error when a tool is not bound. Validation when the input is blank, the agent is invalid or the conversation cannot be sent;
    /// configuration when a variable is missing.
    pub fn new(
        agent: &Agent,
        tools: &BoundTools,
        input: impl Into<Input>,
        conversation: &Conversation,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let setup = RunSetup::default();
        let input = input.into();
        Self::create(agent.clone(), tools, input, conversation, variables, setup)
    }

    /// Creates a run as [`new`](Self::new) does, with further values.
    #[doc(hidden)]
    pub fn create(
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
        let call = AgentCall::new(&agent, input, variables)?;
        let mut history = conversation.messages().to_vec();
        let hidden = setup.retention;
        let hidden = hidden.map_or(0, |retention| retention.first_sent(&history));
        history.push(call.message);
        let (ty, read) = match setup.output {
            Some((ty, read)) => (Some(stated_output(&agent).unwrap_or(ty)), Some(read)),
            None => (stated_output(&agent), None),
        };
        let output = ty.map(|ty| Output::new(ty, agent.tools(), read));
        let output = output.transpose()?;
        let mut state = State::new(crate::id::run_id(), history, setup.limits);
        state.hidden = hidden;
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

    fn assemble(
        agent: Agent,
        instruction: String,
        tools: &BoundTools,
        output: Option<Output>,
        state: State,
    ) -> Self {
        let tools = ToolRules(tools.clone());
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
            place: Place::first(&agent),
            is_request_taken: false,
            host: HostValues::default(),
            tools,
            agent: Arc::new(agent),
            instruction,
            state,
        }
    }

    /// Sets the prices by which the cost of the run is counted.
    #[must_use]
    pub fn with_prices(mut self, prices: Prices) -> Self {
        self.host.prices = Arc::new(prices);
        self
    }

    /// Sets the maximum number of bytes of a result that the model reads.
    #[must_use]
    pub fn with_result_limit(mut self, bytes: usize) -> Self {
        self.host.result_limit = bytes;
        self
    }

    /// Sets the limits of what the run may use.
    #[must_use]
    pub fn with_usage_limits(mut self, limits: UsageLimits) -> Self {
        self.set_usage_limits(limits);
        self
    }

    /// Sets when the beginning of the conversation is summarised, in place of the agent's `compactAbove`.
    #[must_use]
    pub fn with_compaction(mut self, compaction: Compaction) -> Self {
        self.overhead = overhead(&self.instruction, &self.definitions);
        self.state.compaction = Some(compaction);
        self
    }

    /// Sets the values of the host that drives the run, and of the agents that it called. A run that was read from
    /// JSON has none.
    #[doc(hidden)]
    pub fn set_host_values(&mut self, host: &HostValues) {
        if let Phase::Tools(turn) = &mut self.state.phase {
            turn.note_begun(host.begun());
            for nested in turn.agents_mut() {
                nested.set_host_values(host);
            }
        }
        self.host = host.clone();
    }

    /// Replaces the implementations of the tools.
    ///
    /// # Errors
    /// A tool error when the tools of an agent that goes on cannot be bound.
    #[doc(hidden)]
    pub fn set_tools(&mut self, tools: &BoundTools) -> Result<(), Error> {
        if let Phase::Tools(turn) = &mut self.state.phase {
            for nested in turn.agents_mut() {
                let (_, bound) = tools.agent(nested.agent.name())?;
                nested.set_tools(&bound)?;
            }
        }
        self.tools = ToolRules(tools.clone());
        Ok(())
    }

    #[doc(hidden)]
    pub fn set_usage_limits(&mut self, limits: UsageLimits) {
        self.state.limits = limits;
    }

    /// Writes the run as JSON, from which [`Run::from_json`] continues it, also in another process. The
    /// JSON holds the conversation, so it is as private as that; it holds no key.
    #[must_use]
    pub fn to_json(&self) -> Value {
        saved::write(self)
    }

    /// Reads the agent of a saved run, whose tools must be bound for [`Run::from_json`].
    ///
    /// # Errors
    /// Validation when the JSON is no saved run of this version.
    pub fn saved_agent(json: &Value) -> Result<Agent, Error> {
        saved::read_agent(json)
    }

    /// Reads a saved run. `tools` are those of [`Run::saved_agent`], bound again. The run continues
    /// exactly as it would have without being saved.
    ///
    /// # Errors
    /// Validation when the JSON is no saved run of this version, or when the run cannot continue because
    /// its history could not be sent or its waiting calls are not those that the model asked for; a tool
    /// error when a tool of the agent is not among `tools`.
    pub fn from_json(json: &Value, tools: &BoundTools) -> Result<Self, Error> {
        saved::read(json, tools)
    }

    /// The run's id, which no other run has.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.state.id
    }

    /// The agent.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The agent, shared with the values that the driver keeps of the run.
    pub(crate) fn shared_agent(&self) -> Arc<Agent> {
        Arc::clone(&self.agent)
    }

    /// Returns the step that is due. Calling it again returns the same step, until the step's outcome is
    /// given to the run. [`Step::Done`] ends the run: nothing can be [said](Self::say) after it.
    ///
    /// # Errors
    /// The error that ended the run.
    #[expect(
        clippy::should_implement_trait,
        reason = "a run is no iterator: it repeats a step until it gets the outcome"
    )]
    pub fn next(&mut self) -> Result<Step, Error> {
        self.compact_all();
        self.state.is_answer_taken |= matches!(self.state.phase, Phase::Done { .. });
        match &self.state.phase {
            Phase::AskModel => Ok(Step::CallModel(self.request())),
            Phase::Summarise(summarising) => Ok(Step::Summarise(self.summary_request(summarising))),
            Phase::Tools(turn) => {
                let awaiting = self.awaiting_approval();
                if !awaiting.is_empty() {
                    Ok(Step::AwaitApproval(awaiting))
                } else if self.has_agents() {
                    Ok(self.parallel_step())
                } else {
                    Ok(Step::CallTools(turn.ready(&self.place)))
                }
            }
            Phase::Done {
                parts,
                finish_reason,
            } => Ok(Step::Done(AgentResponse {
                content: parts.iter().filter_map(Part::as_text).collect(),
                parts: readable(parts),
                tools_used: self.state.invocations.clone(),
                usage: self.state.usage,
                cost: self.state.cost,
                finish_reason: finish_reason.clone(),
                warnings: self.warnings(),
            })),
            Phase::Failed(error) => Err(error.again()),
        }
    }

    /// Takes the model's answer to the request of the last [`Step::CallModel`] or [`Step::Summarise`].
    ///
    /// # Errors
    /// Validation when the run does not wait for an answer; the run is unchanged then.
    pub fn model_replied(&mut self, reply: ModelReply) -> Result<(), Error> {
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
    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.state.warnings.clone();
        let choice = self.settings.tool_choice.as_ref();
        if let Some(choice) = choice.filter(|choice| choice.is_forced())
            && !self.has_called()
        {
            warnings.push(texts::no_demanded_call(self.request_model(), choice));
        }
        warnings
    }

    fn awaits_reply(&self) -> bool {
        matches!(self.state.phase, Phase::AskModel | Phase::Summarise(_))
    }

    /// Takes a message that the user says while the run goes on. The model gets it with the next request, after the
    /// results of the calls that are being made, and it begins no [turn](Conversation::turns). When the model has
    /// just answered, it is asked once more.
    ///
    /// A message is taken between two steps: a driver that gets one during a request gives it to the run after the
    /// answer, and before it calls [`next`](Self::next). [`RunHandle`](crate::RunHandle) does that.
    ///
    /// # Errors
    /// Validation when the message is blank or has an image, a document or audio that is none, or the run has ended
    /// with [`Step::Done`] or an error.
    pub fn say(&mut self, message: impl Into<Input>) -> Result<(), Error> {
        let message = message.into();
        check_said(&message)?;
        let is_over = match self.state.phase {
            Phase::Failed(_) => true,
            Phase::Done { .. } => self.state.is_answer_taken,
            _ => false,
        };
        if is_over {
            return Err(Error::validation(texts::SAID_TOO_LATE));
        }
        self.state.said.push(message.into_message().into_steering());
        self.hear();
        Ok(())
    }

    /// Takes a message that was said too late, so that the conversation has it.
    pub(crate) fn keep_said(&mut self, message: Input) {
        if let Err(error) = self.say(message.clone()) {
            tracing::debug!(target: TARGET, %error, "a message was said too late");
            self.state
                .history
                .push(message.into_message().into_steering());
        }
    }

    /// Takes the failure of a request. When the provider is unavailable and the agent names a
    /// fallback model, the run continues with that. A fallback model that cannot be used, such as one
    /// without a key or one that does not take an image of the input, is skipped.
    ///
    /// # Errors
    /// The error that ended the run: this one or, when no fallback could be used, the first provider
    /// error.
    pub fn model_failed(&mut self, error: Error) -> Result<(), Error> {
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

    /// Takes the result of a call of the last [`Step::CallTools`].
    ///
    /// # Errors
    /// Validation when the run does not wait for a result of this call; the run is unchanged then. So a
    /// call never has two results.
    pub fn tool_finished(
        &mut self,
        call_id: &str,
        result: Result<Value, ToolError>,
    ) -> Result<(), Error> {
        self.finish_call(call_id, result, &KeptMedia::default())
    }

    /// Takes the result of a call as [`tool_finished`](Self::tool_finished) does. The context of the call keeps the
    /// bytes of images, documents and audio that the result names by their digests.
    ///
    /// # Errors
    /// Validation when the run does not wait for a result of this call; the run is unchanged then.
    pub fn tool_finished_in(
        &mut self,
        context: &ToolContext,
        call_id: &str,
        result: Result<Value, ToolError>,
    ) -> Result<(), Error> {
        self.finish_call(call_id, result, context.kept_media())
    }

    fn finish_call(
        &mut self,
        call_id: &str,
        result: Result<Value, ToolError>,
        kept: &KeptMedia,
    ) -> Result<(), Error> {
        let Some((run, id)) = self.run_of_call(call_id) else {
            return Err(not_waiting("a result", call_id));
        };
        run.take_result(id, result, kept)?;
        run.advance();
        let place = Arc::clone(&run.place.run);
        self.settle(&place);
        Ok(())
    }

    /// Takes the result of a call as [`tool_finished`](Self::tool_finished) does, but leaves writing it
    /// into the history to [`advance`](Self::advance). When calls end together, this keeps every result
    /// even if one of them ends the run. The call is one of this run, and no nested one.
    pub(crate) fn take_result(
        &mut self,
        call_id: &str,
        mut result: Result<Value, ToolError>,
        kept: &KeptMedia,
    ) -> Result<(), Error> {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return Err(not_waiting("a result", &self.place.call_id(call_id)));
        };
        let Some(call) = turn.open_call_mut(call_id) else {
            return Err(not_waiting("a result", &self.place.call_id(call_id)));
        };
        let (arguments, agent) = match &call.state {
            CallState::Ready { arguments, .. } => (arguments, None),
            CallState::Agent { arguments, run } => (arguments, Some(run)),
            _ => return Err(not_waiting("a result", &self.place.call_id(call_id))),
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
        let outcome = Outcome {
            arguments: Some(arguments.clone()),
            weight: match &result {
                // The tool asks for other arguments, as validation does.
                Err(ToolError::Retry(_)) => Weight::Mistake,
                // An agent that was too deep to be called.
                Err(ToolError::Authorization(_)) if self.tools.is_agent(call.made().tool()) => {
                    Weight::Free
                }
                _ => Weight::Attempt,
            },
            result,
            parts,
            usage: agent.map(|run| (run.state.usage, run.state.cost)),
        };
        self.put_outcome(call_id, outcome)
    }

    /// Sets the outcome of a call that is being made. A run that is full keeps no further result, because the results of
    /// all calls of an answer may arrive together.
    fn put_outcome(&mut self, call_id: &str, mut outcome: Outcome) -> Result<(), Error> {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return Err(not_waiting("a result", &self.place.call_id(call_id)));
        };
        let call = turn.open_call_mut(call_id);
        let call = call.filter(|call| {
            matches!(
                call.state,
                CallState::Ready { .. } | CallState::Agent { .. }
            )
        });
        let Some(call) = call else {
            return Err(not_waiting("a result", &self.place.call_id(call_id)));
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
        if let CallState::Agent { run, .. } = &call.state {
            self.state.nested_calls = self.state.nested_calls.saturating_add(run.calls_asked());
            // Agents beside each other each have the calls of which this run knew.
            for unknown in &run.state.unknown_calls {
                if !self.state.unknown_calls.contains(unknown) {
                    self.state.unknown_calls.push(unknown.clone());
                }
            }
            self.state.bytes = self.state.bytes.saturating_add(run.state.bytes);
        }
        call.state = CallState::Finished(outcome);
        Ok(())
    }

    /// Takes a person's decision on a call of the last [`Step::AwaitApproval`].
    ///
    /// # Errors
    /// Validation when the run does not wait for a decision on this call, when the tool does not accept the edited
    /// arguments, or when the result of [`Decision::Done`] is not of the tool's result type. The run is unchanged then:
    /// the call still waits.
    pub fn approve(&mut self, call_id: &str, decision: Decision) -> Result<(), Error> {
        if let Decision::Done { result } = &decision
            && let Some((run, id)) = self.run_of_call(call_id)
        {
            run.check_done(id, result)?;
        }
        self.approve_again(call_id, decision)
    }

    /// Takes a decision of the journal. Its result is not checked, because a key may have been replaced in it.
    pub(crate) fn approve_again(&mut self, call_id: &str, decision: Decision) -> Result<(), Error> {
        let Some((run, id)) = self.run_of_call(call_id) else {
            return Err(not_waiting("a decision", call_id));
        };
        run.decide(id, decision)?;
        run.advance();
        let place = Arc::clone(&run.place.run);
        self.settle(&place);
        Ok(())
    }

    /// Checks the result that a person gives to a call in doubt of this run.
    fn check_done(&self, id: &str, result: &Value) -> Result<(), Error> {
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
            let id = self.place.call_id(id);
            Error::validation(texts::bad_result(&id, tool, signature, &violations))
        })
    }

    /// Takes a decision on a call of this run.
    fn decide(&mut self, id: &str, decision: Decision) -> Result<(), Error> {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return Err(not_waiting("a decision", &self.place.call_id(id)));
        };
        let Some(call) = turn.call(id) else {
            return Err(not_waiting("a decision", &self.place.call_id(id)));
        };
        let CallState::AwaitingApproval {
            arguments,
            in_doubt,
        } = &call.state
        else {
            return Err(not_waiting("a decision", &self.place.call_id(id)));
        };
        let begun = self.host.begun();
        let state = match decision {
            Decision::Done { .. } | Decision::Unknown if !in_doubt => {
                return Err(Error::validation(texts::not_in_doubt(
                    &self.place.call_id(id),
                )));
            }
            Decision::Done { result } => {
                self.state.bytes = self.state.bytes.saturating_add(limits::value_size(&result));
                CallState::Finished(Outcome {
                    arguments: Some(arguments.clone()),
                    result: Ok(result),
                    parts: Vec::new(),
                    usage: None,
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
                let edited = self.tools.validate_edit(tool, &args.to_string());
                // The person made the mistake and can correct it, so the model does not read the error.
                let edited = edited.map_err(|error| {
                    Error::validation(texts::bad_edit(&self.place.call_id(id), tool, &error))
                })?;
                CallState::Ready {
                    arguments: edited,
                    begun,
                }
            }
        };
        turn.decided(id, state);
        Ok(())
    }

    /// Ends the run because its caller no longer wants it. Calls without a result are answered as
    /// cancelled, or as not made when they were not begun.
    pub fn cancel(&mut self) {
        self.stop(Error::cancelled(texts::CANCELLED));
    }

    /// Ends the run with an error, unless it has already ended.
    pub(crate) fn stop(&mut self, error: Error) {
        if !self.is_over() {
            self.answer_rest();
            self.fail_with(error);
        }
    }

    /// Marks a call as begun.
    pub(crate) fn begin_call(&mut self, call_id: &str) {
        if let Some(CallState::Ready { begun, .. }) = self.open_call(call_id) {
            *begun = Begun::Yes;
        }
    }

    /// Replaces the arguments of a call that a hook changed.
    pub(crate) fn change_arguments(&mut self, call_id: &str, changed: String) {
        if let Some(CallState::Ready { arguments, .. } | CallState::Agent { arguments, .. }) =
            self.open_call(call_id)
        {
            *arguments = changed;
        }
    }

    fn open_call(&mut self, call_id: &str) -> Option<&mut CallState> {
        match &mut self.state.phase {
            Phase::Tools(turn) => turn.open_call_mut(call_id).map(|call| &mut call.state),
            _ => None,
        }
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

    /// Whether a person must decide on this call.
    pub(crate) fn awaits_decision(&mut self, call_id: &str) -> bool {
        let Some((run, id)) = self.run_of_call(call_id) else {
            return false;
        };
        let Phase::Tools(turn) = &run.state.phase else {
            return false;
        };
        turn.call(id).is_some_and(TurnCall::awaits_decision)
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
            stopped.cancel();
            return stopped.conversation();
        }
        let (before, own) = self.state.history.split_at(self.state.start);
        let is_answered = own.iter().any(|message| message.role() == Role::Assistant);
        // A summary of the messages before is of use without the input, too.
        let is_kept = |message: &&Message| is_answered || message.summary_scope().is_some();
        let said = self.state.said.iter().filter(|_| is_answered);
        let own = own.iter().filter(is_kept).chain(said);
        before.iter().chain(own).cloned().collect()
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

    /// Returns a request to the agent's own model without messages, to check how the model is reached. `None` while a
    /// fallback model is in use: one that cannot be reached is skipped.
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
    fn request_model(&self) -> &Model {
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

/// The type of the answer that an agent's own signature states, unless the answer is any text. A text that may be
/// missing is such a type, because no text means that there is none.
pub fn stated_output(agent: &Agent) -> Option<&Type> {
    if !agent.has_own_signature() {
        return None;
    }
    let ty = agent.signature().returns().ty();
    let is_value = match ty.kind() {
        Kind::Text => ty.is_optional() || !ty.constraints().is_none(),
        Kind::Null | Kind::Media(_) => false,
        _ => true,
    };
    is_value.then_some(ty)
}

impl AgentResponse {
    /// Returns the result that the answer is when the agent is called as a tool: the value that the signature of the
    /// agent states, or the text.
    ///
    /// ```
    /// use agent_runtime::model::{ModelReply, Scripted};
    /// use agent_runtime::serde_json::json;
    /// use agent_runtime::{Error, Runtime, agent};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let counter = agent! {
    ///     [counter:Agent {description: "Counts letters", instruction: "Count.", model: "Scripted/any"} |
    ///         (text::Text)==>(::Integer)]
    /// };
    /// let model = Scripted::new([ModelReply::call("finalAnswer", r#"{"answer": 3}"#)]);
    /// let runtime = Runtime::with_model(model);
    /// let response = runtime.call(&counter, json!({"text": "abc"})).await?;
    /// assert_eq!(response.into_result(&counter), 3);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn into_result(self, agent: &Agent) -> Value {
        match stated_output(agent) {
            Some(_) => agent_spec::json::parse_json(&self.content).unwrap_or_default(),
            None => Value::String(self.content),
        }
    }
}

/// Checks that the input is not blank.
pub fn check_input(input: &Input) -> Result<(), Error> {
    if input
        .arguments()
        .is_some_and(|arguments| !arguments.is_object())
    {
        return Err(Error::validation(
            "the arguments of an agent are an object with a member for each parameter",
        ));
    }
    if input.is_blank() {
        return Err(Error::validation("the input is empty"));
    }
    Ok(())
}

/// Checks a message that is said while a run goes on: what can be known without its provider.
pub(crate) fn check_said(message: &Input) -> Result<(), Error> {
    check_input(message)?;
    for (number, part) in (1..).zip(message.parts()) {
        let Some(media) = part.media() else {
            continue;
        };
        let problem = match media.is_missing() {
            true => Some("only its `sha256` is known; its bytes are not here".to_owned()),
            false => true_media_type(part.kind(), media).err(),
        };
        if let Some(problem) = problem {
            let kind = part.kind();
            let text = format!("part {number} of the message (type `{kind}`): {problem}");
            return Err(Error::validation(text));
        }
    }
    Ok(())
}

/// The compaction that an agent states.
pub fn stated_compaction(agent: &Agent, host: &HostValues) -> Option<Compaction> {
    let above = match agent.settings().compact_above? {
        CompactAbove::Tokens(tokens) => u64::from(tokens),
        // Four fifths: the rest is for the answer, and for what the estimate misses.
        _ => {
            let window = host.context_window.0.as_ref()?;
            window(agent)? / 5 * 4
        }
    };
    Some(Compaction::above(
        usize::try_from(above).unwrap_or(usize::MAX),
    ))
}

/// Checks the rules that an agent read from gram always keeps and one built in code may break.
pub fn check_agent(agent: &Agent) -> Result<(), Error> {
    if agent.name().is_empty() {
        return Err(Error::validation("the agent has no name"));
    }
    let name = agent.name();
    if agent.instruction().trim().is_empty() {
        let text = format!("the agent `{name}` has no instruction");
        return Err(Error::validation(text));
    }
    let tools: Vec<&str> = agent.all_tools().map(AgentTool::name).collect();
    for (index, tool) in tools.iter().enumerate() {
        if tools[..index].contains(tool) {
            let text = format!("the agent `{name}` has two tools named `{tool}`");
            return Err(Error::validation(text));
        }
    }
    if let Some(tool) = tool_search::taken_name(agent, &tools) {
        let text = format!(
            "the agent `{name}` has a tool `{tool}`, which is the name of a tool that `toolSearch` adds"
        );
        return Err(Error::validation(text));
    }
    let text = match &agent.settings().tool_choice {
        Some(ToolChoice::Required) if tools.is_empty() => {
            format!("the agent `{name}` must call a tool and has none")
        }
        Some(ToolChoice::Tool(tool)) if !tools.contains(&tool.as_str()) => {
            format!("the agent `{name}` must call the tool `{tool}`, which it does not have")
        }
        _ => return Ok(()),
    };
    Err(Error::validation(text))
}

fn not_waiting(subject: &str, call_id: &str) -> Error {
    Error::validation(format!(
        "the run does not wait for {subject} of the call `{call_id}`"
    ))
}
