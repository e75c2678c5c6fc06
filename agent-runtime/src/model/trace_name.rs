//! What the providers that come with the crate are called in traces, after OpenTelemetry's list.
#![cfg_attr(
    not(any(feature = "http", feature = "testing")),
    expect(dead_code, reason = "the providers over HTTP have the rest of them")
)]

pub(crate) const ANTHROPIC: &str = "anthropic";
pub(crate) const GOOGLE: &str = "gcp.gemini";
/// Not in that list.
pub(crate) const OFFLINE: &str = "offline";
/// Not in that list.
pub(crate) const OLLAMA: &str = "ollama";
pub(crate) const OPENAI: &str = "openai";
/// Not in that list.
pub(crate) const SCRIPTED: &str = "scripted";

/// What the provider is called that models name so, if it comes with the crate.
#[cfg(feature = "testing")]
pub(crate) fn of(provider: &str) -> Option<&'static str> {
    Some(match provider {
        "Anthropic" => ANTHROPIC,
        "Google" => GOOGLE,
        "Offline" => OFFLINE,
        "Ollama" => OLLAMA,
        "OpenAI" => OPENAI,
        "Scripted" => SCRIPTED,
        _ => return None,
    })
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::of;
    use agent_spec::model::PROVIDERS;

    #[test]
    fn every_provider_has_a_name() {
        let named = PROVIDERS.iter().filter(|provider| of(provider).is_some());
        assert_eq!(named.count(), PROVIDERS.len());
    }
}
