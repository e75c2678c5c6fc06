//! The spans of runs, requests and calls, and what is recorded in them.

use crate::conversation::{Media, Message, Part, Role, ToolCall};
use crate::model::{ModelReply, ModelRequest};
use crate::response::ToolInvocation;
use crate::run::{AgentRun, PendingCall, Place};
use crate::trace::{Operation, attribute, label};
use agent_spec::json::{MAX_ARGUMENT_VALUES, has_more_values_than, parse_json};
use agent_tool::__private::shortened;
use agent_tool::Error;
use agent_tool::redact::Redactor;
use agent_tool::tool::ToolError;
use agent_tool::trace::TARGET;
use serde_json::{Map, Value, json};
use tracing::field::{Empty, display};
use tracing::info_span;

/// The span of a run.
pub(crate) fn invoke_agent<'a>(
    run: &AgentRun,
    place: &Place,
    provider: &str,
    conversation: Option<&str>,
) -> Operation<'a> {
    let agent = run.agent();
    Operation::new(info_span!(
        target: TARGET,
        "invoke_agent",
        { attribute::SPAN_NAME } = %format_args!("invoke_agent {}", label(agent.name())),
        { attribute::SPAN_KIND } = "internal",
        { attribute::SPAN_STATUS } = Empty,
        { attribute::OPERATION } = "invoke_agent",
        { attribute::PROVIDER } = provider,
        { attribute::AGENT } = &*label(agent.name()),
        { attribute::AGENT_DESCRIPTION } = agent.description().map(label).as_deref(),
        { attribute::CONVERSATION } = conversation.map(label).as_deref(),
        { attribute::RUN } = run.id(),
        { attribute::RUN_PATH } = &*label(&place.path),
        { attribute::REQUEST_MODEL } = &*label(agent.model().id()),
        { attribute::OUTPUT_TYPE } = Empty,
        { attribute::TOTAL_INPUT_TOKENS } = Empty,
        { attribute::TOTAL_OUTPUT_TOKENS } = Empty,
        { attribute::RUN_REQUESTS } = Empty,
        { attribute::RUN_CALLS } = Empty,
        { attribute::RUN_FAILED_CALLS } = Empty,
        { attribute::RUN_TAINT } = Empty,
        { attribute::ERROR } = Empty,
        { attribute::DURATION } = Empty,
    ))
}

/// Records that the answer must be a value of a type, unless it is text.
pub(crate) fn record_output_type(operation: &Operation<'_>, is_typed: bool) {
    if is_typed {
        operation.span().record(attribute::OUTPUT_TYPE, "json");
    }
}

