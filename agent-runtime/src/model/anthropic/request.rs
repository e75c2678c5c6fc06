//! Requests in Anthropic's form.

use super::response;
use crate::conversation::{Message, Role, ToolCall};
use crate::error::Error;
use crate::model::wire::{
    BEGINNING, Object, WireIds, arguments_object, finished, left_out, ordered, wire_name,
};
use crate::model::{ModelRequest, ToolDefinition};
use agent_spec::json::Ordered;
use agent_spec::{ReasoningEffort, Settings, ToolChoice};

/// The most tokens of an answer when the agent does not say. Anthropic wants a number; this one is
/// within the limits of all its models, and leaves those that think some room for that.
const MAX_TOKENS: u32 = 8192;

const USER: &str = "user";
const ASSISTANT: &str = "assistant";

/// The body of a request. Members keep their order, and so do the properties of the tools'
/// schemas, which models read from top to bottom.
///
/// # Errors
/// When `extra` says what is there already.
pub(super) fn body(request: &ModelRequest, streamed: bool) -> Result<String, Error> {
    let settings = &request.settings;
    let mut body = Object::default();
    body.text("model", request.model.id());
    let most = settings.max_tokens.unwrap_or(MAX_TOKENS);
    body.add("max_tokens", Ordered::Integer(most.into()));
    if !is_blank(&request.instruction) {
        body.text("system", &request.instruction);
    }
    body.list("messages", turns(&request.messages));
    if !request.tools.is_empty() {
        body.list("tools", request.tools.iter().map(tool));
        if let Some(choice) = &settings.tool_choice {
            body.add("tool_choice", tool_choice(choice));
        }
    }
    add_settings(&mut body, settings);
    if streamed {
        body.add("stream", Ordered::Bool(true));
    }
    finished(body, settings)
}

/// What was said, in turns: the roles alternate, and the user begins. Results of calls are the
/// user's, and stand at the start of a turn, since they follow the calls.
fn turns(messages: &[Message]) -> Vec<Ordered> {
    let ids = WireIds::of(messages);
    let mut turns: Vec<(&str, Vec<Ordered>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message.role() {
            Role::User => (USER, text(message.content()).into_iter().collect()),
            Role::Function => (USER, vec![result(message, &ids)]),
            Role::Assistant => (ASSISTANT, said(message, &ids)),
        };
        if blocks.is_empty() {
            continue;
        }
        if turns.is_empty() && role == ASSISTANT {
            turns.push((USER, text(BEGINNING).into_iter().collect()));
        }
        match turns.last_mut() {
            Some((last, held)) if *last == role => held.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    let turns = turns.into_iter().map(|(role, blocks)| {
        let turn = Object::default().with_text("role", role);
        turn.with("content", Ordered::Array(blocks)).into_value()
    });
    turns.collect()
}

/// What the model said: as it came if that was kept, else the text and then the calls.
fn said(message: &Message, ids: &WireIds<'_>) -> Vec<Ordered> {
    let mut calls = message.tool_calls().iter().map(|call| tool_use(call, ids));
    let Some(kept) = response::of(message) else {
        return text(message.content()).into_iter().chain(calls).collect();
    };
    let blocks = kept.iter().filter_map(|block| match response::kind(block) {
        "text" => text(response::member(block, "text")),
        "tool_use" => calls.next(),
        _ => Some(ordered(block)),
    });
    blocks.collect()
}

/// A block of text; none when it is blank, since Anthropic refuses such blocks.
fn text(text: &str) -> Option<Ordered> {
    let block = || Object::default().with_text("type", "text");
    (!is_blank(text)).then(|| block().with_text("text", text).into_value())
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn tool_use(call: &ToolCall, ids: &WireIds<'_>) -> Ordered {
    Object::default()
        .with_text("type", "tool_use")
        .with_text("id", ids.wire(call.id()))
        .with_text("name", wire_name(call.tool()))
        .with("input", arguments_object(call))
        .into_value()
}

fn result(message: &Message, ids: &WireIds<'_>) -> Ordered {
    let id = message.call_id().unwrap_or_default();
    let mut block = Object::default()
        .with_text("type", "tool_result")
        .with_text("tool_use_id", ids.wire(id));
    let content = message.content();
    if !is_blank(content) {
        block.text("content", content);
    } else if message.is_error() {
        // A failure must say something.
        block.text("content", "Error");
    }
    if message.is_error() {
        block.add("is_error", Ordered::Bool(true));
    }
    block.into_value()
}

fn tool(tool: &ToolDefinition) -> Ordered {
    Object::default()
        .with_text("name", tool.name())
        .with_text("description", tool.description())
        .with("input_schema", tool.schema().clone().into_ordered())
        .into_value()
}

fn tool_choice(choice: &ToolChoice) -> Ordered {
    let word = match choice {
        ToolChoice::Required => "any",
        ToolChoice::Tool(_) => "tool",
        ToolChoice::None => "none",
        _ => "auto",
    };
    let mut json = Object::default().with_text("type", word);
    if let ToolChoice::Tool(name) = choice {
        json.text("name", name.as_str());
    }
    json.into_value()
}

/// An effort by Anthropic's published types, which know none below `low`. How many tokens a model may
/// think, which is a setting of its own there, is left to the model.
fn effort(effort: ReasoningEffort) -> &'static str {
    match effort {
        ReasoningEffort::Minimal => ReasoningEffort::Low.as_str(),
        effort => effort.as_str(),
    }
}

/// What Anthropic takes of the settings: by its published types neither a temperature nor `topP` nor a
/// seed, and its newer models refuse them.
fn add_settings(body: &mut Object, settings: &Settings) {
    let Settings {
        temperature,
        top_p,
        seed,
        ..
    } = settings;
    left_out(
        "Anthropic",
        [
            ("temperature", temperature.is_some()),
            ("topP", top_p.is_some()),
            ("seed", seed.is_some()),
        ],
    );
    if !settings.stop.is_empty() {
        body.list(
            "stop_sequences",
            settings.stop.iter().cloned().map(Ordered::Text),
        );
    }
    if let Some(said) = settings.reasoning_effort {
        let config = Object::default().with_text("effort", effort(said));
        body.add("output_config", config.into_value());
    }
}
