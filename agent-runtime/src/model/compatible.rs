//! Servers with the wire format of a built-in provider.

use super::ChatModel;
use super::http::{
    EndpointConfig, HttpClient, Secret, UrlSource, check_base_url, check_header, missing_key,
};
use super::http_model::{HttpModel, Models};
use super::ollama::Ollama;
use super::openai::{ChatCompletions, OpenAi, Responses};
use super::wire_format::WireFormat;
use agent_core::__private::trace_name;
use agent_tool::{Environment, Error};
use std::sync::Arc;

/// A server with a wire format of OpenAI or that of Ollama, under a name of its own: Groq, vLLM, llama.cpp,
/// LiteLLM, Azure, an Ollama on another machine. Add it to a runtime with
/// [`RuntimeBuilder::compatible_provider`](crate::runtime::RuntimeBuilder::compatible_provider).
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
/// // Agents write `model: "Groq/llama-3.3-70b-versatile"`; `agent!` needs `providers: ["Groq"]`.
/// let runtime = Runtime::builder()
///     .compatible_provider("Groq", groq)
///     .compatible_provider("Azure", azure)
///     .compatible_provider("vLLM", vllm)
///     .build()?;
/// # Ok::<(), agent_runtime::Error>(())
/// ```
///
/// The key is sent to the base URL, which takes precedence over the `baseUrl` of an agent document. Settings
/// of [`RuntimeBuilder`](crate::runtime::RuntimeBuilder) for the agent's own provider, such as
/// [`base_url`](crate::runtime::RuntimeBuilder::base_url), take precedence over both.
///
/// For a server with the format of Anthropic or Google, use that provider's own name with another base URL:
/// `ANTHROPIC_BASE_URL`, `GOOGLE_GEMINI_BASE_URL`, or [`base_url`](crate::runtime::RuntimeBuilder::base_url).
/// For any other format, implement [`ChatModel`] and add it with
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
    OpenAiResponses,
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

    /// Creates a server with OpenAI's Chat Completions API. The base URL is the part before
    /// `/chat/completions`, mostly with `/v1`; its query is kept. If the server reports that a model needs
    /// the Responses API, requests to this model use that API.
    pub fn openai(base_url: impl Into<String>) -> Self {
        let protocol = Protocol::OpenAi {
            max_completion_tokens: false,
        };
        Self::new(protocol, base_url)
    }

    /// Creates a server with OpenAI's Responses API. The base URL is the part before `/responses`, mostly with
    /// `/v1`; its query is kept. Reasoning that the server does not encrypt is sent back unchanged.
    pub fn openai_responses(base_url: impl Into<String>) -> Self {
        Self::new(Protocol::OpenAiResponses, base_url)
    }

    /// Creates a server with Ollama's API. The base URL is the part before `/api/chat`.
    pub fn ollama(base_url: impl Into<String>) -> Self {
        Self::new(Protocol::Ollama, base_url)
    }

    /// Sets the key, in place of any variable.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(Secret::new(key));
        self
    }

    /// Sets the variable that holds the key. It is read when the provider is first used; a run without it
    /// ends with a configuration error.
    pub fn key_variable(mut self, name: impl Into<String>) -> Self {
        self.key_variable = Some(KeyVariable {
            name: name.into(),
            is_optional: false,
        });
        self
    }

    /// Sets the variable that may hold a key. If it is not set, no key is sent.
    pub fn optional_key_variable(mut self, name: impl Into<String>) -> Self {
        self.key_variable = Some(KeyVariable {
            name: name.into(),
            is_optional: true,
        });
        self
    }

    /// Sets the header that has the key as its value, such as `api-key` for Azure. The default is
    /// `Authorization: Bearer …`.
    pub fn key_header(mut self, name: impl Into<String>) -> Self {
        self.key_header = Some(name.into());
        self
    }

    /// Adds a header to every request. Its value is redacted like a key.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), Secret::new(value)));
        self
    }

    /// Sends `maxTokens` as `max_completion_tokens`, which OpenAI's reasoning models require. The default is
    /// `max_tokens`, because most other servers support nothing else. The other formats have neither member.
    pub fn max_completion_tokens(mut self) -> Self {
        if let Protocol::OpenAi {
            max_completion_tokens,
        } = &mut self.protocol
        {
            *max_completion_tokens = true;
        }
        self
    }

    /// Checks what can be checked before the first request.
    pub(super) fn check(&self, name: &str) -> Result<(), Error> {
        let endpoint = match self.protocol {
            Protocol::OpenAi { .. } => ChatCompletions::VENDOR.endpoint,
            Protocol::OpenAiResponses => Responses::VENDOR.endpoint,
            Protocol::Ollama => Ollama::VENDOR.endpoint,
        };
        check_base_url(&self.base_url, UrlSource::Provider(name), Some(endpoint))?;
        for (name, value) in &self.headers {
            check_header(name, Some(value.expose()))?;
        }
        match &self.key_header {
            Some(name) => check_header(name, None),
            None => Ok(()),
        }
    }

    /// Returns the keys and the headers, which a cassette must not contain.
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

    /// Returns the name in traces: that of the protocol's vendor.
    pub(super) fn trace_name(&self) -> &'static str {
        match self.protocol {
            Protocol::OpenAi { .. } | Protocol::OpenAiResponses => trace_name::OPENAI,
            Protocol::Ollama => trace_name::OLLAMA,
        }
    }

    /// Creates the model. `config` takes precedence over the settings of this provider.
    pub(super) fn model(
        &self,
        name: &str,
        http: HttpClient,
        config: EndpointConfig,
        models: Models,
    ) -> Result<Arc<dyn ChatModel>, Error> {
        let config = self.endpoint_config(name, config)?;
        Ok(match self.protocol {
            Protocol::OpenAi {
                max_completion_tokens,
            } => {
                let chat = ChatCompletions {
                    max_completion_tokens,
                };
                Arc::new(OpenAi::new(chat, http, config, models))
            }
            Protocol::OpenAiResponses => Arc::new(HttpModel::new(Responses, http, config, models)),
            Protocol::Ollama => Arc::new(HttpModel::new(Ollama, http, config, models)),
        })
    }

    fn endpoint_config(&self, name: &str, config: EndpointConfig) -> Result<EndpointConfig, Error> {
        let variable = self.key_variable.as_ref();
        let key = match (config.key.or_else(|| self.key.clone()), variable) {
            (None, Some(variable)) => config
                .environment
                .read_key(&variable.name)?
                .map(Secret::new),
            (key, _) => key,
        };
        let mut headers = self.headers.clone();
        headers.extend(config.headers);
        if let Some(variable) = variable
            && !variable.is_optional
            // Another base URL may need no key.
            && config.base_url.is_none()
            && key.is_none()
            && headers.is_empty()
        {
            return Err(missing_key(name, &[&variable.name]));
        }
        Ok(EndpointConfig {
            provider: Some(name.to_owned()),
            // The variables of the protocol's vendor are for that vendor.
            environment: Environment::empty(),
            trace_name: None,
            row_url: None,
            base_url: config.base_url.or_else(|| Some(self.base_url.clone())),
            base_url_variable: None,
            key,
            key_header: config.key_header.or_else(|| self.key_header.clone()),
            headers,
            url_hosts: Vec::new(),
            key_hosts: Vec::new(),
            withholds_key: false,
            redactor: config.redactor,
        })
    }
}
