//! The providers of a runtime: which model answers for the provider's name in an agent.

use super::ProviderLimits;
use super::anthropic::Anthropic;
use super::cassette::{Cassette, ReplayedModel};
use super::compatible::CompatibleProvider;
use super::google::Google;
use super::http::{
    BASE_URL_HOST, EndpointConfig, HttpClient, HttpSettings, KEY_HOST, Retry, RowUrl, Secret,
    UrlSource, check_base_url, check_header,
};
use super::http_model::{HttpModel, Models};
use super::ollama::Ollama;
use super::openai::{ChatCompletions, OpenAi, Responses};
use super::{ChatModel, ModelRequest, ModelSource, Offline, ProviderUse};
use agent_catalog::{Catalog, vendor};
use agent_catalog::{ProviderRow, WireFormat};
use agent_core::__private::{Gate, trace_name};
use agent_spec::Agent;
use agent_spec::model::{PROVIDERS, nearest_provider};
use agent_tool::__private::MIN_SECRET;
use agent_tool::redact::Redactor;
use agent_tool::{Environment, Error};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The default time limit of a request to a model, with all its attempts.
const MODEL_TIMEOUT: Duration = Duration::from_secs(120);

/// The default time limit between two pieces of a streamed answer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The default of the maximum number of attempts of a request.
const ATTEMPTS: u32 = 3;

/// The default of the first pause before a retry.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// The configuration of providers by the host program or the command line. Address, key and headers are for
/// the agent's own provider, and not for its fallback models.
pub(crate) struct ProviderConfig {
    pub(crate) environment: Environment,
    pub(crate) base_url: Option<String>,
    pub(crate) api_key: Option<String>,
    pub(crate) key_header: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) url_hosts: Vec<String>,
    pub(crate) key_hosts: Vec<String>,
    /// The maximum number of attempts of a request.
    pub(crate) max_attempts: u32,
    pub(crate) retry_pause: Duration,
    pub(crate) model_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    /// The model that answers for every provider.
    pub(crate) only_model: Option<Arc<dyn ChatModel>>,
    /// The providers that the host program added, by name.
    pub(crate) registered: BTreeMap<String, Registered>,
    /// The facts about models, if they are others than the built-in ones.
    pub(crate) catalog: Option<Arc<Catalog>>,
    /// Whether a request that was refused for a known reason is corrected and sent once more.
    pub(crate) corrects: bool,
    /// The limits of providers, with their names. There are few.
    pub(crate) limits: Vec<(String, ProviderLimits)>,
    pub(crate) cassette: Option<Cassette>,
}

/// A provider that the host program added.
pub(crate) enum Registered {
    Model(Arc<dyn ChatModel>),
    Compatible(CompatibleProvider),
}

impl Default for ProviderConfig {
    fn default() -> Self {
        Self {
            environment: Environment::process(),
            base_url: None,
            api_key: None,
            key_header: None,
            headers: Vec::new(),
            url_hosts: Vec::new(),
            key_hosts: Vec::new(),
            max_attempts: ATTEMPTS,
            retry_pause: RETRY_PAUSE,
            model_timeout: MODEL_TIMEOUT,
            idle_timeout: IDLE_TIMEOUT,
            only_model: None,
            registered: BTreeMap::new(),
            catalog: None,
            corrects: true,
            limits: Vec::new(),
            cassette: None,
        }
    }
}

