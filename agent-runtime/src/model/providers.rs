//! Which provider answers for a name.

#[cfg(feature = "http")]
use super::anthropic::Anthropic;
#[cfg(feature = "testing")]
use super::cassette::{Cassette, Replayed};
#[cfg(feature = "http")]
use super::compatible::CompatibleProvider;
#[cfg(feature = "http")]
use super::google::Google;
#[cfg(feature = "http")]
use super::http::{Caller, HttpClient, HttpSettings, Retry, Secret};
#[cfg(feature = "http")]
use super::ollama::Ollama;
#[cfg(feature = "http")]
use super::openai::OpenAi;
#[cfg(feature = "http")]
use super::remote::Remote;
#[cfg(feature = "testing")]
use super::trace_name;
use super::{ChatModel, Offline};
use crate::env::Environment;
use crate::error::Error;
#[cfg(feature = "testing")]
use crate::redact::MIN_SECRET;
use crate::redact::Redactor;
use agent_spec::model::{PROVIDERS, nearest_provider};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
#[cfg(feature = "http")]
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What a caller says about reaching providers.
#[cfg_attr(
    not(feature = "http"),
    expect(dead_code, reason = "HTTP needs the rest of it")
)]
pub(crate) struct Access {
    pub(crate) environment: Environment,
    pub(crate) base_url: Option<String>,
    pub(crate) api_key: Option<String>,
    pub(crate) key_header: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) key_hosts: Vec<String>,
    pub(crate) retry_pause: Duration,
    pub(crate) timeout: Duration,
    pub(crate) idle: Duration,
    #[cfg(feature = "testing")]
    pub(crate) cassette: Option<Cassette>,
}

/// What the program registered under a name.
pub(crate) enum Registered {
    Model(Arc<dyn ChatModel>),
    #[cfg(feature = "http")]
    Compatible(CompatibleProvider),
}

#[cfg(feature = "http")]
type Model = Arc<dyn ChatModel>;

/// The providers that a runtime knows.
pub(crate) struct Providers {
    only: Option<Arc<dyn ChatModel>>,
    registered: BTreeMap<String, Registered>,
    #[cfg_attr(
        not(any(feature = "http", feature = "testing")),
        expect(dead_code, reason = "only HTTP and cassettes need it")
    )]
    access: Access,
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "only requests over HTTP are sent with keys")
    )]
    redactor: Redactor,
    #[cfg(feature = "http")]
    http: HttpClient,
    /// Those reached over HTTP that were asked for, by name; first as a fallback, then as the agent's
    /// own.
    #[cfg(feature = "http")]
    made: Mutex<BTreeMap<String, [Option<Model>; 2]>>,
}

impl Providers {
    pub(crate) fn new(
        only: Option<Arc<dyn ChatModel>>,
        registered: BTreeMap<String, Registered>,
        access: Access,
        redactor: Redactor,
    ) -> Self {
        Self {
            only,
            registered,
            #[cfg(feature = "http")]
            http: HttpClient::new(
                access.environment.clone(),
                HttpSettings {
                    retry: Retry {
                        base: access.retry_pause,
                        ..Retry::DEFAULT
                    },
                    timeout: access.timeout,
                    idle: access.idle,
                },
            ),
            #[cfg(feature = "http")]
            made: Mutex::default(),
            access,
            redactor,
        }
    }

    /// The provider of a name. `own` says that it is the agent's own and not that of a fallback:
    /// what the caller says about address and key is meant for that one.
    pub(crate) fn model(&self, provider: &str, own: bool) -> Result<Arc<dyn ChatModel>, Error> {
        #[cfg(feature = "testing")]
        if let Some(cassette) = &self.access.cassette {
            return self.around(cassette, provider, own);
        }
        self.provider(provider, own)
    }

    #[cfg(feature = "testing")]
    fn around(
        &self,
        cassette: &Cassette,
        provider: &str,
        own: bool,
    ) -> Result<Arc<dyn ChatModel>, Error> {
        // Each time, since a variable may have been set only now.
        cassette.add_secrets(self.secrets());
        Ok(match cassette.replays()? {
            true => Arc::new(Replayed {
                cassette: cassette.clone(),
                trace_name: self.trace_name(provider),
            }),
            false => Arc::new(cassette.around(self.provider(provider, own)?)),
        })
    }

