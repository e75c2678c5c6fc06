//! One execution of an agent on one input: a state machine without I/O.
//!
//! [`Run::next`] returns the next [`Step`]. The other methods receive the outcome of the step. Every rule of the loop is
//! here: which calls are made, how bad calls are answered, when a run ends. A driver does the I/O and decides nothing.
//!
//! A [`Run`] has the run of its agent and the runs of the agents that are called, side by side:
//! `run/agents.rs` connects them. `run/agent_run.rs` has the run of one agent, which is independent of other
//! agents; `run/turn.rs` has the rules of one turn, and `run/plan_calls.rs` those of its calls.

mod agent_call;
pub(crate) mod agent_run;
mod agents;
mod guard;
mod guarded;
mod input;
mod instruction;
mod limits;
pub(crate) mod meant_calls;
mod output;
pub(crate) mod place;
pub(crate) mod plan_calls;
pub(crate) mod record;
mod replace;
pub(crate) mod saved;
mod state;
mod step;
pub(crate) mod summary_step;
mod texts;
mod tool_rules;
mod tool_search;
mod turn;

pub use guarded::Guarded;
pub use input::Input;
pub use instruction::instruction_variables;
pub use limits::{
    MAX_BAD_CALLS, MAX_CALLS, MAX_CALLS_AT_ONCE, MAX_FAILURES, MAX_ITERATIONS, MAX_PAUSES,
    MAX_RESULT_TEXT, MAX_RUN_BYTES, UsageLimits,
};
pub use place::MAX_DEPTH;
pub use step::{AwaitingApproval, Decision, NestedStep, PendingCall, RunOutcome, Step};
pub use tool_search::{called_tool, search_result};

#[doc(hidden)]
pub use agent_run::AgentRun;
pub(crate) use agents::{Due, Inherited, Spent};
pub(crate) use place::{Place, caller_and_id, leads_to};
pub(crate) use tool_rules::validate_call;

use crate::conversation::{Compaction, Conversation, Retention};
use crate::cost::Prices;
use crate::model::{ModelReply, Usage};
use crate::response::{AgentResponse, ToolInvocation};
use agent_spec::types::Type;
use agent_spec::{Agent, AgentTool, CompactAbove, ToolChoice, WhenTainted};
use agent_tool::__private::{KeptMedia, ReadFn, shortened, true_media_type};
use agent_tool::library::BoundTools;
use agent_tool::tool::ToolError;
use agent_tool::{Error, ToolContext};
use agents::{Node, no_answer_due};
use serde_json::Value;
use state::{Begun, Phase};
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
    first: Node,
    /// The runs of the agents that were called and whose results were not taken, by the ids of the calls that lead to
    /// each. Agents that other agents called are included.
    agents: BTreeMap<Arc<str>, Node>,
}

/// Looks up the context of an agent's model. The default finds none.
#[derive(Clone, Default)]
pub struct ContextWindow(Option<Arc<WindowOf>>);

pub(crate) type WindowOf = dyn Fn(&Agent) -> Option<u64> + Send + Sync;