/// Records the outcome of a run.
pub(crate) fn record_run(operation: &mut Operation<'_>, run: &AgentRun, error: Option<&Error>) {
    if operation.is_traced() {
        let (span, usage) = (operation.span(), run.usage());
        span.record(attribute::TOTAL_INPUT_TOKENS, number(usage.input_tokens));
        span.record(attribute::TOTAL_OUTPUT_TOKENS, number(usage.output_tokens));
        span.record(attribute::RUN_REQUESTS, number(usage.requests));
        let calls = run.invocations();
        let failed = calls.iter().filter(|call| call.result.is_err()).count();
        span.record(attribute::RUN_CALLS, number(calls.len() as u64));
        span.record(attribute::RUN_FAILED_CALLS, number(failed as u64));
        if !run.taint().is_clean() {
            span.record(attribute::RUN_TAINT, run.taint().as_str());
        }
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
        let texts = settings.stop.iter();
        let texts = texts.map(|text| Value::from(&*label(text.as_str())));
        texts.collect::<Value>().to_string()
    });
    let mut operation = Operation::new(info_span!(
        target: TARGET,
        "chat",
        { attribute::SPAN_NAME } = %format_args!("chat {}", label(request.model.id())),
        { attribute::SPAN_KIND } = "client",
        { attribute::SPAN_STATUS } = Empty,
        { attribute::OPERATION } = "chat",
        { attribute::PROVIDER } = provider,
        { attribute::CONVERSATION } = conversation.map(label).as_deref(),
        { attribute::REQUEST_MODEL } = &*label(request.model.id()),
        { attribute::MAX_TOKENS } = settings.max_tokens.map(i64::from),
        { attribute::TEMPERATURE } = settings.temperature.as_ref().map(|number| number.value()),
        { attribute::TOP_P } = settings.top_p.as_ref().map(|number| number.value()),
        { attribute::SEED } = settings.seed,
        { attribute::STOP_SEQUENCES } = stop.map(display),
        { attribute::OUTPUT_TYPE } = Empty,
        { attribute::STREAM } = streamed,
        { attribute::SERVER_ADDRESS } = Empty,
        { attribute::SERVER_PORT } = Empty,
        { attribute::RESENT } = Empty,
        { attribute::RESPONSE_ID } = Empty,
        { attribute::RESPONSE_MODEL } = Empty,
        { attribute::FINISH_REASONS } = Empty,
        { attribute::REMOVED_REASONING } = Empty,
        { attribute::FIRST_CHUNK } = Empty,
        { attribute::INPUT_TOKENS } = Empty,
        { attribute::OUTPUT_TOKENS } = Empty,
        { attribute::CACHED_TOKENS } = Empty,
        { attribute::CACHE_WRITTEN_TOKENS } = Empty,
        { attribute::REASONING_TOKENS } = Empty,
        { attribute::INSTRUCTIONS } = Empty,
        { attribute::TOOL_DEFINITIONS } = Empty,
        { attribute::INPUT_MESSAGES } = Empty,
        { attribute::OUTPUT_MESSAGES } = Empty,
        { attribute::ERROR } = Empty,
        { attribute::DURATION } = Empty,
    ));
    if let Some(redactor) = redactor {
        // At the end, because the key is added to the redactor when the request is sent.
        operation.at_the_end(move |span| {
            span.record(
                attribute::INSTRUCTIONS,
                traced_instructions(request, redactor),
            );
            span.record(attribute::INPUT_MESSAGES, traced_input(request, redactor));
            if let Some(tools) = traced_tools(request, redactor) {
                span.record(attribute::TOOL_DEFINITIONS, tools);
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
        span.record(attribute::RESPONSE_ID, &*label(id));
    }
    if let Some(model) = &reply.model {
        span.record(attribute::RESPONSE_MODEL, &*label(model));
    }
    let reasons = Value::from_iter([&*label(reply.finish_reason.as_str())]).to_string();
    span.record(attribute::FINISH_REASONS, display(reasons));
    let usage = &reply.counted();
    // A count that the provider did not report is not recorded, because a zero would be taken for a count.
    if usage.is_counted() || usage.input_tokens > 0 {
        span.record(attribute::INPUT_TOKENS, number(usage.input_tokens));
    }
    if usage.is_counted() || usage.output_tokens > 0 {
        span.record(attribute::OUTPUT_TOKENS, number(usage.output_tokens));
    }
    if usage.cached_tokens > 0 {
        span.record(attribute::CACHED_TOKENS, number(usage.cached_tokens));
    }
    if usage.cache_written_tokens > 0 {
        let written = number(usage.cache_written_tokens);
        span.record(attribute::CACHE_WRITTEN_TOKENS, written);
    }
    if usage.reasoning_tokens > 0 {
        span.record(attribute::REASONING_TOKENS, number(usage.reasoning_tokens));
    }
    if let Some(redactor) = redactor {
        span.record(attribute::OUTPUT_MESSAGES, traced_output(reply, redactor));
    }
}

/// The span of a call; its arguments are recorded only with a redactor.
pub(crate) fn execute_tool<'a>(
    call: &PendingCall,
    description: &str,
    attempt: u32,
    redactor: Option<&Redactor>,
) -> Operation<'a> {
    let tool = &*label(&call.tool);
    let operation = Operation::new(info_span!(
        target: TARGET,
        "execute_tool",
        { attribute::SPAN_NAME } = %format_args!("execute_tool {tool}"),
        { attribute::SPAN_KIND } = "internal",
        { attribute::SPAN_STATUS } = Empty,
        { attribute::OPERATION } = "execute_tool",
        { attribute::TOOL } = tool,
        { attribute::TOOL_TYPE } = "function",
        { attribute::TOOL_DESCRIPTION } = &*label(description),
        { attribute::CALL_ID } = &*label(&call.id),
        { attribute::TOOL_PATH } = &*label(&call.path),
        { attribute::ATTEMPT } = i64::from(attempt),
        { attribute::ARGUMENTS } = Empty,
        { attribute::RESULT } = Empty,
        { attribute::ERROR } = Empty,
        { attribute::DURATION } = Empty,
    ));
    if let Some(redactor) = redactor.filter(|_| operation.is_traced()) {
        let arguments = traced_text(&call.arguments, redactor);
        operation.span().record(attribute::ARGUMENTS, arguments);
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
        let text = match result {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        };
        let text = traced_text(&text, redactor);
        operation.span().record(attribute::RESULT, text);
    }
    match result {
        Ok(_) => operation.succeeded(),
        Err(error) => operation.failed(error.word()),
    }
}

/// Emits an event for a call that has its result. A call that was never made has no span: a call of an
/// unknown tool, with invalid arguments, or denied by a person.
pub(crate) fn call_answered(call: &ToolInvocation) {
    tracing::event!(
        target: TARGET,
        tracing::Level::DEBUG,
        { attribute::TOOL } = &*label(&call.tool),
        { attribute::CALL_ID } = &*label(&call.call_id),
        { attribute::ATTEMPT } = i64::from(call.attempt),
        { attribute::ERROR } = call.result.as_ref().err().map(ToolError::word),
        "a call was answered"
    );
}

