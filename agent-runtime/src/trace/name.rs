//! Every name that stands in a trace or a metric.
//!
//! The conventions are still being developed, so what follows them can be changed here alone.

// Spans and requests.
pub(crate) const OPERATION: &str = "gen_ai.operation.name";
pub(crate) const PROVIDER: &str = "gen_ai.provider.name";
pub(crate) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(crate) const AGENT: &str = "gen_ai.agent.name";
pub(crate) const AGENT_DESCRIPTION: &str = "gen_ai.agent.description";
pub(crate) const REQUEST_MODEL: &str = "gen_ai.request.model";
pub(crate) const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
pub(crate) const TEMPERATURE: &str = "gen_ai.request.temperature";
pub(crate) const TOP_P: &str = "gen_ai.request.top_p";
pub(crate) const SEED: &str = "gen_ai.request.seed";
pub(crate) const STOP_SEQUENCES: &str = "gen_ai.request.stop_sequences";
pub(crate) const OUTPUT_TYPE: &str = "gen_ai.output.type";
pub(crate) const STREAM: &str = "gen_ai.request.stream";
pub(crate) const SERVER_ADDRESS: &str = "server.address";
pub(crate) const SERVER_PORT: &str = "server.port";
pub(crate) const RESENT: &str = "http.request.resend_count";
pub(crate) const ERROR: &str = "error.type";

// Answers.
pub(crate) const RESPONSE_ID: &str = "gen_ai.response.id";
pub(crate) const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub(crate) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub(crate) const FIRST_CHUNK: &str = "gen_ai.response.time_to_first_chunk";
pub(crate) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(crate) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(crate) const CACHED_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub(crate) const REASONING_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";

// Tools.
pub(crate) const TOOL: &str = "gen_ai.tool.name";
pub(crate) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(crate) const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";
pub(crate) const CALL_ID: &str = "gen_ai.tool.call.id";

// What was said: only for those who ask for it.
pub(crate) const INSTRUCTIONS: &str = "gen_ai.system_instructions";
pub(crate) const TOOL_DEFINITIONS: &str = "gen_ai.tool.definitions";
pub(crate) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(crate) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub(crate) const ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(crate) const RESULT: &str = "gen_ai.tool.call.result";

// The totals of a run have names of their own, so that nobody adds them to those of its parts.
pub(crate) const TOTAL_INPUT_TOKENS: &str = "gen_ai.aggregated_usage.input_tokens";
pub(crate) const TOTAL_OUTPUT_TOKENS: &str = "gen_ai.aggregated_usage.output_tokens";

// Names of our own, for what the conventions have no word for.
pub(crate) const RUN: &str = "agent_runtime.run.id";
pub(crate) const RUN_REQUESTS: &str = "agent_runtime.run.requests";
pub(crate) const RUN_CALLS: &str = "agent_runtime.run.tool_calls";
pub(crate) const RUN_FAILED_CALLS: &str = "agent_runtime.run.failed_tool_calls";
pub(crate) const ATTEMPT: &str = "agent_runtime.tool.attempt";
/// Seconds. It is recorded when the work ends, which may be before its span does: a function on a
/// thread that nobody waits for any longer keeps the span of its call open.
pub(crate) const DURATION: &str = "agent_runtime.duration";

// What `tracing-opentelemetry` reads, too: the span's real name, since `tracing` wants a constant.
pub(crate) const SPAN_NAME: &str = "otel.name";
pub(crate) const SPAN_KIND: &str = "otel.kind";
pub(crate) const SPAN_STATUS: &str = "otel.status_code";

/// Metrics.
#[cfg(feature = "otel")]
pub(crate) mod metric {
    pub(crate) const OPERATION_DURATION: &str = "gen_ai.client.operation.duration";
    pub(crate) const FIRST_CHUNK: &str = "gen_ai.client.operation.time_to_first_chunk";
    pub(crate) const TOKEN_USAGE: &str = "gen_ai.client.token.usage";
    pub(crate) const AGENT_DURATION: &str = "gen_ai.invoke_agent.duration";
    pub(crate) const TOOL_DURATION: &str = "gen_ai.execute_tool.duration";
    /// An attribute: `input` or `output`.
    pub(crate) const TOKEN_TYPE: &str = "gen_ai.token.type";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The texts in quotes that this file's constants are.
    fn names() -> BTreeSet<&'static str> {
        let lines = include_str!("name.rs").lines();
        lines
            .filter(|line| line.trim_start().starts_with("pub(crate) const"))
            .filter_map(|line| line.split('"').nth(1))
            .collect()
    }

    #[test]
    fn the_page_about_observability_has_every_name() {
        let page = include_str!("../../../docs/observability.md");
        for name in names() {
            assert!(page.contains(&format!("`{name}`")), "{name} is missing");
        }
        let words = page.split('`').skip(1).step_by(2);
        for word in words.filter(|word| word.starts_with("gen_ai.")) {
            assert!(names().contains(word), "{word} is no name any more");
        }
    }
}
