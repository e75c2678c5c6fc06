//! Keys of providers in the environment.
//!
//! The runtime redacts the keys that it sends. The keys in the environment are redacted too, because a user
//! can type a key before it is sent, and some keys are never sent.

use crate::provider::Provider;
use agent_catalog::Catalog;
use agent_runtime::Environment;

/// The variables with the keys of search engines. Those of providers are in the catalogue.
const SEARCH_ENGINES: [&str; 3] = ["SERPAPI_KEY", "BING_SEARCH_KEY", "BRAVE_API_KEY"];

/// Returns the keys of these providers, of the built-in providers, and of search engines.
pub(super) fn keys(
    environment: &Environment,
    providers: &[Provider],
) -> impl Iterator<Item = String> {
    let given = providers.iter().filter_map(Provider::key_variable);
    let catalog = Catalog::builtin();
    let rows = catalog
        .providers()
        .filter_map(|name| catalog.provider(name));
    let built_in = rows.flat_map(|row| row.keys.clone().unwrap_or_default());
    let engines = SEARCH_ENGINES.map(str::to_owned);
    let variables = built_in.chain(engines).chain(given);
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
            ("GROQ_API_KEY", "gsk-0123456789"),
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
            ("gsk-0123456789", "[key]"),
            ("ollama and something", "ollama and something"),
        ] {
            assert_eq!(redactor.text(line), kept);
        }
    }
}
