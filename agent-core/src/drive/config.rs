//! The configuration of a runtime, and the checks of a run before it is driven.

use super::LiveRuns;
use super::hooks::Hooks;
use crate::approval::{Approver, OnDoubt};
use crate::conversation::{Compaction, ConversationStore};
use crate::cost::Prices;
use crate::journal::Journal;
use crate::model::limits::gate::Permit;
use crate::model::{ChatModel, ModelRequest, ModelSource, ProviderUse};
use crate::run::{HostValues, Run, UsageLimits};
use agent_spec::{Agent, AgentTool, Model, Settings};
use agent_tool::__private::{CallAgent, Extensions};
use agent_tool::Error;
use agent_tool::library::{BindPolicy, BoundTool, BoundTools};
use agent_tool::permissions::Permissions;
use agent_tool::redact::Redactor;
use agent_tool::tool::Tool;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The configuration of a runtime, which all its runs share.
pub struct RuntimeConfig {
    /// The models, by the names of their providers.
    pub providers: Arc<dyn ModelSource>,
    /// Decides on calls that require approval.
    pub approver: Option<Box<dyn Approver>>,
    /// The treatment of calls in doubt without an approver.
    pub on_doubt: OnDoubt,
    /// The values that tools get by their types.
    pub extensions: Extensions,
    /// The permissions of tools.
    pub permissions: Permissions,
    /// The hooks, in the order in which they are asked.
    pub hooks: Box<Hooks>,
    /// Removes secrets from what is stored and shown.
    pub redactor: Redactor,
    /// The redactor of traced content; `None` if content is not traced.
    pub trace_redactor: Option<Redactor>,
    /// The time limit of a call whose tool sets none.
    pub tool_timeout: Duration,
    /// The time limit of a request with all its attempts.
    pub model_timeout: Duration,
    /// The time limit of a run.
    pub run_timeout: Option<Duration>,
    /// The rule by which tools are bound to specs.
    pub bind_policy: BindPolicy,
    /// The values of variables of instructions.
    pub variables: BTreeMap<String, String>,
    /// The limits of runs that set none.
    pub usage_limits: UsageLimits,
    /// The compaction of runs that set none.
    pub compaction: Option<Compaction>,
    /// The values of runs that are not saved.
    pub host: HostValues,
    /// The journal of runs.
    pub journal: Option<Arc<dyn Journal>>,
    /// The runs of the journal that this process drives.
    pub live: LiveRuns,
    /// The store of conversations, if it is not the store of the journal.
    pub conversations: Option<Arc<dyn ConversationStore>>,
    /// Calls an agent from the body of a tool.
    pub call_agent: CallAgent,
}

impl RuntimeConfig {
    /// Returns the provider of an agent's own model, as opposed to the provider of a fallback model.
    pub fn own_provider(&self, agent: &Agent) -> Result<Arc<dyn ChatModel>, Error> {
        self.providers
            .resolve(agent.model().provider(), ProviderUse::Own)
    }

    /// Returns the provider of a model. `own` is the model of the first agent: the configured address, key and headers are
    /// for its provider.
    pub fn provider_of(&self, model: &Model, own: &Model) -> Result<Arc<dyn ChatModel>, Error> {
        let used_as = match model.has_provider_of(own) {
            true => ProviderUse::Own,
            false => ProviderUse::Fallback,
        };
        self.providers.resolve(model.provider(), used_as)
    }

    /// Checks the addresses of the agents that an agent can call, itself or through others. An address that only a document
    /// names would otherwise be refused in the middle of the run, to the model as a failed call.
    ///
    /// # Errors
    /// Configuration when the host program does not allow requests to an address, with the agent and the option.
    pub fn check_called_addresses(&self, agent: &Agent, tools: &BoundTools) -> Result<(), Error> {
        let mut called = CalledAddresses {
            config: self,
            own: agent.model(),
            seen: HashSet::new(),
            refused: Vec::new(),
        };
        called.check(agent, tools.with_those_of_agents().map(BoundTool::tool));
        Error::combined(called.refused)
    }

    /// Returns the store of conversations, and whether it belongs to the journal.
    ///
    /// # Errors
    /// Configuration when there is no store.
    pub fn store(&self) -> Result<(Arc<dyn ConversationStore>, bool), Error> {
        if let Some(store) = &self.conversations {
            return Ok((Arc::clone(store), false));
        }
        let of_journal = self
            .journal
            .as_ref()
            .and_then(|journal| journal.conversations());
        of_journal.map(|store| (store, true)).ok_or_else(|| {
            Error::configuration(
                "the run has a stored conversation, and the runtime has no store; give it one with \
                 `Runtime::builder().conversations(…)`",
            )
        })
    }

