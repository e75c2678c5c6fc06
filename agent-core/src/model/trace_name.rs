//! The names of the built-in providers in traces, after OpenTelemetry's list.

/// The name is in the list of OpenTelemetry.
pub const ANTHROPIC: &str = "anthropic";
/// The name is in the list of OpenTelemetry.
pub const GOOGLE: &str = "gcp.gemini";
/// The name is not in the list of OpenTelemetry.
pub const OFFLINE: &str = "offline";
/// The name is not in the list of OpenTelemetry.
pub const OLLAMA: &str = "ollama";
/// The name is in the list of OpenTelemetry.
pub const OPENAI: &str = "openai";
/// The name is not in the list of OpenTelemetry.
pub const SCRIPTED: &str = "scripted";

/// Returns the name of a built-in provider in traces, such as `gcp.gemini` for `Google`. It is the
/// [`ChatModel::trace_name`](super::ChatModel::trace_name) of the provider.
#[must_use]
pub fn trace_name_of(provider: &str) -> Option<&'static str> {
    agent_spec::model::trace_name(provider)
}
