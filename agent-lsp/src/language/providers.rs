//! What the providers of models are.

/// A provider.
#[derive(Debug)]
pub(crate) struct Provider {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is, in Markdown.
    pub(crate) meaning: &'static str,
}

/// The providers that are always there.
pub(crate) const PROVIDERS: [Provider; 6] = [
    Provider {
        name: "OpenAI",
        meaning: "OpenAI's chat completions, and any server that speaks as it does, at `baseUrl`. The \
                  key is in `OPENAI_API_KEY`.",
    },
    Provider {
        name: "Anthropic",
        meaning: "Anthropic's messages. The key is in `ANTHROPIC_API_KEY`.",
    },
    Provider {
        name: "Google",
        meaning: "Google's Gemini. The key is in `GOOGLE_API_KEY` or `GEMINI_API_KEY`.",
    },
    Provider {
        name: "Ollama",
        meaning: "Models on this machine or where `OLLAMA_HOST` says, without a key.",
    },
    Provider {
        name: "Offline",
        meaning: "A fixed set of rules that picks tools by the words of a message. It needs no key and \
                  no network.",
    },
    Provider {
        name: "Scripted",
        meaning: "Plays a script, for tests.",
    },
];

/// What a provider is.
pub(crate) fn provider(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}
