//! Spans, named and attributed after the OpenTelemetry GenAI conventions.
//!
//! The conventions are still being developed, so every name stands here and nowhere else. What
//! users, models and tools say is in no span and no event, except those of the target [`WIRE`]:
//! that may be private.

use crate::error::Error;
use crate::model::{ModelReply, ModelRequest, Usage};
use agent_spec::Agent;
use tracing::{Span, field::Empty, info_span};

/// The target of events that hold what is said, word for word. They are at the level TRACE, so
/// that nobody records conversations without asking for it; keys are never in them.
pub(crate) const WIRE: &str = "agent_runtime::wire";

/// The attribute names.
mod name {
    pub(super) const OPERATION: &str = "gen_ai.operation.name";
    pub(super) const PROVIDER: &str = "gen_ai.provider.name";
    pub(super) const AGENT: &str = "gen_ai.agent.name";
    pub(super) const AGENT_DESCRIPTION: &str = "gen_ai.agent.description";
    pub(super) const REQUEST_MODEL: &str = "gen_ai.request.model";
    pub(super) const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
    pub(super) const TEMPERATURE: &str = "gen_ai.request.temperature";
    pub(super) const TOP_P: &str = "gen_ai.request.top_p";
    pub(super) const SEED: &str = "gen_ai.request.seed";
    pub(super) const RESPONSE_ID: &str = "gen_ai.response.id";
    pub(super) const RESPONSE_MODEL: &str = "gen_ai.response.model";
    pub(super) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
    pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
    pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
    pub(super) const CACHED_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
    pub(super) const REASONING_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";
    // The totals of a run have names of their own, so that nobody adds them to those of its parts.
    pub(super) const TOTAL_INPUT_TOKENS: &str = "gen_ai.aggregated_usage.input_tokens";
    pub(super) const TOTAL_OUTPUT_TOKENS: &str = "gen_ai.aggregated_usage.output_tokens";
    pub(super) const TOOL: &str = "gen_ai.tool.name";
    pub(super) const TOOL_TYPE: &str = "gen_ai.tool.type";
    pub(super) const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";
    pub(super) const CALL_ID: &str = "gen_ai.tool.call.id";
    // A name of our own. The conventions only know the id of a conversation, which outlives a run
    // and which nobody tells this crate.
    pub(super) const RUN: &str = "agent_runtime.run.id";
    pub(super) const ERROR: &str = "error.type";
    // What `tracing-opentelemetry` reads: the span's real name, since `tracing` wants a constant.
    pub(super) const SPAN_NAME: &str = "otel.name";
    pub(super) const SPAN_KIND: &str = "otel.kind";
}

/// The span of a run.
pub(crate) fn invoke_agent(agent: &Agent, provider: &str, run_id: &str) -> Span {
    info_span!(
        "invoke_agent",
        { name::SPAN_NAME } = %format_args!("invoke_agent {}", agent.name()),
        { name::SPAN_KIND } = "internal",
        { name::OPERATION } = "invoke_agent",
        { name::PROVIDER } = provider,
        { name::AGENT } = agent.name(),
        { name::AGENT_DESCRIPTION } = agent.description(),
        { name::RUN } = run_id,
        { name::REQUEST_MODEL } = agent.model().id(),
        { name::TOTAL_INPUT_TOKENS } = Empty,
        { name::TOTAL_OUTPUT_TOKENS } = Empty,
        { name::ERROR } = Empty,
    )
}

/// Writes what a run cost.
pub(crate) fn record_total(span: &Span, usage: &Usage) {
    span.record(name::TOTAL_INPUT_TOKENS, usage.input_tokens);
    span.record(name::TOTAL_OUTPUT_TOKENS, usage.output_tokens);
}

/// The span of a request.
pub(crate) fn chat(request: &ModelRequest, provider: &str) -> Span {
    let settings = &request.settings;
    info_span!(
        "chat",
        { name::SPAN_NAME } = %format_args!("chat {}", request.model.id()),
        { name::SPAN_KIND } = "client",
        { name::OPERATION } = "chat",
        { name::PROVIDER } = provider,
        { name::REQUEST_MODEL } = request.model.id(),
        { name::MAX_TOKENS } = settings.max_tokens,
        { name::TEMPERATURE } = settings.temperature.as_ref().map(|number| number.value()),
        { name::TOP_P } = settings.top_p.as_ref().map(|number| number.value()),
        { name::SEED } = settings.seed,
        { name::RESPONSE_ID } = Empty,
        { name::RESPONSE_MODEL } = Empty,
        { name::FINISH_REASONS } = Empty,
        { name::INPUT_TOKENS } = Empty,
        { name::OUTPUT_TOKENS } = Empty,
        { name::CACHED_TOKENS } = Empty,
        { name::REASONING_TOKENS } = Empty,
        { name::ERROR } = Empty,
    )
}

/// Writes what a request was answered with.
pub(crate) fn record_reply(span: &Span, reply: &ModelReply) {
    if span.is_disabled() {
        return;
    }
    if let Some(id) = &reply.id {
        span.record(name::RESPONSE_ID, id.as_str());
    }
    if let Some(model) = &reply.model {
        span.record(name::RESPONSE_MODEL, model.as_str());
    }
    let reasons = [reply.finish_reason.as_str()];
    span.record(name::FINISH_REASONS, tracing::field::debug(reasons));
    let usage = &reply.usage;
    span.record(name::INPUT_TOKENS, usage.input_tokens);
    span.record(name::OUTPUT_TOKENS, usage.output_tokens);
    if usage.cached_tokens > 0 {
        span.record(name::CACHED_TOKENS, usage.cached_tokens);
    }
    if usage.reasoning_tokens > 0 {
        span.record(name::REASONING_TOKENS, usage.reasoning_tokens);
    }
}

/// The span of a call.
pub(crate) fn execute_tool(tool: &str, description: &str, call_id: &str) -> Span {
    info_span!(
        "execute_tool",
        { name::SPAN_NAME } = %format_args!("execute_tool {tool}"),
        { name::SPAN_KIND } = "internal",
        { name::OPERATION } = "execute_tool",
        { name::TOOL } = tool,
        { name::TOOL_TYPE } = "function",
        { name::TOOL_DESCRIPTION } = description,
        { name::CALL_ID } = call_id,
        { name::ERROR } = Empty,
    )
}

/// Writes the kind of what went wrong; never its text, which may quote content.
pub(crate) fn record_error(span: &Span, kind: &'static str) {
    span.record(name::ERROR, kind);
}

/// Writes the kind of an error.
pub(crate) fn record_failure(span: &Span, error: &Error) {
    record_error(span, error.kind().word());
}
