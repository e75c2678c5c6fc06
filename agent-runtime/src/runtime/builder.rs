//! Settings of a runtime.

use super::Runtime;
use crate::approval::Approver;
use crate::cost::Prices;
use crate::drive::RuntimeConfig;
use crate::env::Environment;
use crate::error::Error;
use crate::extensions::Extensions;
use crate::hook::Hook;
use crate::library::BindPolicy;
#[cfg(feature = "testing")]
use crate::model::Cassette;
#[cfg(feature = "http")]
use crate::model::CompatibleProvider;
use crate::model::{ChatModel, Offline, ProviderConfig, Providers, Registered};
use crate::permissions::Permissions;
use crate::redact::Redactor;
use crate::run::{HostValues, MAX_RESULT_TEXT, UsageLimits};
use crate::time_limit::check_time_limits;
use crate::tool::DEFAULT_TOOL_TIMEOUT;
use agent_spec::Grants;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Settings for a [`Runtime`]. What the caller says here beats what an agent file says.
#[must_use]
pub struct RuntimeBuilder {
    providers: ProviderConfig,
    approver: Option<Box<dyn Approver>>,
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
    result_limit: usize,
    trace_content: bool,
}

impl RuntimeBuilder {
    pub(super) fn new() -> Self {
        Self {
            providers: ProviderConfig::default(),
            approver: None,
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
            result_limit: MAX_RESULT_TEXT,
            trace_content: false,
        }
    }

