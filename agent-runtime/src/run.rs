//! One execution of an agent on one input: a state machine without I/O.
//!
//! [`Run::next`] says what is to be done, the other methods take what came of it. Every rule of the
//! loop is here: which calls are made, what becomes of bad ones, when enough is enough. Whoever
//! drives a run (this crate's [`Runtime`](crate::Runtime), or a durable engine) does the I/O and
//! decides nothing.

mod account;
mod feed;
mod instruction;
mod json;
mod judge;
mod limits;
mod output;
mod plan;
mod rules;
mod settings;
mod state;
mod step;
mod texts;

pub use instruction::instruction_variables;
pub use limits::UsageLimits;
pub use rules::{
    MAX_BAD_CALLS, MAX_CALLS, MAX_CALLS_AT_ONCE, MAX_FAILURES, MAX_ITERATIONS, MAX_RESULT_TEXT,
};
pub use step::{Decision, PendingCall, Step};

pub(crate) use judge::call_arguments;
pub(crate) use rules::ToolRule;

use crate::conversation::{Conversation, Message, ToolCall, check_messages};
use crate::cost::Prices;
use crate::error::Error;
use crate::library::BoundTools;
use crate::model::{ModelRequest, ToolDefinition, Usage};
use crate::response::{AgentResponse, ToolInvocation};
use agent_spec::{Agent, Settings, ToolSpec};
use output::Output;
use rules::Rules;
use state::{Phase, State, TurnCall};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One execution of an agent on one input.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use agent_runtime::{
///     Agent, Conversation, ModelReply, Run, Step, ToolLibrary, bind_agent_tools,
/// };
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
    agent: Agent,
    instruction: String,
    rules: Rules,
    definitions: Arc<[ToolDefinition]>,
    settings: Arc<Settings>,
    /// The type of the answer, when it is not just words.
    output: Option<Output>,
    /// What models cost, as the runtime knows it; not saved.
    prices: Arc<Prices>,
    /// How much of a result the model reads, in bytes; not saved.
    result_limit: usize,
    state: State,
}

impl Run {
    /// A run of an agent with its tools on an input. `conversation` is what was said before, and
    /// `variables` fill the `{{name}}` of the instruction.
    ///
    /// # Errors
    /// Validation when the input is blank, the agent invalid or the conversation not to be sent;
    /// configuration when a variable is missing.
    pub fn new(
        agent: &Agent,
        tools: &BoundTools,
        input: &str,
        conversation: &Conversation,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        check_agent(agent)?;
        check_input(input)?;
        check_messages(conversation.messages()).map_err(|invalid| {
            Error::validation("the conversation cannot be sent to a model").with_source(invalid)
        })?;
        let instruction = instruction::fill(agent.instruction(), variables)?;
        let mut history = conversation.messages().to_vec();
        history.push(Message::user(input));
        let state = State::new(crate::id::run_id(), history);
        Ok(Self::assemble(agent.clone(), instruction, tools, state))
    }

    fn assemble(agent: Agent, instruction: String, tools: &BoundTools, state: State) -> Self {
        let rules = Rules::new(tools);
        let definition = |spec: &ToolSpec| {
            let rule = rules.tool(spec.name());
            ToolDefinition::bound(spec, rule.and_then(|rule| rule.implementation.as_ref()))
        };
        Self {
            definitions: agent.tools().iter().map(definition).collect(),
            settings: Arc::new(agent.settings().clone()),
            output: None,
            prices: Arc::default(),
            result_limit: MAX_RESULT_TEXT,
            rules,
            agent,
            instruction,
            state,
        }
    }

    /// The same run, whose cost is counted.
    #[must_use]
    pub fn with_prices(mut self, prices: Prices) -> Self {
        self.set_prices(Arc::new(prices));
        self
    }

    pub(crate) fn set_prices(&mut self, prices: Arc<Prices>) {
        self.prices = prices;
    }

    /// The same run, of whose results the model reads no more than this, in bytes.
    #[must_use]
    pub fn with_result_limit(mut self, bytes: usize) -> Self {
        self.set_result_limit(bytes);
        self
    }

    pub(crate) fn set_result_limit(&mut self, bytes: usize) {
        self.result_limit = bytes;
    }

    pub(crate) fn usage_limits(&self) -> &UsageLimits {
        &self.state.limits
    }

