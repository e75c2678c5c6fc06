//! The spans of runs, requests and calls, and what is recorded in them.

use super::span_content as content;
use crate::error::Error;
use crate::model::{ModelReply, ModelRequest};
use crate::redact::Redactor;
use crate::response::ToolInvocation;
use crate::run::{PendingCall, Run};
use crate::tool::ToolError;
use crate::trace::{Operation, name};
use serde_json::Value;
use tracing::field::{Empty, display};
use tracing::info_span;

/// The span of a run.
pub(crate) fn invoke_agent<'a>(
    run: &Run,
    provider: &str,
    conversation: Option<&str>,
) -> Operation<'a> {
    let agent = run.agent();
    Operation::new(info_span!(
        "invoke_agent",
        { name::SPAN_NAME } = %format_args!("invoke_agent {}", agent.name()),
        { name::SPAN_KIND } = "internal",
        { name::SPAN_STATUS } = Empty,
        { name::OPERATION } = "invoke_agent",
        { name::PROVIDER } = provider,
        { name::AGENT } = agent.name(),
        { name::AGENT_DESCRIPTION } = agent.description(),
        { name::CONVERSATION } = conversation,
        { name::RUN } = run.id(),
        { name::REQUEST_MODEL } = agent.model().id(),
        { name::OUTPUT_TYPE } = Empty,
        { name::TOTAL_INPUT_TOKENS } = Empty,
        { name::TOTAL_OUTPUT_TOKENS } = Empty,
        { name::RUN_REQUESTS } = Empty,
        { name::RUN_CALLS } = Empty,
        { name::RUN_FAILED_CALLS } = Empty,
        { name::ERROR } = Empty,
        { name::DURATION } = Empty,
    ))
}

/// Writes that an answer is asked for as a value of a type, unless words are all that is wanted.
pub(crate) fn record_output_type(operation: &Operation<'_>, run: &Run) {
    if run.is_typed() {
        operation.span().record(name::OUTPUT_TYPE, "json");
    }
}

/// Writes what a run came to.
pub(crate) fn record_run(operation: &mut Operation<'_>, run: &Run, error: Option<&Error>) {
    if operation.is_traced() {
        let (span, usage) = (operation.span(), run.usage());
        span.record(name::TOTAL_INPUT_TOKENS, number(usage.input_tokens));
        span.record(name::TOTAL_OUTPUT_TOKENS, number(usage.output_tokens));
        span.record(name::RUN_REQUESTS, number(usage.requests));
        let calls = run.invocations();
        let failed = calls.iter().filter(|call| call.result.is_err()).count();
        span.record(name::RUN_CALLS, number(calls.len() as u64));
        span.record(name::RUN_FAILED_CALLS, number(failed as u64));
    }
    match error {
        Some(error) => operation.failed(error.kind().word()),
        None => operation.succeeded(),
    }
}

/// The span of a request. With a redactor, the request's content is recorded, too.
pub(crate) fn chat<'a>(
    request: &'a ModelRequest,
    provider: &str,
    streamed: bool,
    conversation: Option<&str>,
    redactor: Option<&'a Redactor>,
) -> Operation<'a> {
    let settings = &request.settings;
    let stop = (!settings.stop.is_empty()).then(|| {
        let texts = settings.stop.iter().map(|text| Value::from(text.as_str()));
        texts.collect::<Value>().to_string()
    });
    let mut operation = Operation::new(info_span!(
        "chat",
        { name::SPAN_NAME } = %format_args!("chat {}", request.model.id()),
        { name::SPAN_KIND } = "client",
        { name::SPAN_STATUS } = Empty,
        { name::OPERATION } = "chat",
        { name::PROVIDER } = provider,
        { name::CONVERSATION } = conversation,
        { name::REQUEST_MODEL } = request.model.id(),
        { name::MAX_TOKENS } = settings.max_tokens.map(i64::from),
        { name::TEMPERATURE } = settings.temperature.as_ref().map(|number| number.value()),
        { name::TOP_P } = settings.top_p.as_ref().map(|number| number.value()),
        { name::SEED } = settings.seed,
        { name::STOP_SEQUENCES } = stop.map(display),
        { name::OUTPUT_TYPE } = Empty,
        { name::STREAM } = streamed,
        { name::SERVER_ADDRESS } = Empty,
        { name::SERVER_PORT } = Empty,
        { name::RESENT } = Empty,
        { name::RESPONSE_ID } = Empty,
        { name::RESPONSE_MODEL } = Empty,
        { name::FINISH_REASONS } = Empty,
        { name::FIRST_CHUNK } = Empty,
        { name::INPUT_TOKENS } = Empty,
        { name::OUTPUT_TOKENS } = Empty,
        { name::CACHED_TOKENS } = Empty,
        { name::REASONING_TOKENS } = Empty,
        { name::INSTRUCTIONS } = Empty,
        { name::TOOL_DEFINITIONS } = Empty,
        { name::INPUT_MESSAGES } = Empty,
        { name::OUTPUT_MESSAGES } = Empty,
        { name::ERROR } = Empty,
        { name::DURATION } = Empty,
    ));
    if let Some(redactor) = redactor {
        // At the end, because the key is added to the redactor when the request is sent.
        operation.at_the_end(move |span| {
            span.record(name::INSTRUCTIONS, content::instructions(request, redactor));
            span.record(name::INPUT_MESSAGES, content::input(request, redactor));
            if let Some(tools) = content::tools(request, redactor) {
                span.record(name::TOOL_DEFINITIONS, tools);
            }
        });
    }
    operation
}

