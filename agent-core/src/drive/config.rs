//! The configuration of a runtime, and what it says about a run before the run is driven.

use super::LiveRuns;
use super::hooks::Hooks;
use crate::approval::{Approver, OnDoubt};
use crate::conversation::{Compaction, ConversationStore};
use crate::cost::Prices;
use crate::journal::Journal;
use crate::model::limits::gate::Permit;
use crate::model::{ChatModel, ModelRequest, ModelSource, ProviderUse};
use crate::run::{AgentRun, HostValues, Run, UsageLimits};
use agent_spec::{Agent, Model, Settings};
use agent_tool::__private::{CallAgent, Extensions};
use agent_tool::Error;
use agent_tool::library::BindPolicy;
use agent_tool::permissions::Permissions;
use agent_tool::redact::Redactor;
use std::collections::BTreeMap;
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

    /// Checks that the models of a run, and of the agents that it called and that go on, can be asked: that their
    /// providers exist and have keys. Returns the provider of the run's own model.
    ///
    /// # Errors
    /// Configuration when a model cannot be asked.
    pub fn check_models(&self, run: &Run) -> Result<Arc<dyn ChatModel>, Error> {
        let provider = self.own_provider(run.agent())?;
        // A run that waits for a person asks no model, and a hook may choose another one.
        if run.awaiting_approval().is_empty() && self.hooks.is_empty() {
            let own = run.agent().model().provider();
            for (_, run) in run.runs() {
                self.check_model(run, own, &provider)?;
            }
        }
        Ok(provider)
    }

    fn check_model(
        &self,
        run: &AgentRun,
        own: &str,
        provider: &Arc<dyn ChatModel>,
    ) -> Result<(), Error> {
        match run.request_to_check() {
            None => Ok(()),
            Some(request) if request.model.provider() == own => provider.check(&request),
            Some(request) => {
                let name = request.model.provider();
                let other = self.providers.resolve(name, ProviderUse::Fallback)?;
                other.check(&request)
            }
        }
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

    /// Returns the prices of the models of an agent and of those that it calls: those that were set, else those that the
    /// models' providers know.
    pub fn prices_of(&self, agent: &Agent) -> Prices {
        let mut prices = Prices::clone(&self.host.prices);
        let own = agent.model();
        for agent in std::iter::once(agent).chain(agent.agents()) {
            for model in std::iter::once(agent.model()).chain(agent.settings().fallback.iter()) {
                if prices.get(model).is_some() {
                    continue;
                }
                let used_as = match model.has_provider_of(own) {
                    true => ProviderUse::Own,
                    false => ProviderUse::Fallback,
                };
                let mut settings = Settings::clone(agent.settings());
                if !model.has_provider_of(agent.model()) {
                    settings.leave_provider();
                }
                let mut request = ModelRequest::new(model.clone(), "", Vec::new());
                request.settings = Arc::new(settings);
                request.catalog = agent.catalog();
                let provider = self.providers.resolve(model.provider(), used_as);
                if let Some(price) = provider.ok().and_then(|provider| provider.price(&request)) {
                    prices = prices.with(model.clone(), price);
                }
            }
        }
        prices
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
