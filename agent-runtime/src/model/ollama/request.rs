//! Requests to Ollama.

use super::response::PROVIDER;
use crate::model::warnings::Warnings;
use crate::model::wire::{
    LaterMedia, Object, PARAGRAPH, answer_text, arguments_object, base64_mark, finish_body,
    is_blank, media_label, named_document_text, result_text, thoughts, wire_name,
};
use agent_core::conversation::{Message, Part, Role, ToolCall};
use agent_core::model::{ModelRequest, ToolDefinition};
use agent_spec::__private::RequestForm;
use agent_spec::json::Ordered;
use agent_spec::vocabulary::Setting;
use agent_spec::{ReasoningEffort, ToolChoice};
use agent_tool::Error;
use std::borrow::Cow;

/// Writes the body of a request. Members keep their order, and so do the properties of the tools' schemas,
/// because models read them from top to bottom.
///
/// # Errors
/// Configuration when `extra` has a member that the body has already.
pub(super) fn body(
    request: &ModelRequest,
    streamed: bool,
    warnings: &mut Warnings,
) -> Result<String, Error> {
    let mut body = Object::default();
    body.text("model", request.model.id());
    body.list("messages", messages(request));
    let settings = &request.settings;
    // Ollama has no tool choice. With `none` it gets no tools.
    let choice = settings.tool_choice.as_ref();
    if !request.tools.is_empty() && choice != Some(&ToolChoice::None) {
        body.list("tools", request.tools.iter().map(tool));
        if choice.is_some_and(ToolChoice::is_forced) {
            warnings.unsupported(Setting::ToolChoice, "Ollama");
        }
    }
    if let Some(schema) = &request.answer_schema {
        body.add("format", schema.to_ordered());
    }
    match settings.reasoning_effort {
        Some(ReasoningEffort::None) => body.add("think", Ordered::Bool(false)),
        Some(effort) => body.text("think", think(effort)),
        None => {
            if let Some(thinks) = settings.thinking {
                body.add("think", Ordered::Bool(thinks));
            }
        }
    }
    let mut options = Object::default();
    options.settings(settings, member);
    if !options.is_empty() {
        body.add("options", options.into_value());
    }
    // Ollama streams by default.
    body.add("stream", Ordered::Bool(streamed));
    finish_body(body, request, member)
}

fn member(setting: Setting) -> Option<&'static str> {
    RequestForm::Ollama.member(setting)
}

/// Returns an effort that Ollama accepts: at least `low`, and `high` in place of `xhigh`.
fn think(effort: ReasoningEffort) -> &'static str {
    match effort {
        ReasoningEffort::XHigh => ReasoningEffort::High.as_str(),
        effort => effort.max(ReasoningEffort::Low).as_str(),
    }
}

fn messages(request: &ModelRequest) -> Vec<Ordered> {
    let mut messages = vec![plain_message("system", &request.instruction).into_value()];
    let mut later = LaterMedia::default();
    for message in &request.messages {
        messages.extend(later_message(&later.take_before(Some(message))));
        messages.extend(match message.role() {
            Role::Function => Some(result(message)),
            Role::Assistant => assistant(message),
            Role::User => Some(user(&content_text(message), images(message))),
        });
        if message.role() != Role::User {
            later.add(message);
        }
    }
    messages.extend(later_message(&later.take_before(None)));
    messages
}

fn user(text: &str, images: Vec<Ordered>) -> Ordered {
    let mut message = plain_message("user", text);
    if !images.is_empty() {
        message.list("images", images);
    }
    message.into_value()
}

/// Writes the media of answers and results as a message of the user.
fn later_message(from: &[&Message]) -> Option<Ordered> {
    let texts = from.iter().map(|message| {
        let documents = message.parts().iter().filter_map(|part| match part {
            Part::Document(document) => named_document_text(document),
            _ => None,
        });
        let documents: Vec<_> = documents.collect();
        match documents.is_empty() {
            true => media_label(message),
            false => format!("{}\n{}", media_label(message), documents.join(PARAGRAPH)),
        }
    });
    let texts: Vec<String> = texts.collect();
    let images = from.iter().flat_map(|message| images(message));
    (!from.is_empty()).then(|| user(&texts.join("\n"), images.collect()))
}

/// Writes the images of a message in base64, without their media types.
fn images(message: &Message) -> Vec<Ordered> {
    let images = message.parts().iter().filter_map(|part| match part {
        Part::Image(image) => base64_mark(image).map(Ordered::text),
        _ => None,
    });
    images.collect()
}

/// Returns the text of a message with its documents of text, which this format has no other place for.
fn content_text(message: &Message) -> String {
    let texts = message.parts().iter().filter_map(|part| match part {
        Part::Text(text) => Some(Cow::Borrowed(text.as_str())),
        Part::Document(document) => named_document_text(document).map(Cow::Owned),
        _ => None,
    });
    let texts: Vec<_> = texts.collect();
    match texts.as_slice() {
        [text] => text.to_string(),
        texts => {
            let texts = texts.iter().filter(|text| !is_blank(text));
            texts
                .map(AsRef::as_ref)
                .collect::<Vec<&str>>()
                .join(PARAGRAPH)
        }
    }
}

fn plain_message(role: &str, content: &str) -> Object {
    Object::default()
        .with_text("role", role)
        .with_text("content", content)
}

/// Writes an answer of the model with its thoughts: the templates of thinking models put them before the
/// calls, and drop them where they are not needed any more. `None` for an answer without text, thoughts and
/// calls.
fn assistant(message: &Message) -> Option<Ordered> {
    let content = answer_text(message);
    let mut json = plain_message("assistant", &content);
    let thoughts: String = thoughts(message, PROVIDER).collect();
    let calls = message.tool_calls();
    if is_blank(&content) && thoughts.is_empty() && calls.is_empty() {
        return None;
    }
    if !thoughts.is_empty() {
        json.text("thinking", thoughts);
    }
    if !calls.is_empty() {
        json.list("tool_calls", calls.iter().map(call));
    }
    Some(json.into_value())
}

/// Writes a call. It has no id, because Ollama matches results by the tool's name and their order.
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
        .with("parameters", tool.schema().to_ordered());
    Object::default()
        .with_text("type", "function")
        .with("function", function.into_value())
        .into_value()
}
