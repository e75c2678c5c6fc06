//! Requests in Ollama's form.

use super::response::THINKING;
use crate::conversation::{Message, Role, ToolCall};
use crate::error::Error;
use crate::model::wire::{
    Object, arguments_object, finished, left_out, result_text, text, wire_name,
};
use crate::model::{ModelRequest, ToolDefinition};
use agent_spec::json::Ordered;
use agent_spec::{ReasoningEffort, Settings, ToolChoice};

/// The body of a request. Members keep their order, and so do the properties of the tools'
/// schemas, which models read from top to bottom.
///
/// # Errors
/// When `extra` says what is there already.
pub(super) fn body(request: &ModelRequest, streamed: bool) -> Result<String, Error> {
    let mut body = Object::default();
    body.text("model", request.model.id());
    body.list("messages", messages(request));
    let settings = &request.settings;
    // There is no choice of tools: a model that shall not call any is not told of them.
    let choice = settings.tool_choice.as_ref();
    if !request.tools.is_empty() && choice != Some(&ToolChoice::None) {
        body.list("tools", request.tools.iter().map(tool));
        let is_forced = choice.is_some_and(ToolChoice::is_forced);
        left_out("Ollama", [("toolChoice", is_forced)]);
    }
    if let Some(effort) = settings.reasoning_effort {
        body.text("think", think(effort));
    }
    let options = options(settings);
    if !options.is_empty() {
        body.add("options", options.into_value());
    }
    // Ollama streams unless it is told not to.
    body.add("stream", Ordered::Bool(streamed));
    finished(body, settings)
}

/// The server knows no effort below `low`.
fn think(effort: ReasoningEffort) -> &'static str {
    match effort {
        ReasoningEffort::Minimal => ReasoningEffort::Low.as_str(),
        effort => effort.as_str(),
    }
}

fn messages(request: &ModelRequest) -> Vec<Ordered> {
    let mut messages = vec![said("system", &request.instruction).into_value()];
    messages.extend(request.messages.iter().map(|message| match message.role() {
        Role::Function => result(message),
        Role::Assistant => assistant(message),
        Role::User => said("user", message.content()).into_value(),
    }));
    messages
}

fn said(role: &str, content: &str) -> Object {
    Object::default()
        .with_text("role", role)
        .with_text("content", content)
}

/// What the model thought goes back with what it said: templates of models that think put it before
/// their calls, and leave it out where it is of no use any more.
fn assistant(message: &Message) -> Ordered {
    let mut json = said("assistant", message.content());
    let thinking = message
        .provider_data()
        .and_then(|data| text(data, THINKING));
    if let Some(thinking) = thinking {
        json.text("thinking", thinking);
    }
    let calls = message.tool_calls();
    if !calls.is_empty() {
        json.list("tool_calls", calls.iter().map(call));
    }
    json.into_value()
}

/// A call has no id here: results belong to calls by the tool's name and their order.
fn call(call: &ToolCall) -> Ordered {
    let function = Object::default()
        .with_text("name", wire_name(call.tool()))
        .with("arguments", arguments_object(call));
    Object::default()
        .with("function", function.into_value())
        .into_value()
}

fn result(message: &Message) -> Ordered {
    Object::default()
        .with_text("role", "tool")
        .with_text("tool_name", wire_name(message.name().unwrap_or_default()))
        .with_text("content", result_text(message))
        .into_value()
}

fn tool(tool: &ToolDefinition) -> Ordered {
    let function = Object::default()
        .with_text("name", tool.name())
        .with_text("description", tool.description())
        .with("parameters", tool.schema().clone().into_ordered());
    Object::default()
        .with_text("type", "function")
        .with("function", function.into_value())
        .into_value()
}

fn options(settings: &Settings) -> Object {
    let mut options = Object::default();
    if let Some(temperature) = &settings.temperature {
        options.add("temperature", Ordered::Number(temperature.value()));
    }
    if let Some(top_p) = &settings.top_p {
        options.add("top_p", Ordered::Number(top_p.value()));
    }
    if let Some(seed) = settings.seed {
        options.add("seed", Ordered::Integer(seed.into()));
    }
    if let Some(most) = settings.max_tokens {
        options.add("num_predict", Ordered::Integer(most.into()));
    }
    if !settings.stop.is_empty() {
        options.list("stop", settings.stop.iter().cloned().map(Ordered::Text));
    }
    options
}