impl ProviderConfig {
    /// Checks what can be checked before the first request.
    ///
    /// # Errors
    /// Configuration when a base URL or a header cannot be used, an allowed host is not a host, a model
    /// cannot name a provider, a request has no attempt, a limit is 0 or of no provider, or a cassette cannot be
    /// replayed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.max_attempts == 0 {
            return Err(Error::configuration(
                "`max_attempts` is 0, with which no request is sent; it is 1 for requests that are \
                 not retried",
            ));
        }
        // An empty base URL counts as missing, as in a variable.
        if let Some(url) = self.base_url.as_deref().filter(|url| !url.is_empty()) {
            check_base_url(url, UrlSource::Caller, None)?;
        }
        for (name, value) in &self.headers {
            check_header(name, Some(value))?;
        }
        if let Some(name) = &self.key_header {
            check_header(name, None)?;
        }
        for (option, hosts) in [
            (BASE_URL_HOST, &self.url_hosts),
            (KEY_HOST, &self.key_hosts),
        ] {
            for host in hosts {
                option.check(host)?;
            }
        }
        for (name, registered) in &self.registered {
            if name.is_empty() || name.contains('/') {
                return Err(Error::configuration(format!(
                    "no agent can name the provider `{name}`: its name stands before the first `/` \
                     of a model"
                )));
            }
            match registered {
                Registered::Model(_) => {}
                Registered::Compatible(provider) => provider.check(name)?,
            }
        }
        for (name, limits) in &self.limits {
            limits.check(name)?;
            // A model that answers for every provider answers for any name.
            let is_known = PROVIDERS.contains(&name.as_str())
                || self.registered.contains_key(name)
                || self.catalog().provider(name).is_some();
            if !is_known && self.only_model.is_none() {
                let meant = nearest_provider(name, &self.registered_names());
                let meant = meant.map(|meant| format!("; did you mean `{meant}`?"));
                return Err(Error::configuration(format!(
                    "limits are set for the provider `{name}`, which this runtime does not have{}",
                    meant.unwrap_or_default()
                )));
            }
        }
        if let Some(cassette) = &self.cassette {
            cassette.replays()?;
        }
        Ok(())
    }

    /// The facts about models.
    pub(crate) fn catalog(&self) -> &Catalog {
        match &self.catalog {
            Some(catalog) => catalog,
            None => Catalog::builtin(),
        }
    }

    fn registered_names(&self) -> Vec<&str> {
        self.registered.keys().map(String::as_str).collect()
    }

    /// Returns the texts that a cassette must not contain.
    fn secrets(&self) -> Vec<String> {
        let mut secrets = self.environment.keys();
        secrets.extend(self.api_key.clone());
        secrets.extend(self.headers.iter().flat_map(header_secrets));
        for registered in self.registered.values() {
            if let Registered::Compatible(provider) = registered {
                let (key, headers) = provider.secrets(&self.environment);
                secrets.extend(key);
                secrets.extend(headers.iter().flat_map(header_secrets));
            }
        }
        secrets.retain(|text| text.len() >= MIN_SECRET);
        secrets
    }
}

/// Returns the value of a header, and the key after a word such as `Bearer`.
fn header_secrets((_, value): &(String, String)) -> Vec<String> {
    let value = value.trim();
    let token = value.split_whitespace().last();
    let texts = [Some(value), token].into_iter().flatten();
    texts.map(str::to_owned).collect()
}

/// The providers of a runtime.
pub(crate) struct Providers {
    config: ProviderConfig,
    /// The gates of the providers with limits, with their names.
    gates: Vec<(String, Arc<Gate>)>,
    http: HttpClient,
    models: Models,
    redactor: Redactor,
    /// The providers over HTTP so far. Each remembers the thoughts that were refused.
    created: Mutex<Vec<Created>>,
}

/// A provider over HTTP.
struct Created {
    provider: String,
    used_as: ProviderUse,
    model: Arc<dyn ChatModel>,
}

impl ModelSource for Providers {
    fn resolve(&self, provider: &str, used_as: ProviderUse) -> Result<Arc<dyn ChatModel>, Error> {
        if let Some(cassette) = &self.config.cassette {
            return self.with_cassette(cassette, provider, used_as);
        }
        self.resolve_model(provider, used_as)
    }

    fn gate(&self, provider: &str) -> Option<&Arc<Gate>> {
        // Replayed answers need no gate.
        if let Some(cassette) = &self.config.cassette
            && cassette.replays().unwrap_or(false)
        {
            return None;
        }
        let mut gates = self.gates.iter();
        gates.find_map(|(name, gate)| (vendor(name) == vendor(provider)).then_some(gate))
    }
}

impl Providers {
    pub(crate) fn new(config: ProviderConfig, redactor: Redactor) -> Self {
        let gates = config.limits.iter().map(|(name, limits)| {
            let gate = Gate::new(name, *limits, config.model_timeout);
            (name.clone(), Arc::new(gate))
        });
        Self {
            gates: gates.collect(),
            http: HttpClient::new(
                config.environment.clone(),
                HttpSettings {
                    retry: Retry {
                        attempts: config.max_attempts,
                        first_pause: config.retry_pause,
                    },
                    timeout: config.model_timeout,
                    idle: config.idle_timeout,
                },
            ),
            models: Models::new(config.catalog.clone(), config.corrects),
            redactor,
            created: Mutex::default(),
            config,
        }
    }

    /// Returns the size of the context window of an agent's model, if its provider has this fact.
    pub(crate) fn context_window(&self, agent: &Agent) -> Option<u64> {
        let model = agent.model();
        let mut request = ModelRequest::new(model.clone(), "", Vec::new());
        request.settings = Arc::new(agent.settings().clone());
        request.catalog = agent.catalog();
        let provider = self.resolve_model(model.provider(), ProviderUse::Own);
        provider.ok()?.context_window(&request)
    }

