//! Servers that speak the protocol of a provider that comes with the crate.

use super::ChatModel;
use super::http::{Caller, HttpClient, Place, Secret, check_base_url, check_header, missing_key};
use super::ollama::Ollama;
use super::openai::OpenAi;
#[cfg(feature = "testing")]
use super::remote::Format;
use super::remote::Remote;
use crate::env::Environment;
use crate::error::Error;
use std::sync::Arc;

/// A server that speaks the protocol of a provider that comes with the crate, under a name of its
/// own: Groq, vLLM, llama.cpp, LiteLLM, Azure, an Ollama on another machine.
/// [`RuntimeBuilder::compatible_provider`](crate::runtime::RuntimeBuilder::compatible_provider) makes it
/// known.
///
/// ```
/// use agent_runtime::model::CompatibleProvider;
/// use agent_runtime::Runtime;
///
/// let groq = CompatibleProvider::openai("https://api.groq.com/openai/v1").key_variable("GROQ_API_KEY");
/// let azure = CompatibleProvider::openai(
///     "https://acme.openai.azure.com/openai/deployments/four?api-version=2024-10-21",
/// )
/// .key_variable("AZURE_OPENAI_API_KEY")
/// .key_header("api-key")
/// .max_completion_tokens();
/// let vllm = CompatibleProvider::openai("http://gpu.internal:8000/v1");
/// // Agents say `model: "Groq/llama-3.3-70b-versatile"`, and `agent!` is told `providers: ["Groq"]`.
/// let runtime = Runtime::builder()
///     .compatible_provider("Groq", groq)
///     .compatible_provider("Azure", azure)
///     .compatible_provider("vLLM", vllm)
///     .build()?;
/// # Ok::<(), agent_runtime::Error>(())
/// ```
///
/// Its address is the program's word, so it beats the `baseUrl` of an agent file, and the key goes
/// there. What [`RuntimeBuilder`](crate::runtime::RuntimeBuilder) says of the agent's own provider, such as
/// [`base_url`](crate::runtime::RuntimeBuilder::base_url), beats what is said here.
///
/// It speaks the formats of OpenAI and of Ollama, and no other. A server with Anthropic's or Google's
/// is reached by that provider's own name and another address: `ANTHROPIC_BASE_URL` or
/// `GOOGLE_GEMINI_BASE_URL`, or [`base_url`](crate::runtime::RuntimeBuilder::base_url). For a format of its
/// own, implement [`ChatModel`] and give it a name with
/// [`RuntimeBuilder::provider`](crate::runtime::RuntimeBuilder::provider).
#[derive(Clone, Debug)]
#[must_use]
pub struct CompatibleProvider {
    protocol: Protocol,
    base_url: String,
    key: Option<Secret>,
    key_variable: Option<KeyVariable>,
    key_header: Option<String>,
    headers: Vec<(String, Secret)>,
}

#[derive(Clone, Copy, Debug)]
enum Protocol {
    OpenAi { max_completion_tokens: bool },
    Ollama,
}

#[derive(Clone, Debug)]
struct KeyVariable {
    name: String,
    is_optional: bool,
}

impl CompatibleProvider {
    fn new(protocol: Protocol, base_url: impl Into<String>) -> Self {
        Self {
            protocol,
            base_url: base_url.into(),
            key: None,
            key_variable: None,
            key_header: None,
            headers: Vec::new(),
        }
    }

    /// A server that speaks as OpenAI's chat completions. The address is what stands before
    /// `/chat/completions`, mostly with `/v1`; a query is kept.
    pub fn openai(base_url: impl Into<String>) -> Self {
        let protocol = Protocol::OpenAi {
            max_completion_tokens: false,
        };
        Self::new(protocol, base_url)
    }

    /// A server that speaks as Ollama. The address is what stands before `/api/chat`.
    pub fn ollama(base_url: impl Into<String>) -> Self {
        Self::new(Protocol::Ollama, base_url)
    }

