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

pub use agent_spec::model::trace_name_of;