    /// Where keys, addresses and proxies are looked up, in place of the process's environment.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.providers.environment = environment;
        self
    }

    /// Where the agent's own provider is reached, as the vendor's SDK takes it (with `/v1` for
    /// OpenAI). It beats the environment and the agent file, and gets the key. Fallback models of
    /// other providers are not sent there.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.providers.base_url = Some(url.into());
        self
    }

    /// The key of the agent's own provider, in place of the environment's. It goes where a key
    /// from the environment would.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.providers.api_key = Some(key.into());
        self
    }

    /// The header that holds the key of the agent's own provider, alone, in place of the vendor's:
    /// `api-key` for Azure, say.
    pub fn key_header(mut self, name: impl Into<String>) -> Self {
        self.providers.key_header = Some(name.into());
        self
    }

    /// A further header for the agent's own provider. It goes where the key goes and is as secret;
    /// with one given, the vendor's hosts are asked without a key as well.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.providers.headers.push((name.into(), value.into()));
        self
    }

    /// Lets a host have the key although only an agent file names it. `host` means the usual port
    /// of `https` (or of `http`, see below); any other port is named, `host:port`. Over plain
    /// `http` the key only goes to this machine: `localhost` or a loopback address.
    pub fn allow_key_host(mut self, host: impl Into<String>) -> Self {
        self.providers.key_hosts.push(host.into());
        self
    }

    /// Adds a hook, which looks at requests and calls and may change or stop them.
    pub fn hook(mut self, hook: impl Hook) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// What models cost, so that runs say what they cost and can be held to a limit.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    /// How much of a tool's result the model reads, in bytes; at first [`MAX_RESULT_TEXT`]. What is
    /// beyond is cut from what the model reads, which says so; the response has the whole result.
    pub fn result_limit(mut self, bytes: usize) -> Self {
        self.result_limit = bytes;
        self
    }

    /// What each run may use up, unless
    /// [`RunBuilder::usage_limits`](crate::runtime::RunBuilder::usage_limits) sets others.
    pub fn usage_limits(mut self, limits: UsageLimits) -> Self {
        self.usage_limits = limits;
        self
    }

    /// Makes every model this one, whatever the agents say.
    pub fn model(mut self, model: impl ChatModel) -> Self {
        self.providers.only_model = Some(Arc::new(model));
        self
    }

    /// Makes every model the [`Offline`] one.
    pub fn offline(self) -> Self {
        self.model(Offline::new())
    }

    /// Puts a cassette around whatever providers the agents name: it records their answers, or
    /// replays them. While it replays, no provider is asked, no key is needed, and not even the
    /// names of providers are looked up. While it records, the keys and headers given here, and the
    /// keys of the environment, are left out of the file.
    ///
    /// The time limits of the runtime hold for replayed answers, too.
    #[cfg(feature = "testing")]
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.providers.cassette = Some(cassette);
        self
    }

    /// Makes a provider known by a name, for agents whose model is `name/…`. It also replaces a
    /// provider that comes with the crate. `agent!` is told the name with `providers: ["name"]`,
    /// and so is [`AgentPattern::parse_with_providers`](crate::spec::AgentPattern::parse_with_providers).
    pub fn provider(mut self, name: impl Into<String>, model: impl ChatModel) -> Self {
        let model = Registered::Model(Arc::new(model));
        self.providers.registered.insert(name.into(), model);
        self
    }

    /// Makes a server known by a name that speaks the protocol of a provider that comes with the
    /// crate; otherwise as [`provider`](Self::provider).
    #[cfg(feature = "http")]
    pub fn compatible_provider(
        mut self,
        name: impl Into<String>,
        provider: CompatibleProvider,
    ) -> Self {
        let provider = Registered::Compatible(provider);
        self.providers.registered.insert(name.into(), provider);
        self
    }

    /// Who decides on calls of tools that require approval. Without an approver they are denied.
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

    /// What the tools may touch: folders, hosts, variables; nothing without this. An agent that has
    /// `grants` of its own gets what both cover. Variables are those of
    /// [`environment`](Self::environment).
    pub fn grants(mut self, grants: Grants) -> Self {
        self.grants = grants;
        self
    }

    /// A value that tools find by its type, with
    /// [`ToolContext::extension`](crate::ToolContext::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    /// A value for `{{name}}` in instructions.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Whether traces hold what users, models and tools say; at first they do not, since that may be
    /// private. With it, the spans of requests have the instruction, the tools, the messages and the
    /// answer, and those of calls the arguments and the result. The keys of the runtime's providers are
    /// taken out, and a text beyond 64 KiB is cut.
    pub fn trace_content(mut self, traced: bool) -> Self {
        self.trace_content = traced;
        self
    }

    /// How closely tools must match their specs.
    pub fn bind_policy(mut self, policy: BindPolicy) -> Self {
        self.bind_policy = policy;
        self
    }

    /// How long a call of a tool may take when neither tool nor spec nor agent says; 10 s at first.
    pub fn tool_timeout(mut self, timeout: Duration) -> Self {
        self.tool_timeout = timeout;
        self
    }

    /// How long a request to a model may take, further tries included; 120 s at first. Of an answer
    /// in parts, how long each wait for a part may take.
    pub fn model_timeout(mut self, timeout: Duration) -> Self {
        self.providers.model_timeout = timeout;
        self
    }

    /// How long a streamed answer may send nothing at all, not even a sign of life; 60 s at first.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.providers.idle_timeout = timeout;
        self
    }

    /// How long a whole run may take, waiting for approval included; unlimited at first. A longer
    /// one ends with a limit error.
    pub fn run_timeout(mut self, timeout: Duration) -> Self {
        self.run_timeout = Some(timeout);
        self
    }

    /// About how long the pause before sending a failed request again is; it doubles with each
    /// try. Half a second at first; 0 sends again at once.
    pub fn retry_pause(mut self, pause: Duration) -> Self {
        self.providers.retry_pause = pause;
        self
    }

    /// The runtime.
    ///
    /// # Errors
    /// Configuration when a base URL is not one that requests can be sent to, a header cannot be
    /// sent, a host that is allowed is none, a limit of time is 0, or the name of a provider is not
    /// one that a model can name; also when there is no cassette to replay, or one that cannot be read.
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

    /// The runtime, with nothing granted.
    pub(super) fn without_grants(self) -> Runtime {
        self.finish(Permissions::none())
    }

    fn finish(self, permissions: Permissions) -> Runtime {
        let redactor = self.redactor;
        let model_timeout = self.providers.model_timeout;
        let providers = Providers::new(self.providers, redactor.clone());
        Runtime(Arc::new(RuntimeConfig {
            providers,
            trace_redactor: self.trace_content.then(|| redactor.clone()),
            redactor,
            approver: self.approver,
            extensions: self.extensions,
            permissions,
            hooks: self.hooks.into(),
            tool_timeout: self.tool_timeout,
            model_timeout,
            run_timeout: self.run_timeout,
            bind_policy: self.bind_policy,
            variables: self.variables,
            usage_limits: self.usage_limits,
            host: HostValues {
                prices: Arc::new(self.prices),
                result_limit: self.result_limit,
            },
        }))
    }
}

/// Shows no key.
impl fmt::Debug for RuntimeBuilder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RuntimeBuilder").finish_non_exhaustive()
    }
}