/// Converts a number to a signed one, because `tracing-opentelemetry` records unsigned numbers as text.
fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

// Content, in the form of the conventions.

/// The maximum length of a text in a trace, in bytes, because a model or a tool can write megabytes, and collectors
/// refuse spans of such a size.
const MAX_TEXT: usize = 65_536;

/// Prepares a text for a trace. It is redacted before it is cut, because a part of a key is not recognised.
fn traced_text(text: &str, redactor: &Redactor) -> String {
    shortened(&redactor.text(text), MAX_TEXT)
}

fn traced_instructions(request: &ModelRequest, redactor: &Redactor) -> String {
    json!([text_json(&request.instruction, redactor)]).to_string()
}

/// The tools that the model may call, if there are any.
fn traced_tools(request: &ModelRequest, redactor: &Redactor) -> Option<String> {
    let tools = request.tools.iter().map(|tool| {
        json!({
            "type": "function",
            "name": tool.name(),
            "description": traced_text(tool.description(), redactor),
            "parameters": object(&tool.schema().to_value().to_string(), redactor),
        })
    });
    let tools: Vec<Value> = tools.collect();
    (!tools.is_empty()).then(|| Value::from(tools).to_string())
}

fn traced_input(request: &ModelRequest, redactor: &Redactor) -> String {
    let messages = request.messages.iter();
    let messages: Value = messages
        .map(|message| message_json(message, redactor))
        .collect();
    messages.to_string()
}

fn traced_output(reply: &ModelReply, redactor: &Redactor) -> String {
    let mut parts = Vec::new();
    parts.extend(
        reply
            .parts
            .iter()
            .filter_map(|part| part_json(part, redactor)),
    );
    parts.extend(
        reply
            .tool_calls
            .iter()
            .map(|call| call_part(call, redactor)),
    );
    let reason = reply.finish_reason.as_str();
    json!([{"role": "assistant", "parts": parts, "finish_reason": reason}]).to_string()
}

fn message_json(message: &Message, redactor: &Redactor) -> Value {
    let role = match message.role() {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Function => "tool",
    };
    let mut parts = Vec::new();
    if message.role() == Role::Function {
        parts.push(json!({
            "type": "tool_call_response",
            "id": message.call_id(),
            "response": traced_text(message.content(), redactor),
        }));
        let media = message.parts().iter().filter(|part| part.media().is_some());
        parts.extend(media.filter_map(|part| part_json(part, redactor)));
    } else {
        let said = message.parts().iter();
        parts.extend(said.filter_map(|part| part_json(part, redactor)));
    }
    let calls = message.tool_calls().iter();
    parts.extend(calls.map(|call| call_part(call, redactor)));
    json!({"role": role, "parts": parts})
}

/// Writes a part in the form of the semantic conventions. Bytes are left out, and so is the data of providers.
fn part_json(part: &Part, redactor: &Redactor) -> Option<Value> {
    Some(match part {
        Part::Text(text) => text_json(text, redactor),
        Part::Thinking(thinking) => {
            json!({"type": "reasoning", "content": traced_text(thinking.text(), redactor)})
        }
        part => media_json(part.kind(), part.media()?, redactor),
    })
}

fn text_json(text: &str, redactor: &Redactor) -> Value {
    json!({"type": "text", "content": traced_text(text, redactor)})
}

fn media_json(modality: &str, media: &Media, redactor: &Redactor) -> Value {
    let mut json = json!({"modality": modality});
    if let Some(media_type) = media.media_type() {
        json["mime_type"] = media_type.into();
    }
    if let Some(url) = media.url() {
        json["type"] = "uri".into();
        json["uri"] = traced_text(url, redactor).into();
    } else if let Some((_, id)) = media.file_id() {
        json["type"] = "file".into();
        json["file_id"] = traced_text(id, redactor).into();
    } else {
        json["type"] = "blob".into();
        json["sha256"] = media.sha256().map(|sha256| sha256.to_string()).into();
    }
    json
}

fn call_part(call: &ToolCall, redactor: &Redactor) -> Value {
    let mut part = Map::new();
    part.insert("type".into(), "tool_call".into());
    part.insert("id".into(), call.id().into());
    part.insert("name".into(), call.tool().into());
    part.insert("arguments".into(), object(call.args_text(), redactor));
    Value::Object(part)
}

/// Parses the text of an object. Other text, and an object that was cut or is too large, stays text.
fn object(json: &str, redactor: &Redactor) -> Value {
    let json = traced_text(json, redactor);
    if has_more_values_than(json.as_bytes(), MAX_ARGUMENT_VALUES) {
        return Value::String(json);
    }
    match parse_json(&json) {
        Ok(read) if read.is_object() => read,
        _ => Value::String(json),
    }
}