    /// What a provider is called in traces, without making it.
    #[cfg(feature = "testing")]
    fn trace_name(&self, provider: &str) -> Option<&'static str> {
        if let Some(model) = &self.only {
            return Some(model.trace_name());
        }
        match self.registered.get(provider) {
            Some(Registered::Model(model)) => Some(model.trace_name()),
            #[cfg(feature = "http")]
            Some(Registered::Compatible(compatible)) => Some(compatible.trace_name()),
            None => trace_name::of(provider),
        }
    }

    fn provider(&self, provider: &str, own: bool) -> Result<Arc<dyn ChatModel>, Error> {
        if let Some(model) = &self.only {
            return Ok(Arc::clone(model));
        }
        if let Some(Registered::Model(model)) = self.registered.get(provider) {
            return Ok(Arc::clone(model));
        }
        #[cfg(feature = "http")]
        if let Some(model) = self.over_http(provider, own)? {
            return Ok(model);
        }
        match provider {
            "Offline" => Ok(Arc::new(Offline::new())),
            _ => Err(self.unknown(provider, own)),
        }
    }

    /// A provider that is reached over HTTP, made once: it remembers where it sends requests.
    #[cfg(feature = "http")]
    fn over_http(&self, provider: &str, own: bool) -> Result<Option<Arc<dyn ChatModel>>, Error> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let place = usize::from(own);
        if let Some(model) = made.get(provider).and_then(|both| both[place].as_ref()) {
            return Ok(Some(Arc::clone(model)));
        }
        let Some(model) = self.make(provider, own)? else {
            return Ok(None);
        };
        made.entry(provider.to_owned()).or_default()[place] = Some(Arc::clone(&model));
        Ok(Some(model))
    }

    #[cfg(feature = "http")]
    fn make(&self, provider: &str, own: bool) -> Result<Option<Arc<dyn ChatModel>>, Error> {
        let (http, caller) = (self.http.clone(), self.caller(own));
        if let Some(Registered::Compatible(compatible)) = self.registered.get(provider) {
            return compatible.model(provider, http, caller).map(Some);
        }
        Ok(Some(match provider {
            "Anthropic" => Arc::new(Remote::new(Anthropic, http, caller)),
            "Google" => Arc::new(Remote::new(Google, http, caller)),
            "Ollama" => Arc::new(Remote::new(Ollama, http, caller)),
            "OpenAI" => Arc::new(Remote::new(OpenAi::default(), http, caller)),
            _ => return Ok(None),
        }))
    }

    #[cfg(feature = "http")]
    fn caller(&self, own: bool) -> Caller {
        let access = &self.access;
        let meant = |text: &Option<String>| text.clone().filter(|text| own && !text.is_empty());
        let headers = access.headers.iter().filter(|_| own);
        Caller {
            provider: None,
            environment: access.environment.clone(),
            base_url: meant(&access.base_url),
            key: meant(&access.api_key).map(Secret::new),
            key_header: access.key_header.clone().filter(|_| own),
            headers: headers
                .map(|(name, value)| (name.clone(), Secret::new(value)))
                .collect(),
            key_hosts: access.key_hosts.clone(),
            redactor: self.redactor.clone(),
        }
    }

    #[cfg(feature = "testing")]
    /// What a cassette must not hold.
    fn secrets(&self) -> Vec<String> {
        let access = &self.access;
        let mut secrets = access.environment.keys();
        secrets.extend(access.api_key.clone());
        secrets.extend(access.headers.iter().flat_map(secrets_of_header));
        #[cfg(feature = "http")]
        for registered in self.registered.values() {
            if let Registered::Compatible(provider) = registered {
                let (key, headers) = provider.secrets(&access.environment);
                secrets.extend(key);
                secrets.extend(headers.iter().flat_map(secrets_of_header));
            }
        }
        secrets.retain(|text| text.len() >= MIN_SECRET);
        secrets
    }

    fn unknown(&self, provider: &str, _own: bool) -> Error {
        if provider == "Scripted" {
            return Error::configuration(
                "the provider `Scripted` plays a script, which the program must give to the \
                 runtime; use `--offline` (in code, `Runtime::offline()`) to run without one",
            );
        }
        if PROVIDERS.contains(&provider) {
            return Error::configuration(format!(
                "the provider `{provider}` is not part of this build of agent-runtime; use \
                 `--offline` (in code, `Runtime::offline()`) to run without a model provider, or \
                 give the runtime one of that name"
            ));
        }
        let registered: Vec<&str> = self.registered.keys().map(String::as_str).collect();
        Error::configuration(match nearest_provider(provider, &registered) {
            Some(meant) => format!("there is no provider `{provider}`; did you mean `{meant}`?"),
            None => format!(
                "there is no provider `{provider}`; a server is given that name with \
                 `--provider {provider}=URL` (in code, `RuntimeBuilder::compatible_provider`)"
            ),
        })
    }
}

#[cfg(feature = "testing")]
/// The value of a header, and what stands in it after a word such as `Bearer`.
fn secrets_of_header((_, value): &(String, String)) -> Vec<String> {
    let value = value.trim();
    let token = value.split_whitespace().last();
    let texts = [Some(value), token].into_iter().flatten();
    texts.map(str::to_owned).collect()
}

impl fmt::Debug for Providers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Providers")
            .field("only", &self.only.as_ref().map(|model| model.trace_name()))
            .field("registered", &self.registered.keys())
            .finish_non_exhaustive()
    }
}
