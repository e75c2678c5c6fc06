//! The providers that every document may name, explained.

/// A provider and its documentation.
#[derive(Debug)]
pub(crate) struct Provider {
    /// The name.
    pub(crate) name: &'static str,
    /// The documentation, in Markdown.
    pub(crate) documentation: &'static str,
}

/// The providers that every document may name.
pub(crate) const PROVIDERS: [Provider; 6] = [
    Provider {
        name: "OpenAI",
        documentation: "OpenAI's chat completions, and any server that speaks as it does, at `baseUrl`. The \
                  key is in `OPENAI_API_KEY`.",
    },
    Provider {
        name: "Anthropic",
        documentation: "Anthropic's messages. The key is in `ANTHROPIC_API_KEY`.",
    },
    Provider {
        name: "Google",
        documentation: "Google's Gemini. The key is in `GOOGLE_API_KEY` or `GEMINI_API_KEY`.",
    },
    Provider {
        name: "Ollama",
        documentation: "Models on this machine or where `OLLAMA_HOST` says, without a key.",
    },
    Provider {
        name: "Offline",
        documentation: "A fixed set of rules that picks tools by the words of a message. It needs no key and \
                  no network.",
    },
    Provider {
        name: "Scripted",
        documentation: "Plays a script, for tests.",
    },
];

/// Returns the provider of a name.
pub(crate) fn provider(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}
