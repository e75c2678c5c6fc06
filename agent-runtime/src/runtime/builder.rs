//! The builder of a runtime.

use super::Runtime;
use crate::model::{Cassette, CompatibleProvider, ProviderConfig, Providers, Registered};
use agent_catalog::{Catalog, vendor};
use agent_core::__private::{ContextWindow, HostValues, LiveRuns, RuntimeConfig};
use agent_core::approval::{Approver, OnDoubt};
use agent_core::conversation::{Compaction, ConversationStore};
use agent_core::cost::Prices;
use agent_core::hook::Hook;
use agent_core::journal::Journal;
use agent_core::model::{ChatModel, Offline, ProviderLimits};
use agent_core::run::{MAX_RESULT_TEXT, UsageLimits};
use agent_spec::{Agent, Grants, WhenTainted};
use agent_tool::__private::{Extensions, check_time_limits};
use agent_tool::library::BindPolicy;
use agent_tool::permissions::Permissions;
use agent_tool::redact::Redactor;
use agent_tool::tool::DEFAULT_TOOL_TIMEOUT;
use agent_tool::{Environment, Error};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Settings for a [`Runtime`]. They take precedence over those of an agent file.
#[must_use]
pub struct RuntimeBuilder {
    providers: ProviderConfig,
    approver: Option<Box<dyn Approver>>,
    on_doubt: OnDoubt,
    extensions: Extensions,
    grants: Grants,
    redactor: Redactor,
    hooks: Vec<Box<dyn Hook>>,
    tool_timeout: Duration,
    run_timeout: Option<Duration>,
    bind_policy: BindPolicy,
    variables: BTreeMap<String, String>,
    prices: Prices,
    usage_limits: UsageLimits,
    compaction: Option<Compaction>,
    result_limit: usize,
    when_tainted: WhenTainted,
    trace_content: bool,
    journal: Option<Arc<dyn Journal>>,
    conversations: Option<Arc<dyn ConversationStore>>,
}

impl RuntimeBuilder {
    pub(super) fn new() -> Self {
        Self {
            providers: ProviderConfig::default(),
            approver: None,
            on_doubt: OnDoubt::default(),
            extensions: Extensions::default(),
            grants: Grants::NONE,
            redactor: Redactor::new(),
            hooks: Vec::new(),
            tool_timeout: DEFAULT_TOOL_TIMEOUT,
            run_timeout: None,
            bind_policy: BindPolicy::default(),
            variables: BTreeMap::new(),
            prices: Prices::new(),
            usage_limits: UsageLimits::new(),
            compaction: None,
            result_limit: MAX_RESULT_TEXT,
            when_tainted: WhenTainted::Allow,
            trace_content: false,
            journal: None,
            conversations: None,
        }
    }