impl ContextWindow {
    /// Creates the look-up from a function.
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
    /// Whether the driver begins the agents that are called, and takes their results, because hooks are
    /// called before and after them.
    pub holds_agents: bool,
    /// Whether the driver reports which calls it begins.
    pub reports_begun: bool,
    /// The treatment of calls that act, once words of strangers are in the conversation, unless an agent has a stricter one.
    pub when_tainted: WhenTainted,
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
            when_tainted: WhenTainted::Allow,
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
        let run = AgentRun::create(agent, tools, input, conversation, variables, setup)?;
        Ok(Self::of_first(run))
    }

    fn of_first(run: AgentRun) -> Self {
        Self {
            first: Node {
                place: Place::first(&run.agent),
                order: Vec::new(),
                run,
            },
            agents: BTreeMap::new(),
        }
    }

    /// Sets the prices by which the cost of the run is counted.
    #[must_use]
    pub fn with_prices(mut self, prices: Prices) -> Self {
        self.first.run.host.prices = Arc::new(prices);
        self
    }

    /// Sets the maximum number of bytes of a result that the model reads.
    #[must_use]
    pub fn with_result_limit(mut self, bytes: usize) -> Self {
        self.first.run.host.result_limit = bytes;
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
        self.first.run.set_compaction(compaction);
        self
    }

    /// Sets the values of the host that drives the run, and of the agents that it called. A run that was read from
    /// JSON has none.
    #[doc(hidden)]
    pub fn set_host_values(&mut self, host: &HostValues) {
        for node in self.nodes_mut() {
            node.run.set_host_values(host);
        }
    }

    /// Replaces the implementations of the tools.
    ///
    /// # Errors
    /// A tool error when the tools of an agent that has not ended cannot be bound.
    #[doc(hidden)]
    pub fn set_tools(&mut self, tools: &BoundTools) -> Result<(), Error> {
        self.first.run.tools = ToolRules::new(tools);
        let places: Vec<Arc<str>> = self.agents.keys().cloned().collect();
        for place in places {
            let (caller, _) = caller_and_id(&place);
            let caller = self.run_at(caller).map(AgentRun::tools).cloned();
            if let (Some(caller), Some(node)) = (caller, self.agents.get_mut(&place)) {
                let (_, bound) = caller.agent(node.run.agent.name())?;
                node.run.tools = ToolRules::new(&bound);
            }
        }
        Ok(())
    }

    #[doc(hidden)]
    pub fn set_usage_limits(&mut self, limits: UsageLimits) {
        self.first.run.state.limits = limits;
    }

    /// Writes the run as JSON, from which [`Run::from_json`] continues it, also in another process. The JSON
    /// contains the conversation, so it is as private as the conversation; it contains no key.
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
        self.first.run.id()
    }

    /// The agent.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        self.first.run.agent()
    }

    /// Returns the step that is due. Calling it again returns the same step, until the step's outcome is
    /// given to the run. [`Step::Done`] ends the run: no message can be [sent](Self::say) after it.
    ///
    /// # Errors
    /// The error that ended the run.
    #[expect(
        clippy::should_implement_trait,
        reason = "a run is no iterator: it repeats a step until it gets the outcome"
    )]
    pub fn next(&mut self) -> Result<Step, Error> {
        self.compact_all();
        let state = &mut self.first.run.state;
        state.is_answer_taken |= matches!(state.phase, Phase::Done { .. });
        if let Phase::Failed(error) = &state.phase {
            return Err(error.again());
        }
        if matches!(state.phase, Phase::Tools(_)) {
            let awaiting = self.awaiting_approval();
            if !awaiting.is_empty() {
                return Ok(Step::AwaitApproval(awaiting));
            }
            if !self.agents.is_empty() {
                return Ok(Step::Parallel(self.parallel_steps()));
            }
        }
        let step = self.first.located_step();
        step.ok_or_else(|| Error::validation("the run has failed"))
    }

    /// Receives the model's answer to the request of the last [`Step::CallModel`] or [`Step::Summarise`].
    ///
    /// # Errors
    /// Validation when the run does not wait for an answer; the run is unchanged then.
    pub fn model_replied(&mut self, reply: ModelReply) -> Result<(), Error> {
        self.nested_model_replied("", reply)
    }

    /// Receives the answer of a model to the request of a nested run, whose [`NestedStep::run`] this is. See
    /// [`model_replied`](Self::model_replied).
    ///
    /// # Errors
    /// Validation when that run does not wait for an answer; it is unchanged then.
    pub fn nested_model_replied(&mut self, run: &str, reply: ModelReply) -> Result<(), Error> {
        self.reply_to(run, reply)?;
        self.settle(run);
        Ok(())
    }

    /// Receives the failure of a request. When the provider is unavailable and the agent names a fallback
    /// model, the run continues with that. A fallback model that cannot be used, such as one without a key or
    /// one that does not accept an image of the input, is skipped.
    ///
    /// # Errors
    /// The error that ended the run: this one or, when no fallback could be used, the first provider
    /// error.
    pub fn model_failed(&mut self, error: Error) -> Result<(), Error> {
        self.first.run.model_failed(error)
    }

    /// Receives the failure of the request of a nested run, whose [`NestedStep::run`] this is. See
    /// [`model_failed`](Self::model_failed). When that run ends, the call of its agent fails, and this run
    /// continues.
    ///
    /// # Errors
    /// Validation when that run does not wait for an answer; it is unchanged then.
    pub fn nested_model_failed(&mut self, run: &str, error: Error) -> Result<(), Error> {
        let own = self.run_at_mut(run).filter(|own| own.awaits_reply());
        let own = own.ok_or_else(|| no_answer_due(run))?;
        // The error is in the state of the nested run.
        let _ = own.model_failed(error);
        self.settle(run);
        Ok(())
    }

    /// Receives a message that the user sends during the run. The model gets the message with the next
    /// request, after the results of the calls that are being made. The message begins no
    /// [turn](Conversation::turns). If the model has already answered, it is asked once more.
    ///
    /// The run receives a message between two steps: a driver that gets a message during a request passes it
    /// to the run after the answer, and before it calls [`next`](Self::next). [`RunHandle`](crate::RunHandle)
    /// does that.
    ///
    /// # Errors
    /// Validation when the message is blank, when its image, document or audio is invalid, or when the run
    /// has ended with [`Step::Done`] or an error.
    pub fn say(&mut self, message: impl Into<Input>) -> Result<(), Error> {
        self.first.run.say(message.into())
    }

    /// Adds a message that was sent too late, so that the conversation has it.
    pub(crate) fn append_late_message(&mut self, message: Input) {
        self.first.run.append_late_message(message);
    }

    /// Receives the result of a call of the last [`Step::CallTools`].
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

    /// Receives the result of a call as [`tool_finished`](Self::tool_finished) does. The context of the call
    /// keeps the bytes of images, documents and audio that the result names by their digests.
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
        let (place, id) = caller_and_id(call_id);
        self.take_result(place, id, result, kept)?;
        self.advance(place);
        self.settle(place);
        Ok(())
    }

    /// Receives a person's decision on a call of the last [`Step::AwaitApproval`].
    ///
    /// # Errors
    /// Validation when the run does not wait for a decision on this call, when the tool does not accept the edited
    /// arguments, or when the result of [`Decision::Done`] is not of the tool's result type. The run is unchanged then:
    /// the call still waits.
    pub fn approve(&mut self, call_id: &str, decision: Decision) -> Result<(), Error> {
        let (place, id) = caller_and_id(call_id);
        if let Decision::Done { result } = &decision
            && let Some(own) = self.run_at(place)
        {
            own.check_done(id, call_id, result)?;
        }
        self.approve_again(call_id, decision)
    }

    /// Receives a decision of the journal. Its result is not checked, because a key may have been replaced in
    /// it.
    pub(crate) fn approve_again(&mut self, call_id: &str, decision: Decision) -> Result<(), Error> {
        if !self.awaits_decision(call_id) {
            return Err(self.no_decision_due(call_id));
        }
        let (place, id) = caller_and_id(call_id);
        let own = self.run_at_mut(place);
        let own = own.ok_or_else(|| not_waiting("a decision", call_id))?;
        own.decide(id, call_id, decision)?;
        self.advance(place);
        self.settle(place);
        Ok(())
    }

    /// The error of a decision on a call that does not wait for one.
    fn no_decision_due(&self, call_id: &str) -> Error {
        let shown = shortened(call_id, 200);
        let text = format!("the run does not wait for a decision on the call `{shown}`");
        let calls = self.awaiting_approval();
        let rest = match calls.as_slice() {
            [] => "no call waits for one".to_owned(),
            calls => format!("these calls wait: {}", step::waiting_calls(calls)),
        };
        Error::validation(format!("{text}; {rest}"))
    }

    /// Ends the run because its caller no longer wants it. Calls without a result are answered as
    /// cancelled, or as not made when they were not begun.
    pub fn cancel(&mut self) {
        self.stop("", Error::cancelled(texts::CANCELLED));
    }

    /// The calls that have results so far, in call order.
    #[must_use]
    pub fn invocations(&self) -> &[ToolInvocation] {
        self.first.run.invocations()
    }

    /// The usage of the requests so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.first.run.usage()
    }

    /// The cost of the requests so far, in dollars; `None` when a model has no price or its provider did
    /// not report the number of tokens.
    #[must_use]
    pub fn cost(&self) -> Option<f64> {
        self.first.run.cost()
    }

    #[doc(hidden)]
    pub fn usage_limits(&self) -> &UsageLimits {
        self.first.run.usage_limits()
    }

    /// Whether the run has ended, with an answer or an error.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.first.run.is_over()
    }

    /// Returns the history as it would be if the run stopped here: always valid to send. Calls without
    /// a result are answered as cancelled. An input that the model did not answer is left out, so that the
    /// caller can try again.
    #[must_use]
    pub fn conversation(&self) -> Conversation {
        self.first.run.conversation()
    }
}

/// The type of the answer that an agent's own signature states, unless the answer is any text. An optional
/// text is such a type, because a missing text means that there is no value.
pub fn stated_output(agent: &Agent) -> Option<&Type> {
    agent.stated_output()
}

impl AgentResponse {
    /// Returns the answer as the result of a call of the agent as a tool: the value that the signature of the
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

/// Checks a message that is sent during a run, as far as possible without its provider.
pub fn check_message(message: &Input) -> Result<(), Error> {
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
