//! The names of the built-in providers in traces, after OpenTelemetry's list.
#![cfg_attr(
    not(any(feature = "http", feature = "testing")),
    expect(dead_code, reason = "only providers over HTTP use all of them")
)]

pub(crate) const ANTHROPIC: &str = "anthropic";
pub(crate) const GOOGLE: &str = "gcp.gemini";
/// Not in OpenTelemetry's list.
pub(crate) const OFFLINE: &str = "offline";
/// Not in OpenTelemetry's list.
pub(crate) const OLLAMA: &str = "ollama";
pub(crate) const OPENAI: &str = "openai";
/// Not in OpenTelemetry's list.
pub(crate) const SCRIPTED: &str = "scripted";

/// Returns the name in traces of a built-in provider.
#[cfg(feature = "testing")]
pub(crate) fn of(provider: &str) -> Option<&'static str> {
    Some(match provider {
        "Anthropic" => ANTHROPIC,
        "Google" => GOOGLE,
        "Offline" => OFFLINE,
        "Ollama" => OLLAMA,
        "OpenAI" | "OpenAIResponses" => OPENAI,
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