    /// Sets the source of keys, addresses and proxies, in place of the process's environment.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.providers.environment = environment;
        self
    }

    /// Sets the base URL of the agent's own provider, in the form of the vendor's SDK (with `/v1` for OpenAI). It
    /// takes precedence over the environment and the agent file, and gets the key. Requests to fallback models of
    /// other providers do not go there.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.providers.base_url = Some(url.into());
        self
    }

    /// Sets the key of the agent's own provider, in place of the environment's. It is sent to the same hosts as a
    /// key from the environment.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.providers.api_key = Some(key.into());
        self
    }

    /// Sets the name of the header with the key of the agent's own provider, in place of the vendor's, such as
    /// `api-key` for Azure.
    pub fn key_header(mut self, name: impl Into<String>) -> Self {
        self.providers.key_header = Some(name.into());
        self
    }

    /// Adds a header for the agent's own provider. It is sent to the same hosts as the key and is as secret. With
    /// such a header, requests to the vendor's hosts need no key.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.providers.headers.push((name.into(), value.into()));
        self
    }

    /// Allows requests to a host that only an agent names, as `baseUrl`, or a catalogue of models. `host` means the
    /// default port of the address; write another port as `host:port`. No key is sent there: see
    /// [`allow_key_host`](Self::allow_key_host). The vendor's own hosts, this machine and the address of
    /// [`base_url`](Self::base_url), of a variable or of a [`CompatibleProvider`] need no permission.
    pub fn allow_base_url(mut self, host: impl Into<String>) -> Self {
        self.providers.url_hosts.push(host.into());
        self
    }

    /// Allows requests with the key to a host that only an agent or a catalogue of models names. `host` means the
    /// default port of `https` (or of `http`, see below); write another port as `host:port`. Over plain `http` the
    /// key is only sent to this machine: `localhost` or a loopback address.
    pub fn allow_key_host(mut self, host: impl Into<String>) -> Self {
        self.providers.key_hosts.push(host.into());
        self
    }

    /// Adds a hook, which observes requests and calls and may change or stop them.
    pub fn hook(mut self, hook: impl Hook) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// Sets the facts about models, in place of [`Catalog::builtin`]. Build a catalogue of your own on top of
    /// the built-in one: `Catalog::builtin().with(&document)`.
    pub fn catalog(mut self, catalog: impl Into<Arc<Catalog>>) -> Self {
        self.providers.catalog = Some(catalog.into());
        self
    }

    /// Sets whether a request is corrected and sent once more when the provider's error names a known reason,
    /// such as a temperature that the model does not accept. By default the request is corrected, with a
    /// [warning](agent_core::response::AgentResponse::warnings).
    pub fn correct_refused_requests(mut self, corrects: bool) -> Self {
        self.providers.corrects = corrects;
        self
    }

    /// Sets the treatment of calls in doubt when a run is [recovered](Runtime::recover) and there is no approver. By
    /// default the run is paused.
    pub fn on_doubt(mut self, on_doubt: OnDoubt) -> Self {
        self.on_doubt = on_doubt;
        self
    }

    /// Keeps the inputs of each run in a journal, so that [`Runtime::recover`] continues runs whose process died.
    ///
    /// Each step of a run waits until the journal has the inputs that led to the step. A run whose journal
    /// cannot be written ends with an error with [`is_journal`](Error::is_journal).
    pub fn journal(mut self, journal: impl Journal) -> Self {
        self.journal = Some(Arc::new(journal));
        self
    }

    /// Sets the store of the conversations that runs name with
    /// [`stored_as`](crate::runtime::RunBuilder::stored_as). A `SqliteJournal` brings the store of its file; a store that is
    /// set takes precedence.
    pub fn conversations(mut self, store: impl ConversationStore) -> Self {
        self.conversations = Some(Arc::new(store));
        self
    }

    /// Sets the prices of models, so that runs report their cost and can limit it.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    /// Sets what happens at least to calls of tools that send, write or destroy, once words of strangers are in the
    /// conversation. The stricter of this and `whenTainted` of the agent counts. `book/src/build/effects.md` has the rules.
    pub fn when_tainted(mut self, when: WhenTainted) -> Self {
        self.when_tainted = when;
        self
    }

    /// Sets the maximum number of bytes of a result that the model reads; by default [`MAX_RESULT_TEXT`]. A longer
    /// result is cut with a note. The response has the whole result.
    pub fn result_limit(mut self, bytes: usize) -> Self {
        self.result_limit = bytes;
        self
    }

    /// Sets the usage limits of each run, unless
    /// [`RunBuilder::usage_limits`](crate::runtime::RunBuilder::usage_limits) sets others.
    pub fn usage_limits(mut self, limits: UsageLimits) -> Self {
        self.usage_limits = limits;
        self
    }

    /// Sets when the beginning of a long conversation is summarised, in place of the agents' `compactAbove`, unless
    /// [`RunBuilder::compaction`](crate::runtime::RunBuilder::compaction) sets another compaction.
    pub fn compaction(mut self, compaction: Compaction) -> Self {
        self.compaction = Some(compaction);
        self
    }

    /// Uses this model for every agent, regardless of the models that agents name.
    pub fn model(mut self, model: impl ChatModel) -> Self {
        self.providers.only_model = Some(Arc::new(model));
        self
    }

    /// Uses the [`Offline`] model for every agent.
    pub fn offline(self) -> Self {
        self.model(Offline::new())
    }

    /// Records the answers of all providers in a cassette, or replays them from it. Replaying needs no provider and
    /// no key. Recording leaves the keys and headers of this builder and the keys of the environment out of the
    /// file.
    ///
    /// The time limits of the runtime apply to replayed answers, too.
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.providers.cassette = Some(cassette);
        self
    }

    /// Registers a provider for agents whose model is `name/…`. It may replace a built-in provider. Pass the name
    /// to `agent!` with `providers: ["name"]`, and to [`AgentPattern::parse_with_providers`](agent_tool::spec::AgentPattern::parse_with_providers).
    pub fn provider(mut self, name: impl Into<String>, model: impl ChatModel) -> Self {
        let model = Registered::Model(Arc::new(model));
        self.providers.registered.insert(name.into(), model);
        self
    }

    /// Registers a server that speaks the protocol of a built-in provider, as [`provider`](Self::provider) does.
    pub fn compatible_provider(
        mut self,
        name: impl Into<String>,
        provider: CompatibleProvider,
    ) -> Self {
        let provider = Registered::Compatible(provider);
        self.providers.registered.insert(name.into(), provider);
        self
    }

    /// Sets the limits of the requests to a provider, built-in or added. All runs of the runtime, and of its
    /// clones, share them. Requests beyond a limit wait: see [`ProviderLimits`]. By default, providers have no
    /// limits, and each request handles the provider's rate limits alone.
    ///
    /// The provider is the one that a request's model names, also if another [`model`](Self::model) answers.
    /// Replayed answers of a cassette have no limits.
    pub fn provider_limits(mut self, provider: impl Into<String>, limits: ProviderLimits) -> Self {
        let provider = provider.into();
        self.providers
            .limits
            .retain(|(name, _)| vendor(name) != vendor(&provider));
        self.providers.limits.push((provider, limits));
        self
    }

    /// Sets the approver of calls that require approval. Without an approver, a run pauses at such a call.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Box::new(approver));
        self
    }

    /// Adds a secret to the runtime's [redactor](Runtime::redactor), such as the key of a search engine or
    /// a key that a person may type: it is redacted as the keys of providers are.
    pub fn secret(self, secret: impl AsRef<str>) -> Self {
        self.redactor.add(secret.as_ref());
        self
    }

    /// Sets the folders, hosts and variables that tools may access; by default none. An agent with `grants` of its
    /// own gets what both cover. Variables are those of [`environment`](Self::environment).
    pub fn grants(mut self, grants: Grants) -> Self {
        self.grants = grants;
        self
    }

    /// Adds a value that tools get by its type, with
    /// [`ToolContext::extension`](agent_tool::ToolContext::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    /// Sets the value of `{{name}}` in instructions.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Sets whether traces contain content; by default they do not, because it may be private. The spans of
    /// requests then have the instruction, the tools, the messages and the answer, and those of calls the
    /// arguments and the result. Keys of the runtime's providers are removed, and a text is cut at 64 KiB.
    pub fn trace_content(mut self, traced: bool) -> Self {
        self.trace_content = traced;
        self
    }

    /// Sets how closely tools must match their specs.
    pub fn bind_policy(mut self, policy: BindPolicy) -> Self {
        self.bind_policy = policy;
        self
    }

    /// Sets the timeout of calls for which neither tool nor spec nor agent sets one; by default 10 s.
    pub fn tool_timeout(mut self, timeout: Duration) -> Self {
        self.tool_timeout = timeout;
        self
    }

    /// Sets the timeout of a request to a model, including retries; by default 120 s. For a streamed answer it is
    /// the timeout of each part.
    pub fn model_timeout(mut self, timeout: Duration) -> Self {
        self.providers.model_timeout = timeout;
        self
    }

    /// Sets the idle timeout of a streamed answer: the time without any bytes, not even a keep-alive; by default
    /// 60 s.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.providers.idle_timeout = timeout;
        self
    }

    /// Sets the timeout of a whole run, including the wait for approval; by default there is none. A run that
    /// takes longer ends with a limit error.
    pub fn run_timeout(mut self, timeout: Duration) -> Self {
        self.run_timeout = Some(timeout);
        self
    }

    /// Sets the maximum number of attempts of a request, the first included; by default 3. With 1, no request is
    /// retried. Requests are retried when the provider cannot be reached, is overloaded or limits the rate, and
    /// never after a part of a streamed answer arrived. All attempts share
    /// [`model_timeout`](Self::model_timeout).
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.providers.max_attempts = attempts;
        self
    }

    /// Sets the approximate pause before the first retry of a request, which doubles with each retry; by default
    /// half a second. With 0, retries are immediate.
    pub fn retry_pause(mut self, pause: Duration) -> Self {
        self.providers.retry_pause = pause;
        self
    }

    /// Creates the runtime.
    ///
    /// # Errors
    /// Configuration when a base URL, a header, an allowed host or the name of a provider is invalid, when a time
    /// limit, a limit of a provider or the number of attempts is 0, or when the cassette to replay cannot be read.
    pub fn build(self) -> Result<Runtime, Error> {
        let limits = [
            ("tool_timeout", Some(self.tool_timeout)),
            ("model_timeout", Some(self.providers.model_timeout)),
            ("idle_timeout", Some(self.providers.idle_timeout)),
            ("run_timeout", self.run_timeout),
        ];
        check_time_limits(
            limits
                .into_iter()
                .filter_map(|(name, limit)| Some((name, limit?))),
        )?;
        self.providers.check()?;
        let permissions =
            Permissions::with_environment(&self.grants, self.providers.environment.clone())?;
        Ok(self.finish(permissions))
    }

    /// Creates the runtime without any permission.
    pub(super) fn without_grants(self) -> Runtime {
        self.finish(Permissions::none())
    }

    fn finish(self, permissions: Permissions) -> Runtime {
        let redactor = self.redactor;
        let model_timeout = self.providers.model_timeout;
        let providers = Arc::new(Providers::new(self.providers, redactor.clone()));
        let window = {
            let providers = Arc::clone(&providers);
            move |agent: &Agent| providers.context_window(agent)
        };
        let holds_agents = !self.hooks.is_empty();
        let config = Arc::new(RuntimeConfig {
            call_agent: super::agent_in_tool::call_agent,
            providers,
            trace_redactor: self.trace_content.then(|| redactor.clone()),
            redactor,
            approver: self.approver,
            on_doubt: self.on_doubt,
            extensions: self.extensions,
            permissions,
            hooks: self.hooks.into(),
            tool_timeout: self.tool_timeout,
            model_timeout,
            run_timeout: self.run_timeout,
            bind_policy: self.bind_policy,
            variables: self.variables,
            usage_limits: self.usage_limits,
            journal: self.journal,
            conversations: self.conversations,
            live: LiveRuns::default(),
            host: HostValues {
                prices: Arc::new(self.prices),
                result_limit: self.result_limit,
                compaction: self.compaction.clone(),
                context_window: ContextWindow::of(window),
                holds_agents,
                reports_begun: true,
                when_tainted: self.when_tainted,
            },
            compaction: self.compaction,
        });
        Runtime {
            config,
            caller: None,
        }
    }
}

/// Prints no key.
impl fmt::Debug for RuntimeBuilder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RuntimeBuilder").finish_non_exhaustive()
    }
}