    fn with_cassette(
        &self,
        cassette: &Cassette,
        provider: &str,
        used_as: ProviderUse,
    ) -> Result<Arc<dyn ChatModel>, Error> {
        // The secrets are added each time, because the process may have set a variable since the last run.
        cassette.add_secrets(self.config.secrets());
        Ok(match cassette.replays()? {
            true => Arc::new(ReplayedModel {
                cassette: cassette.clone(),
                trace_name: self.trace_name(provider),
            }),
            false => Arc::new(cassette.around(self.resolve_model(provider, used_as)?)),
        })
    }

    /// Returns the name of a provider in traces, without creating the provider.
    fn trace_name(&self, provider: &str) -> Option<&'static str> {
        if let Some(model) = &self.config.only_model {
            return Some(model.trace_name());
        }
        match self.config.registered.get(provider) {
            Some(Registered::Model(model)) => Some(model.trace_name()),
            Some(Registered::Compatible(compatible)) => Some(compatible.trace_name()),
            None => trace_name::trace_name_of(provider),
        }
    }

    fn resolve_model(
        &self,
        provider: &str,
        used_as: ProviderUse,
    ) -> Result<Arc<dyn ChatModel>, Error> {
        if let Some(model) = &self.config.only_model {
            return Ok(Arc::clone(model));
        }
        if let Some(Registered::Model(model)) = self.config.registered.get(provider) {
            return Ok(Arc::clone(model));
        }
        if let Some(model) = self.over_http(provider, used_as)? {
            return Ok(model);
        }
        match provider {
            "Offline" => Ok(Arc::new(Offline::new())),
            _ => Err(self.unknown(provider)),
        }
    }

    fn over_http(
        &self,
        provider: &str,
        used_as: ProviderUse,
    ) -> Result<Option<Arc<dyn ChatModel>>, Error> {
        let mut created = self.created.lock().unwrap_or_else(PoisonError::into_inner);
        let known = created
            .iter()
            .find(|known| known.provider == provider && known.used_as == used_as);
        if let Some(known) = known {
            return Ok(Some(Arc::clone(&known.model)));
        }
        let Some(model) = self.create(provider, used_as)? else {
            return Ok(None);
        };
        created.push(Created {
            provider: provider.to_owned(),
            used_as,
            model: Arc::clone(&model),
        });
        Ok(Some(model))
    }

    fn create(
        &self,
        provider: &str,
        used_as: ProviderUse,
    ) -> Result<Option<Arc<dyn ChatModel>>, Error> {
        let http = self.http.with_gate(self.gate(provider));
        let (config, models) = (self.endpoint_config(used_as), self.models.clone());
        if let Some(Registered::Compatible(compatible)) = self.config.registered.get(provider) {
            return compatible.model(provider, http, config, models).map(Some);
        }
        let chat = ChatCompletions::default();
        Ok(Some(match provider {
            "Anthropic" => Arc::new(HttpModel::new(Anthropic::default(), http, config, models)),
            "Google" => Arc::new(HttpModel::new(Google, http, config, models)),
            "Ollama" => Arc::new(HttpModel::new(Ollama, http, config, models)),
            "OpenAI" => Arc::new(OpenAi::new(chat, http, config, models)),
            "OpenAIChat" => Arc::new(HttpModel::new(chat, http, config, models)),
            "OpenAIResponses" => Arc::new(HttpModel::new(Responses, http, config, models)),
            _ => {
                let Some(row) = self.config.catalog().provider(provider) else {
                    return Ok(None);
                };
                let config = config_of_row(provider, row, config)?;
                match row.format.unwrap_or(WireFormat::OpenAi) {
                    WireFormat::Anthropic => {
                        Arc::new(HttpModel::new(Anthropic::default(), http, config, models))
                    }
                    WireFormat::Google => Arc::new(HttpModel::new(Google, http, config, models)),
                    WireFormat::Ollama => Arc::new(HttpModel::new(Ollama, http, config, models)),
                    _ => Arc::new(OpenAi::new(chat, http, config, models)),
                }
            }
        }))
    }

    fn endpoint_config(&self, used_as: ProviderUse) -> EndpointConfig {
        let config = &self.config;
        let own = used_as == ProviderUse::Own;
        let given = |text: &Option<String>| text.clone().filter(|text| own && !text.is_empty());
        let headers = config.headers.iter().filter(|_| own);
        EndpointConfig {
            provider: None,
            environment: config.environment.clone(),
            trace_name: None,
            row_url: None,
            base_url: given(&config.base_url),
            base_url_variable: None,
            key: given(&config.api_key).map(Secret::new),
            key_header: config.key_header.clone().filter(|_| own),
            headers: headers
                .map(|(name, value)| (name.clone(), Secret::new(value)))
                .collect(),
            url_hosts: config.url_hosts.clone(),
            key_hosts: config.key_hosts.clone(),
            withholds_key: false,
            redactor: self.redactor.clone(),
        }
    }

    fn unknown(&self, provider: &str) -> Error {
        if provider == "Scripted" {
            return Error::configuration(
                "the provider `Scripted` plays a script, which the program must give to the \
                 runtime; use `--offline` (in code, `Runtime::offline()`) to run without one",
            );
        }
        if PROVIDERS.contains(&provider) {
            return Error::configuration(format!(
                "the provider `{provider}` is not part of this build of gramwork-runtime; use \
                 `--offline` (in code, `Runtime::offline()`) to run without a model provider, or \
                 give the runtime one of that name"
            ));
        }
        let registered = self.config.registered_names();
        Error::configuration(match nearest_provider(provider, &registered) {
            Some(meant) => format!("there is no provider `{provider}`; did you mean `{meant}`?"),
            None => format!(
                "there is no provider `{provider}`; a server is given that name with \
                 `--provider {provider}=URL` (in code, `RuntimeBuilder::compatible_provider`)"
            ),
        })
    }
}