    /// An id that no other run has.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.state.id
    }

    /// Which attempt at a tool a call is that begins now.
    pub(crate) fn attempt(&self, tool: &str) -> u32 {
        let attempts = self.state.attempts.get(tool);
        attempts.map_or(1, |attempts| attempts.failures.saturating_add(1))
    }

    /// How long the history is.
    pub(crate) fn messages(&self) -> usize {
        self.state.history.len()
    }

    /// The calls of the model's answer at this place of the history; none when it was not taken
    /// in.
    pub(crate) fn calls_at(&self, place: usize) -> &[ToolCall] {
        let message = self.state.history.get(place);
        message.map(Message::tool_calls).unwrap_or_default()
    }

    /// The agent.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// What is to be done now. Asking again gives the same answer, until something is fed in.
    ///
    /// # Errors
    /// What ended the run.
    pub fn next(&self) -> Result<Step, Error> {
        match &self.state.phase {
            Phase::AskModel => Ok(Step::CallModel(self.request())),
            Phase::Tools(turn) => {
                let awaiting = turn.awaiting_approval();
                if awaiting.is_empty() {
                    Ok(Step::CallTools(turn.ready()))
                } else {
                    Ok(Step::AwaitApproval(awaiting))
                }
            }
            Phase::Done {
                content,
                finish_reason,
            } => Ok(Step::Done(AgentResponse {
                content: content.clone(),
                tools_used: self.state.invocations.clone(),
                usage: self.state.usage,
                cost: self.state.cost,
                finish_reason: finish_reason.clone(),
            })),
            Phase::Failed { kind, message } => Err(Error::new(*kind, message.clone())),
        }
    }

    /// The calls that have their results so far, in call order.
    #[must_use]
    pub fn invocations(&self) -> &[ToolInvocation] {
        &self.state.invocations
    }

    /// What the requests so far cost.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.state.usage
    }

    /// Whether the run has ended, well or not.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.state.phase, Phase::Done { .. } | Phase::Failed { .. })
    }

    /// Whether a person must decide on this call.
    pub(crate) fn awaits_decision(&self, call_id: &str) -> bool {
        let Phase::Tools(turn) = &self.state.phase else {
            return false;
        };
        turn.call(call_id).is_some_and(TurnCall::awaits_decision)
    }

    /// The history as it would be if the run stopped here: always valid to send. Calls that have
    /// no result yet are answered as cancelled. An input that no answer of the model followed is
    /// left out, so that the caller can simply try again.
    #[must_use]
    pub fn conversation(&self) -> Conversation {
        if matches!(self.state.phase, Phase::Tools(_)) {
            let mut stopped = self.clone();
            stopped.cancel();
            return stopped.conversation();
        }
        let mut history = self.state.history.as_slice();
        if history.len() == self.state.start + 1 {
            history = &history[..self.state.start];
        }
        let said = history.iter().enumerate();
        said.filter(|(at, _)| !self.state.asides.contains(at))
            .map(|(_, message)| message.clone())
            .collect()
    }

    /// The request that is due.
    fn request(&self) -> ModelRequest {
        let model = self.request_model();
        ModelRequest {
            model: model.clone(),
            instruction: self.instruction.clone(),
            messages: self.state.history.clone(),
            tools: self.tools(),
            settings: self.settings_for(model),
        }
    }

    /// The model of the request that is due, or of the last one.
    fn request_model(&self) -> &agent_spec::Model {
        self.fallback().unwrap_or_else(|| self.agent.model())
    }

    /// The fallback model in use, unless the agent's own is.
    fn fallback(&self) -> Option<&agent_spec::Model> {
        let fallback = self.agent.settings().fallback.as_ref();
        fallback.get(self.state.fallback.checked_sub(1)?)
    }
}

/// Checks that the user said something.
pub(crate) fn check_input(input: &str) -> Result<(), Error> {
    if input.trim().is_empty() {
        return Err(Error::validation("the input is empty"));
    }
    Ok(())
}

/// Checks what a spec read from gram always satisfies and one put together by hand may not.
fn check_agent(agent: &Agent) -> Result<(), Error> {
    if agent.name().is_empty() {
        return Err(Error::validation("the agent has no name"));
    }
    let name = agent.name();
    if agent.instruction().trim().is_empty() {
        let text = format!("the agent `{name}` has no instruction");
        return Err(Error::validation(text));
    }
    for (at, tool) in agent.tools().iter().enumerate() {
        let tool = tool.name();
        if agent.tools()[..at].iter().any(|other| other.name() == tool) {
            let text = format!("the agent `{name}` has two tools named `{tool}`");
            return Err(Error::validation(text));
        }
    }
    settings::check_tool_choice(agent)
}
