//! The names of attributes and metrics: OpenTelemetry's conventions for generative AI, and a few of our
//! own.
//!
//! The conventions are still in development. A name that changes there changes here, and nowhere else.

// Spans and requests.
/// The operation: `invoke_agent`, `chat` or `execute_tool`.
pub const OPERATION: &str = "gen_ai.operation.name";
/// The provider, such as `openai`.
pub const PROVIDER: &str = "gen_ai.provider.name";
/// The conversation id of the run's options.
pub const CONVERSATION: &str = "gen_ai.conversation.id";
/// The agent's name.
pub const AGENT: &str = "gen_ai.agent.name";
/// The agent's description.
pub const AGENT_DESCRIPTION: &str = "gen_ai.agent.description";
/// The model that is requested.
pub const REQUEST_MODEL: &str = "gen_ai.request.model";
/// The maximum number of output tokens.
pub const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
/// The sampling temperature.
pub const TEMPERATURE: &str = "gen_ai.request.temperature";
/// The nucleus sampling threshold.
pub const TOP_P: &str = "gen_ai.request.top_p";
/// The sampling seed.
pub const SEED: &str = "gen_ai.request.seed";
/// The stop sequences, as a JSON array, because `tracing` has no arrays.
pub const STOP_SEQUENCES: &str = "gen_ai.request.stop_sequences";
/// `json` when the answer must be a value of a type.
pub const OUTPUT_TYPE: &str = "gen_ai.output.type";
/// `true` when the answer is requested in parts.
pub const STREAM: &str = "gen_ai.request.stream";
/// The host of the provider.
pub const SERVER_ADDRESS: &str = "server.address";
/// The port of the provider.
pub const SERVER_PORT: &str = "server.port";
/// The number of retries.
pub const RESENT: &str = "http.request.resend_count";
/// The kind of the error. The text of an error is never in a trace.
pub const ERROR: &str = "error.type";

// Answers.
/// The provider's id of the answer.
pub const RESPONSE_ID: &str = "gen_ai.response.id";
/// The model that answered.
pub const RESPONSE_MODEL: &str = "gen_ai.response.model";
/// The reasons for which the model stopped, as a JSON array.
pub const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
/// Seconds until the first part of a streamed answer.
pub const FIRST_CHUNK: &str = "gen_ai.response.time_to_first_chunk";
/// The input tokens of a request.
pub const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
/// The output tokens of a request.
pub const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
/// The input tokens that the provider had cached.
pub const CACHED_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
/// The input tokens that the provider wrote to its cache.
pub const CACHE_WRITTEN_TOKENS: &str = "gen_ai.usage.cache_creation.input_tokens";
/// The output tokens of reasoning.
pub const REASONING_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";

// Tools.
/// The tool's name.
pub const TOOL: &str = "gen_ai.tool.name";
/// The kind of the tool: `function`.
pub const TOOL_TYPE: &str = "gen_ai.tool.type";
/// The tool's description.
pub const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";
/// The id of the call in the conversation.
pub const CALL_ID: &str = "gen_ai.tool.call.id";

// The content of messages and calls, only with `RuntimeBuilder::trace_content`.
/// The agent's instruction.
pub const INSTRUCTIONS: &str = "gen_ai.system_instructions";
/// The tools that the model may call.
pub const TOOL_DEFINITIONS: &str = "gen_ai.tool.definitions";
/// The messages that are sent.
pub const INPUT_MESSAGES: &str = "gen_ai.input.messages";
/// The messages that are received.
pub const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
/// The arguments of a call.
pub const ARGUMENTS: &str = "gen_ai.tool.call.arguments";
/// The result of a call.
pub const RESULT: &str = "gen_ai.tool.call.result";

// The totals of a run have names of their own, so that no dashboard adds them to the requests' tokens.
/// The input tokens of all requests of a run.
pub const TOTAL_INPUT_TOKENS: &str = "gen_ai.aggregated_usage.input_tokens";
/// The output tokens of all requests of a run.
pub const TOTAL_OUTPUT_TOKENS: &str = "gen_ai.aggregated_usage.output_tokens";

// Names of our own, where the conventions have none.
/// The id of a run, which no other run has.
pub const RUN: &str = "agent_runtime.run.id";
/// The names of the agents that lead to a run, joined by `/`, that of its own agent included.
pub const RUN_PATH: &str = "agent_runtime.run.path";
/// The number of requests of a run.
pub const RUN_REQUESTS: &str = "agent_runtime.run.requests";
/// The number of tool calls of a run.
pub const RUN_CALLS: &str = "agent_runtime.run.tool_calls";
/// The number of tool calls of a run that returned an error.
pub const RUN_FAILED_CALLS: &str = "agent_runtime.run.failed_tool_calls";
/// `touched` or `tainted`, if something of strangers has entered the run.
pub const RUN_TAINT: &str = "agent_runtime.run.taint";
/// The names of the agents that lead to a tool, and its own, joined by `/`.
pub const TOOL_PATH: &str = "agent_runtime.tool.path";
/// The number of the attempt at a tool since its last success.
pub const ATTEMPT: &str = "agent_runtime.tool.attempt";
/// The reasons for which the provider left earlier reasoning out of a request, separated by commas. The answer is
/// complete without that reasoning.
pub const REMOVED_REASONING: &str = "agent_runtime.request.removed_reasoning";
/// The duration of an operation, in seconds. It is recorded when the operation ends, which may be before
/// its span closes: the thread of a tool that timed out keeps the span of its call open.
pub const DURATION: &str = "agent_runtime.duration";

// Names that `tracing-opentelemetry` reads as well.
/// The name of the exported span. A span of `tracing` itself has a constant name.
pub const SPAN_NAME: &str = "otel.name";
/// The kind of the exported span: `client` or `internal`.
pub const SPAN_KIND: &str = "otel.kind";
/// The status of the exported span: `ERROR` after a failure.
pub const SPAN_STATUS: &str = "otel.status_code";

/// The names of metrics.
pub mod metric {
    /// The duration of a request, in seconds.
    pub const OPERATION_DURATION: &str = "gen_ai.client.operation.duration";
    /// Seconds until the first part of a streamed answer.
    pub const FIRST_CHUNK: &str = "gen_ai.client.operation.time_to_first_chunk";
    /// The tokens of a request and its answer.
    pub const TOKEN_USAGE: &str = "gen_ai.client.token.usage";
    /// The duration of a run, in seconds.
    pub const AGENT_DURATION: &str = "gen_ai.invoke_agent.duration";
    /// The duration of a tool call, in seconds.
    pub const TOOL_DURATION: &str = "gen_ai.execute_tool.duration";
    /// The attribute of [`TOKEN_USAGE`] that distinguishes `input` from `output`.
    pub const TOKEN_TYPE: &str = "gen_ai.token.type";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The texts of this file's constants.
    fn names() -> BTreeSet<&'static str> {
        let lines = include_str!("attribute.rs").lines();
        lines
            .filter(|line| line.trim_start().starts_with("pub const"))
            .filter_map(|line| line.split('"').nth(1))
            .collect()
    }

    #[test]
    fn the_page_about_observability_has_every_name() {
        let page = include_str!("../../../book/src/reference/observability.md");
        for name in names() {
            assert!(page.contains(&format!("`{name}`")), "{name} is missing");
        }
        let words = page.split('`').skip(1).step_by(2);
        for word in words.filter(|word| word.starts_with("gen_ai.")) {
            assert!(names().contains(word), "{word} is no longer a name");
        }
    }
}
