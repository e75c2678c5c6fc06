//! Keys of providers in the environment.
//!
//! The runtime redacts the keys that it sends. These are redacted too, because a user can type one
//! before it is sent, and some are never sent.

use crate::provider::Provider;
use agent_runtime::Environment;

/// The variables with the keys of built-in providers and search engines.
const VARIABLES: [&str; 9] = [
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "OLLAMA_API_KEY",
    "SERPAPI_KEY",
    "BING_SEARCH_KEY",
    "BRAVE_API_KEY",
];

/// Returns the keys of these providers and of the built-in ones.
pub(super) fn keys(
    environment: &Environment,
    providers: &[Provider],
) -> impl Iterator<Item = String> {
    let given = providers.iter().filter_map(Provider::key_variable);
    let variables = VARIABLES.iter().map(|name| (*name).to_owned()).chain(given);
    variables.filter_map(|name| environment.get(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::redact::Redactor;

    #[test]
    fn finds_keys_of_built_in_and_given_providers() {
        let environment = Environment::from_pairs([
            ("OPENAI_API_KEY", "sk-0123456789"),
            ("GEMINI_API_KEY", "sk-0123456789abc\n"),
            ("ACME_API_KEY", "acme-secret"),
            ("OLLAMA_API_KEY", "ollama"),
            ("OTHER_API_KEY", "something"),
        ]);
        let acme: Provider = "Acme=http://localhost:1/v1".parse().expect("a provider");
        let redactor = Redactor::new();
        for key in keys(&environment, &[acme]) {
            redactor.add(&key);
        }
        for (line, kept) in [
            ("It is sk-0123456789.", "It is [key]."),
            ("sk-0123456789abc", "[key]"),
            ("acme-secret", "[key]"),
            ("ollama and something", "ollama and something"),
        ] {
            assert_eq!(redactor.text(line), kept);
        }
    }
}