/// Records the reply to a request; its content only with a redactor.
pub(crate) fn record_reply(
    operation: &mut Operation<'_>,
    reply: &ModelReply,
    redactor: Option<&Redactor>,
) {
    operation.succeeded();
    if !operation.is_traced() {
        return;
    }
    let span = operation.span();
    if let Some(id) = &reply.id {
        span.record(name::RESPONSE_ID, id.as_str());
    }
    if let Some(model) = &reply.model {
        span.record(name::RESPONSE_MODEL, model.as_str());
    }
    let reasons = Value::from_iter([reply.finish_reason.as_str()]).to_string();
    span.record(name::FINISH_REASONS, display(reasons));
    let usage = &reply.counted();
    // A zero that nobody said would be taken for a number of tokens.
    if usage.is_counted() || usage.input_tokens > 0 {
        span.record(name::INPUT_TOKENS, number(usage.input_tokens));
    }
    if usage.is_counted() || usage.output_tokens > 0 {
        span.record(name::OUTPUT_TOKENS, number(usage.output_tokens));
    }
    if usage.cached_tokens > 0 {
        span.record(name::CACHED_TOKENS, number(usage.cached_tokens));
    }
    if usage.reasoning_tokens > 0 {
        span.record(name::REASONING_TOKENS, number(usage.reasoning_tokens));
    }
    if let Some(redactor) = redactor {
        span.record(name::OUTPUT_MESSAGES, content::output(reply, redactor));
    }
}

/// The span of a call; its arguments are recorded only with a redactor.
pub(crate) fn execute_tool<'a>(
    call: &PendingCall,
    description: &str,
    attempt: u32,
    redactor: Option<&Redactor>,
) -> Operation<'a> {
    let tool = call.tool.as_str();
    let operation = Operation::new(info_span!(
        "execute_tool",
        { name::SPAN_NAME } = %format_args!("execute_tool {tool}"),
        { name::SPAN_KIND } = "internal",
        { name::SPAN_STATUS } = Empty,
        { name::OPERATION } = "execute_tool",
        { name::TOOL } = tool,
        { name::TOOL_TYPE } = "function",
        { name::TOOL_DESCRIPTION } = description,
        { name::CALL_ID } = call.id,
        { name::ATTEMPT } = i64::from(attempt),
        { name::ARGUMENTS } = Empty,
        { name::RESULT } = Empty,
        { name::ERROR } = Empty,
        { name::DURATION } = Empty,
    ));
    if let Some(redactor) = redactor.filter(|_| operation.is_traced()) {
        let arguments = content::text(&call.arguments, redactor);
        operation.span().record(name::ARGUMENTS, arguments);
    }
    operation
}

/// Records the result of a call; its content only with a redactor.
pub(crate) fn record_call(
    operation: &mut Operation<'_>,
    result: &Result<Value, ToolError>,
    redactor: Option<&Redactor>,
) {
    if let Some(redactor) = redactor.filter(|_| operation.is_traced()) {
        let said = match result {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        };
        let said = content::text(&said, redactor);
        operation.span().record(name::RESULT, said);
    }
    match result {
        Ok(_) => operation.succeeded(),
        Err(error) => operation.failed(error.word()),
    }
}

/// Tells of a call that has its result. It may never have been made, and so have no span: one of a
/// tool that does not exist, with bad arguments, or denied.
pub(crate) fn tool_answered(call: &ToolInvocation) {
    tracing::debug!(
        { name::TOOL } = call.tool,
        { name::CALL_ID } = call.call_id,
        { name::ATTEMPT } = i64::from(call.attempt),
        { name::ERROR } = call.result.as_ref().err().map(ToolError::word),
        "a call was answered"
    );
}

/// A number as the conventions have it; `tracing-opentelemetry` makes text of unsigned ones.
fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