    /// The key, in place of any variable.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(Secret::new(key));
        self
    }

    /// The variable that holds the key. It is looked up when the provider is first needed; when it
    /// is missing then, the run ends with a configuration error that names it.
    pub fn key_variable(mut self, name: impl Into<String>) -> Self {
        self.key_variable = Some(KeyVariable {
            name: name.into(),
            is_optional: false,
        });
        self
    }

    /// The variable that may hold a key. Without it no key is sent.
    pub fn optional_key_variable(mut self, name: impl Into<String>) -> Self {
        self.key_variable = Some(KeyVariable {
            name: name.into(),
            is_optional: true,
        });
        self
    }

    /// The header that holds the key, alone: `api-key` for Azure, say. At first it is
    /// `Authorization: Bearer …`.
    pub fn key_header(mut self, name: impl Into<String>) -> Self {
        self.key_header = Some(name.into());
        self
    }

    /// A further header of every request, as secret as a key.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), Secret::new(value)));
        self
    }

    /// Says the most tokens of an answer as `max_completion_tokens`, which OpenAI's reasoning models
    /// insist on; most other servers know `max_tokens` only, which is what they are sent at first.
    /// Ollama's protocol has neither.
    pub fn max_completion_tokens(mut self) -> Self {
        if let Protocol::OpenAi {
            max_completion_tokens,
        } = &mut self.protocol
        {
            *max_completion_tokens = true;
        }
        self
    }

    /// Checks what can be checked before anything is sent.
    pub(crate) fn check(&self, name: &str) -> Result<(), Error> {
        check_base_url(&self.base_url, Place::Provider(name))?;
        for (name, value) in &self.headers {
            check_header(name, Some(value.expose()))?;
        }
        match &self.key_header {
            Some(name) => check_header(name, None),
            None => Ok(()),
        }
    }

    #[cfg(feature = "testing")]
    /// What must not be written down: the keys, and the headers.
    pub(super) fn secrets(
        &self,
        environment: &Environment,
    ) -> (Vec<String>, Vec<(String, String)>) {
        let variable = self.key_variable.as_ref();
        let from_variable = variable.and_then(|variable| environment.get(&variable.name));
        let own = self.key.as_ref().map(|key| key.expose().to_owned());
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| (name.clone(), value.expose().to_owned()));
        (
            own.into_iter().chain(from_variable).collect(),
            headers.collect(),
        )
    }

    /// What it is called in traces: as its protocol.
    #[cfg(feature = "testing")]
    pub(super) fn trace_name(&self) -> &'static str {
        match self.protocol {
            Protocol::OpenAi { .. } => OpenAi::TRACE_NAME,
            Protocol::Ollama => Ollama::TRACE_NAME,
        }
    }

    /// The model, for a caller that says more about the agent's own provider.
    pub(super) fn model(
        &self,
        name: &str,
        http: HttpClient,
        caller: Caller,
    ) -> Result<Arc<dyn ChatModel>, Error> {
        let caller = self.caller(name, caller)?;
        Ok(match self.protocol {
            Protocol::OpenAi {
                max_completion_tokens,
            } => {
                let format = OpenAi {
                    max_completion_tokens,
                };
                Arc::new(Remote::new(format, http, caller))
            }
            Protocol::Ollama => Arc::new(Remote::new(Ollama, http, caller)),
        })
    }

    fn caller(&self, name: &str, caller: Caller) -> Result<Caller, Error> {
        let variable = self.key_variable.as_ref();
        let key = match (caller.key.or_else(|| self.key.clone()), variable) {
            (None, Some(variable)) => caller
                .environment
                .read_key(&variable.name)?
                .map(Secret::new),
            (key, _) => key,
        };
        let mut headers = self.headers.clone();
        headers.extend(caller.headers);
        if let Some(variable) = variable
            && !variable.is_optional
            // Elsewhere it is for the caller to say what is needed.
            && caller.base_url.is_none()
            && key.is_none()
            && headers.is_empty()
        {
            return Err(missing_key(name, &[&variable.name]));
        }
        Ok(Caller {
            provider: Some(name.to_owned()),
            // The variables of the protocol's own vendor are meant for that vendor.
            environment: Environment::empty(),
            base_url: caller.base_url.or_else(|| Some(self.base_url.clone())),
            key,
            key_header: caller.key_header.or_else(|| self.key_header.clone()),
            headers,
            key_hosts: Vec::new(),
            redactor: caller.redactor,
        })
    }
}
