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
    Some(match provider {
        "Anthropic" => ANTHROPIC,
        "Google" => GOOGLE,
        "Offline" => OFFLINE,
        "Ollama" => OLLAMA,
        "OpenAI" | "OpenAIChat" | "OpenAIResponses" => OPENAI,
        "Scripted" => SCRIPTED,
        "Azure" => "azure.ai.openai",
        "Bedrock" => "aws.bedrock",
        "DeepSeek" => "deepseek",
        "Groq" => "groq",
        "Mistral" => "mistral_ai",
        "Vertex" => "gcp.vertex_ai",
        "xAI" => "x_ai",
        // These are not in OpenTelemetry's list.
        "Fireworks" => "fireworks",
        "LMStudio" => "lm_studio",
        "LlamaCpp" => "llama_cpp",
        "OpenRouter" => "openrouter",
        "Together" => "together",
        "vLLM" => "vllm",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::trace_name_of;
    use agent_spec::model::PROVIDERS;

    #[test]
    fn every_provider_has_a_name() {
        let named = PROVIDERS
            .iter()
            .filter(|provider| trace_name_of(provider).is_some());
        assert_eq!(named.count(), PROVIDERS.len());
    }
}