/// Returns the configuration of a provider of the catalogue: its address and its key.
///
/// # Errors
/// Configuration when there is no address, or a variable of the address is not set.
fn config_of_row(
    provider: &str,
    row: &ProviderRow,
    config: EndpointConfig,
) -> Result<EndpointConfig, Error> {
    let environment = &config.environment;
    let variable = format!("{}_BASE_URL", provider.to_ascii_uppercase());
    let (given, base_url_variable) = match config.base_url {
        Some(url) => (Some(url), None),
        None => (environment.read(&variable)?, Some(variable.clone())),
    };
    // A document could name any address, and any variable: as the key, or as a part of the address.
    let own = Catalog::builtin().provider(provider);
    let is_own_address = own.is_some_and(|own| own.base_url == row.base_url);
    let is_own_key = config.key.is_some() || own.is_some_and(|own| own.keys == row.keys);
    let names = row.keys.as_deref().unwrap_or_default();
    let row_url = match (&given, &row.base_url) {
        (None, Some(template)) if is_own_address => Some(RowUrl {
            url: filled(template, provider, environment)?,
            is_builtin: true,
            keys: names.to_vec(),
        }),
        (None, Some(address)) if address.contains("{{") => {
            return Err(Error::configuration(format!(
                "the address of {provider} in your catalogue is `{address}`, and only built-in addresses have \
                 variables; write the address itself, or set the environment variable {variable}"
            )));
        }
        (None, Some(address)) => Some(RowUrl {
            url: address.clone(),
            is_builtin: false,
            keys: Vec::new(),
        }),
        (None, None) => {
            return Err(Error::configuration(format!(
                "the catalogue has no address of {provider}; set the environment variable {variable}, or write \
                 `baseUrl` in its row"
            )));
        }
        (Some(_), _) => None,
    };
    let key = match config.key {
        None => {
            let keys = names.iter().map(|name| environment.read_key(name));
            let mut keys = keys.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
            keys.next().map(Secret::new)
        }
        given => given,
    };
    let is_foreign = |key: &String| {
        let mut others = Catalog::builtin().providers();
        others.any(|other| {
            let row = Catalog::builtin().provider(other);
            other != provider
                && row.is_some_and(|row| row.keys.iter().flatten().any(|own| own == key))
        })
    };
    // An address that the caller gives gets the key of the row, but not that of another provider.
    let withholds_key = !is_own_key && (given.is_none() || names.iter().any(is_foreign));
    Ok(EndpointConfig {
        provider: Some(provider.to_owned()),
        // The variables of the format's vendor are for that vendor.
        environment: Environment::empty(),
        trace_name: trace_name::trace_name_of(provider),
        row_url,
        base_url: given,
        base_url_variable,
        key,
        withholds_key,
        ..config
    })
}

/// Returns an address with the values of its variables.
///
/// # Errors
/// Configuration, which names a variable that is not set.
fn filled(template: &str, provider: &str, environment: &Environment) -> Result<String, Error> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else {
            break;
        };
        let Some(value) = environment.read(name)? else {
            return Err(Error::configuration(format!(
                "the address of {provider} is `{template}`; set the environment variable {name}"
            )));
        };
        if !value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(Error::configuration(format!(
                "the environment variable {name} is a part of a host name, of letters, digits and `-`, for {provider}"
            )));
        }
        filled.push_str(before);
        filled.push_str(&value);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

impl fmt::Debug for Providers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let only_model = self.config.only_model.as_ref();
        out.debug_struct("Providers")
            .field("only_model", &only_model.map(|model| model.trace_name()))
            .field("registered", &self.config.registered.keys())
            .finish_non_exhaustive()
    }
}
