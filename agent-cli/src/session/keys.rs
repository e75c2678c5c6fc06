//! Keys in the environment: somebody may type one before it is sent, or no provider is ever sent it.

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

/// Returns the keys in the environment, of these providers as well as of those that are built in.
pub(super) fn in_environment(
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
    fn keys_that_were_not_sent_yet_are_known() {
        let environment = Environment::from_pairs([
            ("OPENAI_API_KEY", "sk-0123456789"),
            ("GEMINI_API_KEY", "sk-0123456789abc\n"),
            ("ACME_API_KEY", "acme-secret"),
            ("OLLAMA_API_KEY", "ollama"),
            ("OTHER_API_KEY", "something"),
        ]);
        let acme: Provider = "Acme=http://localhost:1/v1".parse().expect("a provider");
        let redactor = Redactor::new();
        for key in in_environment(&environment, &[acme]) {
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