    /// Checks that the models of a run, and of its agents that have not ended, can be asked: that their
    /// providers exist and have keys. Returns the provider of the run's own model.
    ///
    /// # Errors
    /// Configuration when a model cannot be asked.
    pub fn check_models(&self, run: &Run) -> Result<Arc<dyn ChatModel>, Error> {
        let provider = self.own_provider(run.agent())?;
        // A run that waits for a person sends no request, and a hook may choose another model.
        if !run.is_over() {
            self.check_called_addresses(run.agent(), run.first().tools())?;
        }
        if run.awaiting_approval().is_empty() && self.hooks.is_empty() {
            let own = run.agent().model();
            for (_, run) in run.runs() {
                if let Some(request) = run.request_to_check() {
                    self.provider_of(&request.model, own)?.check(&request)?;
                }
            }
        }
        Ok(provider)
    }

    /// Waits until the limits of its provider allow a request. Returns `None` for a provider without limits.
    ///
    /// # Errors
    /// Llm when the provider asked to wait longer than requests may wait.
    pub(crate) async fn enter(&self, request: &ModelRequest) -> Result<Option<Permit>, Error> {
        match self.providers.gate(request.model.provider()) {
            Some(gate) => gate.enter(request).await.map(Some),
            None => Ok(None),
        }
    }

    /// Checks that limits can be enforced for an agent.
    pub fn check_limits(&self, limits: &UsageLimits, agent: &Agent) -> Result<(), Error> {
        let prices = match limits.limits_cost() {
            true => self.prices_of(agent),
            false => Prices::new(),
        };
        let has_price = |model: &Model| prices.get(model).is_some();
        limits.check(agent, has_price)?;
        let mut called = agent.agents().into_iter();
        called.try_for_each(|agent| limits.check(agent, has_price))
    }

    /// Returns the prices of the models of an agent and of the agents that it calls: the prices that were
    /// set, else the prices that the models' providers know.
    pub fn prices_of(&self, agent: &Agent) -> Prices {
        let mut prices = Prices::clone(&self.host.prices);
        let own = agent.model();
        for agent in std::iter::once(agent).chain(agent.agents()) {
            for model in std::iter::once(agent.model()).chain(agent.settings().fallback.iter()) {
                if prices.get(model).is_some() {
                    continue;
                }
                let mut settings = Settings::clone(agent.settings());
                if !model.has_provider_of(agent.model()) {
                    settings.leave_provider();
                }
                let mut request = ModelRequest::new(model.clone(), "", Vec::new());
                request.settings = Arc::new(settings);
                request.catalog = agent.catalog();
                let provider = self.provider_of(model, own);
                if let Some(price) = provider.ok().and_then(|provider| provider.price(&request)) {
                    prices = prices.with(model.clone(), price);
                }
            }
        }
        prices
    }
}

/// The addresses of the agents that an agent can call.
struct CalledAddresses<'a> {
    config: &'a RuntimeConfig,
    /// The model of the first agent.
    own: &'a Model,
    /// The agents of libraries that were checked, by their places in memory, because agents of two libraries may have one
    /// name.
    seen: HashSet<*const ()>,
    refused: Vec<Error>,
}

impl CalledAddresses<'_> {
    /// Checks the agents that an agent can call: those of its document, and those among these tools.
    fn check<'t>(&mut self, agent: &Agent, tools: impl IntoIterator<Item = &'t Arc<dyn Tool>>) {
        let called = agent.agents();
        for called in &called {
            self.check_address(called);
        }
        let callers = std::iter::once(agent).chain(called.iter().copied());
        let names = callers.flat_map(|caller| caller.all_tools().map(AgentTool::name));
        let mut of_library: HashSet<&str> = names.collect();
        for called in &called {
            of_library.remove(called.name());
        }
        for tool in tools {
            if of_library.contains(tool.descriptor().name())
                && let Some(tool_agent) = tool.agent()
                && self.seen.insert(Arc::as_ptr(tool).cast())
            {
                self.check_address(tool_agent.agent());
                self.check(tool_agent.agent(), tool_agent.tools());
            }
        }
    }

    fn check_address(&mut self, agent: &Agent) {
        let model = agent.model();
        let mut request = ModelRequest::new(model.clone(), "", Vec::new());
        request.settings = Arc::new(agent.settings().clone());
        request.catalog = agent.catalog();
        let provider = self.config.provider_of(model, self.own);
        // Other errors are reported when the agent is called, which may never happen.
        if let Err(error) = provider.and_then(|provider| provider.check(&request))
            && error.is_address_not_allowed()
        {
            self.refused.push(error.of_agent(agent.name()));
        }
    }
}

impl fmt::Debug for RuntimeConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RuntimeConfig")
            .field("providers", &self.providers)
            .field("bind_policy", &self.bind_policy)
            .field("tool_timeout", &self.tool_timeout)
            .field("model_timeout", &self.model_timeout)
            .field("run_timeout", &self.run_timeout)
            .finish_non_exhaustive()
    }
}
