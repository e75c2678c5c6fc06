//! Keys that a session may be given, before anything was sent with them.

use crate::provider::Provider;
use agent_runtime::{Environment, KeyMask};

/// The variables with keys of the providers that are always known.
const VARIABLES: [&str; 6] = [
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "OLLAMA_API_KEY",
];

/// The variables with keys of search engines, of which one is a provider's, too.
const SEARCH: [&str; 4] = [
    "SERPAPI_KEY",
    "BING_SEARCH_KEY",
    "BRAVE_API_KEY",
    "GOOGLE_API_KEY",
];

/// The keys of search engines, which no provider is sent.
pub(super) fn search_keys(environment: &Environment) -> impl Iterator<Item = String> {
    SEARCH.iter().filter_map(|name| environment.get(name))
}

/// As with [`KeyMask`]: a shorter key may be any word.
const SHORTEST: usize = 8;

/// Replaces keys in what is kept of what somebody types: a mask knows a key once it was sent, and a line is
/// kept before.
pub(crate) struct TypedMask {
    mask: KeyMask,
    keys: Vec<String>,
}

impl TypedMask {
    /// For the keys that a mask knows, and those in the environment.
    pub(super) fn new(mask: KeyMask, environment: &Environment, providers: &[Provider]) -> Self {
        let given = providers.iter().filter_map(Provider::key_variable);
        let variables = VARIABLES.iter().chain(&SEARCH);
        let variables = variables.map(|name| (*name).to_owned()).chain(given);
        let keys = variables.filter_map(|name| environment.get(&name));
        let mut keys: Vec<String> = keys
            .map(|key| key.trim().to_owned())
            .filter(|key| key.len() >= SHORTEST)
            .collect();
        // What begins with another key would otherwise not be whole when it is looked for.
        keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
        Self { mask, keys }
    }

    /// The line without keys.
    pub(crate) fn line(&self, line: &str) -> String {
        let keys = self.keys.iter();
        let masked = keys.fold(line.to_owned(), |line, key| line.replace(key, "[key]"));
        self.mask.text(&masked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::Runtime;

    #[test]
    fn keys_that_were_not_sent_yet_are_known() {
        let environment = Environment::from_pairs([
            ("OPENAI_API_KEY", "sk-0123456789"),
            ("GEMINI_API_KEY", "sk-0123456789abc\n"),
            ("ACME_API_KEY", "acme-secret"),
            ("OLLAMA_API_KEY", "ollama"),
            ("OTHER_API_KEY", "something"),
        ]);
        let acme: Provider = "Acme=http://localhost:1/v1".parse().expect("a provider");
        let mask = Runtime::offline().key_mask();
        let mask = TypedMask::new(mask, &environment, &[acme]);
        for (line, kept) in [
            ("It is sk-0123456789.", "It is [key]."),
            ("sk-0123456789abc", "[key]"),
            ("acme-secret", "[key]"),
            ("ollama and something", "ollama and something"),
        ] {
            assert_eq!(mask.line(line), kept);
        }
    }
}
