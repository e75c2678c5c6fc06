//! The model of an agent: `Provider/model-id`.

use agent_catalog::vendor;
use agent_gram::value::Text;
use agent_types::names::nearest;
use std::fmt;

/// The providers that are always there, and their names in traces: those of OpenTelemetry's list, if it has the provider. An error
/// about an unknown provider names the first seven.
const ROWS: &[(&str, &str)] = &[
    ("OpenAI", "openai"),
    ("OpenAIResponses", "openai"),
    ("OpenAIChat", "openai"),
    ("Anthropic", "anthropic"),
    ("Google", "gcp.gemini"),
    ("Ollama", "ollama"),
    ("OpenRouter", "openrouter"),
    ("Groq", "groq"),
    ("Mistral", "mistral_ai"),
    ("DeepSeek", "deepseek"),
    ("xAI", "x_ai"),
    ("Together", "together"),
    ("Fireworks", "fireworks"),
    ("Azure", "azure.ai.openai"),
    ("Bedrock", "aws.bedrock"),
    ("Vertex", "gcp.vertex_ai"),
    ("vLLM", "vllm"),
    ("LMStudio", "lm_studio"),
    ("LlamaCpp", "llama_cpp"),
    ("Offline", "offline"),
    ("Scripted", "scripted"),
];

/// The providers that are always there.
pub const PROVIDERS: [&str; ROWS.len()] = {
    let mut names = [""; ROWS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = ROWS[at].0;
        at += 1;
    }
    names
};

/// Returns the name of a provider of [`PROVIDERS`] in traces, such as `gcp.gemini` for `Google`. It is the one of OpenTelemetry's
/// list, if the list has the provider.
#[must_use]
pub fn trace_name_of(provider: &str) -> Option<&'static str> {
    let row = ROWS.iter().find(|(name, _)| *name == provider);
    row.map(|(_, name)| *name)
}

/// A model of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Model {
    provider: Text,
    id: Text,
}

impl Model {
    /// A model of a provider. Any provider name is accepted, because the runtime knows which providers
    /// exist.
    ///
    /// # Errors
    /// When a part is empty, or the provider holds a `/`.
    pub fn new(provider: impl Into<Text>, id: impl Into<Text>) -> Result<Self, ModelError> {
        let (provider, id) = (provider.into(), id.into());
        if provider.is_empty() || id.is_empty() || provider.contains('/') {
            return Err(ModelError {
                text: format!("{provider}/{id}"),
            });
        }
        Ok(Self { provider, id })
    }

    /// A model for a `const`.
    #[must_use]
    pub const fn from_static(provider: &'static str, id: &'static str) -> Self {
        Self {
            provider: Text::from_static(provider),
            id: Text::from_static(id),
        }
    }

    /// Reads `Provider/model-id`, split at the first `/`.
    ///
    /// # Errors
    /// Returns an error without a `/`, or without text before or after it.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let wrong = || ModelError {
            text: text.to_owned(),
        };
        let (provider, id) = text.split_once('/').ok_or_else(wrong)?;
        if provider.is_empty() || id.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            provider: Text::new(provider),
            id: Text::new(id),
        })
    }

    /// The provider, such as `OpenAI`.
    #[must_use]
    pub const fn provider(&self) -> &str {
        self.provider.as_str()
    }

    /// Whether another model is asked with the same key at the same address: `OpenAI`, `OpenAIChat` and `OpenAIResponses` are
    /// one provider.
    #[must_use]
    pub fn has_provider_of(&self, other: &Self) -> bool {
        vendor(self.provider()) == vendor(other.provider())
    }

    /// Returns the provider's name of the model, such as `gpt-6-luna`.
    #[must_use]
    pub const fn id(&self) -> &str {
        self.id.as_str()
    }
}

impl fmt::Display for Model {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.provider, self.id)
    }
}

/// A text that does not name a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    text: String,
}

impl fmt::Display for ModelError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "`{}` does not name a model; write `Provider/model-id`, such as `OpenAI/gpt-6-luna`",
            self.text
        )
    }
}

impl std::error::Error for ModelError {}

/// Returns the known provider that is nearest to a misspelt name, for suggestions.
#[must_use]
pub fn nearest_provider<'a>(name: &str, registered: &[&'a str]) -> Option<&'a str> {
    nearest(name, PROVIDERS.iter().chain(registered).copied())
}
