//! Requests to Google.

use super::{response, schema};
use crate::model::warnings::Warnings;
use crate::model::wire::{
    Object, USER, add_turn, arguments_object, base64_mark, finish_body, is_blank, labelled_media,
    member_mut, named_document_text, ordered, paragraphs, set, text, thoughts, wire_name,
};
use agent_catalog::{ModelRow, Thinking};
use agent_core::conversation::{Media, Message, Part, Role, ToolCall};
use agent_core::model::{ModelRequest, ToolDefinition};
use agent_spec::__private::RequestForm;
use agent_spec::json::Ordered;
use agent_spec::vocabulary::Setting;
use agent_spec::{ReasoningEffort, Settings, ToolChoice, Type};
use agent_tool::Error;
use serde_json::Value;
use std::collections::HashMap;

const MODEL: &str = "model";

/// The signature, from Google's documentation, of a call that Gemini did not make itself or made in an older
/// version. Newer models reject a request with an unsigned call.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Writes the body of a request, which is the same for a streamed answer. Members keep their order, and so do
/// the properties of the tools' schemas, because models read them from top to bottom.
///
/// # Errors
/// Configuration when `extra` has a member that the body has already.
pub(super) fn body(
    request: &ModelRequest,
    facts: &ModelRow,
    warnings: &mut Warnings,
) -> Result<String, Error> {
    let mut body = Object::default();
    if !is_blank(&request.instruction) {
        let parts = text_part(&request.instruction).into_iter();
        let instruction = Object::default().with("parts", Ordered::Array(parts.collect()));
        body.add("systemInstruction", instruction.into_value());
    }
    // An unfinished answer continues by its token. The request then has the messages before this answer.
    let token = request.messages.last().and_then(response::token_of);
    let messages = match token {
        Some(_) => {
            let is_piece = |message: &Message| message.role() == Role::Assistant;
            let answered = request
                .messages
                .iter()
                .rposition(|message| !is_piece(message));
            &request.messages[..answered.map_or(0, |last| last + 1)]
        }
        None => &request.messages[..],
    };
    body.list("contents", contents(messages));
    if let Some(token) = token {
        body.text("continuationToken", token);
    }
    if !request.tools.is_empty() {
        let mut tools = Object::default();
        tools.list(
            "functionDeclarations",
            request.tools.iter().map(declaration),
        );
        body.list("tools", [tools.into_value()]);
        if let Some(choice) = &request.settings.tool_choice {
            let config = Object::default().with("functionCallingConfig", calling(choice));
            body.add("toolConfig", config.into_value());
        }
    }
    let mut settings = generation_config(&request.settings, facts, warnings);
    if let Some(schema) = &request.answer_schema {
        settings.text("responseMimeType", "application/json");
        settings.add("responseJsonSchema", schema::convert(schema));
    }
    if !settings.is_empty() {
        body.add("generationConfig", settings.into_value());
    }
    finish_body(body, request, member)
}

fn generation_config(settings: &Settings, facts: &ModelRow, warnings: &mut Warnings) -> Object {
    let mut config = Object::default();
    config.settings(settings, member);
    let mut thinking = Object::default();
    match (settings.thinking_budget, settings.reasoning_effort) {
        (Some(budget), effort) => {
            // Google rejects a request with both.
            if effort.is_some() {
                let why = "Google takes either it or `thinkingBudget`";
                warnings.not_sent(Setting::ReasoningEffort, why);
            }
            thinking.add("thinkingBudget", Ordered::Integer(budget.into()));
        }
        (None, Some(effort)) => {
            // A model without a row gets one of the levels that all models have supported.
            let level = match facts.efforts {
                Some(_) => effort,
                None => effort.clamp(ReasoningEffort::Minimal, ReasoningEffort::High),
            };
            thinking.text("thinkingLevel", level.as_str().to_ascii_uppercase());
        }
        // Models before Gemini 3 have a budget in place of a switch; with -1 they choose themselves. Later models always
        // think.
        (None, None) => {
            if let Some(thinks) = settings
                .thinking
                .filter(|_| facts.thinking != Some(Thinking::Always))
            {
                let budget = if thinks { -1 } else { 0 };
                thinking.add("thinkingBudget", Ordered::Integer(budget));
            }
        }
    }
    if !thinking.is_empty() {
        config.add("thinkingConfig", thinking.into_value());
    }
    config
}

fn member(setting: Setting) -> Option<&'static str> {
    RequestForm::Google.member(setting)
}

/// Writes the history: the roles alternate, and the user begins. The results of an answer's calls are in one
/// content, in the order of the calls, because calls without ids are matched by it.
fn contents(messages: &[Message]) -> Vec<Ordered> {
    let mut contents = Vec::new();
    let mut add = |role, parts| add_turn(&mut contents, role, parts, text_part);
    for (at, message) in messages.iter().enumerate() {
        match message.role() {
            Role::User => add(USER, message.parts().iter().filter_map(part).collect()),
            Role::Assistant => {
                let answer = Answer::new(message);
                let rest = messages[at + 1..].iter();
                let results = rest.take_while(|message| message.role() == Role::Function);
                let results = answer.results(message.tool_calls(), results.collect());
                add(MODEL, answer.parts);
                add(USER, results);
            }
            // Written with the answer that made the call.
            Role::Function => {}
        }
    }
    let contents = contents.into_iter();
    contents.map(|turn| turn.into_value("parts")).collect()
}

/// An answer of the model, with the name and the id that each call has in the request.
struct Answer {
    parts: Vec<Ordered>,
    calls: Vec<(String, Option<String>)>,
}

impl Answer {
    /// Writes the kept parts if there are any, else the text and then the calls.
    fn new(message: &Message) -> Self {
        if let Some(kept) = response::kept_parts(message) {
            return Self::kept(kept, message);
        }
        let calls = message.tool_calls();
        let mut parts: Vec<Ordered> = message.parts().iter().filter_map(part).collect();
        for (at, call) in calls.iter().enumerate() {
            let function = Object::default()
                .with_text("name", name(call.tool()))
                .with("args", arguments_object(call))
                .into_value();
            let part = Object::default().with("functionCall", function);
            // Only the first call is signed, as in the answers of Gemini itself.
            let part = match at {
                0 => part.with_text("thoughtSignature", UNSIGNED),
                _ => part,
            };
            parts.push(part.into_value());
        }
        let calls = calls.iter().map(|call| (name(call.tool()), None)).collect();
        Self { parts, calls }
    }

    fn kept(kept: &[Value], message: &Message) -> Self {
        let calls = message.tool_calls();
        let mut texts = message.parts().iter().filter_map(Part::as_text);
        let mut thoughts = thoughts(message, response::PROVIDER);
        let mut media = message.media();
        let is_signed = kept.iter().any(response::is_signed);
        let mut answer = Self {
            parts: Vec::new(),
            calls: Vec::new(),
        };
        for part in kept {
            if response::continuation_token(part).is_some() {
                continue;
            }
            let mut sent = ordered(part);
            if part.get("text").is_some_and(Value::is_null) {
                let text = match response::is_thought(part) {
                    true => thoughts.next(),
                    false => texts.next(),
                };
                let text = text.unwrap_or_default().to_owned();
                set(&mut sent, "text", Ordered::text(text));
            }
            if part.get("inlineData").is_some_and(Value::is_null)
                && let Some(data) = media.next().and_then(inline_data)
            {
                set(&mut sent, "inlineData", data);
            }
            if let Some(function) = part.get("functionCall") {
                let id = response::id(function).map(str::to_owned);
                let name = text(function, "name").unwrap_or_default();
                if !is_signed && answer.calls.is_empty() {
                    set(&mut sent, "thoughtSignature", Ordered::text(UNSIGNED));
                }
                if function.get("args").is_some()
                    && let Some(call) = calls.get(answer.calls.len())
                    && let Some(function) = member_mut(&mut sent, "functionCall")
                {
                    // The kept part lacks the arguments; the message has them in the model's order.
                    set(function, "args", arguments_object(call));
                }
                answer.calls.push((name, id));
            }
            answer.parts.push(sent);
        }
        answer
    }

    fn results(&self, calls: &[ToolCall], results: Vec<&Message>) -> Vec<Ordered> {
        let messages = results.clone();
        let of_calls = results.into_iter();
        let of_calls = of_calls.map(|result| (result.call_id().unwrap_or_default(), result));
        let results: HashMap<&str, &Message> = of_calls.collect();
        let pairs = calls.iter().zip(&self.calls);
        let results = pairs.filter_map(|(call, (name, id))| {
            let result = results.get(call.id())?;
            let mut response = Object::default();
            if let Some(id) = id {
                response.text("id", id);
            }
            response.text("name", name);
            let key = if result.is_error() { "error" } else { "output" };
            let output = Object::default().with_text(key, paragraphs(result));
            response.add("response", output.into_value());
            let part = Object::default().with("functionResponse", response.into_value());
            Some(part.into_value())
        });
        let mut results: Vec<Ordered> = results.collect();
        // The media of results follow all results, each after a text that names the call.
        let with_media = messages
            .into_iter()
            .filter(|message| message.media().next().is_some());
        results.extend(labelled_media(with_media, part));
        results
    }
}

/// Writes a text or media; none for other parts.
fn part(part: &Part) -> Option<Ordered> {
    match part {
        Part::Text(text) => text_part(text),
        part => part.media().and_then(media_part),
    }
}

fn media_part(media: &Media) -> Option<Ordered> {
    if let Some(text) = named_document_text(media) {
        return text_part(&text);
    }
    let part = match inline_data(media) {
        Some(data) => Object::default().with("inlineData", data),
        None => {
            // The id of a file that was uploaded to Google is its URL.
            let uri = media.url().or(media.file_id().map(|(_, id)| id))?;
            let mut file = Object::default();
            if let Some(media_type) = media.media_type() {
                file.text("mimeType", media_type);
            }
            Object::default().with("fileData", file.with_text("fileUri", uri).into_value())
        }
    };
    Some(part.into_value())
}

fn inline_data(media: &Media) -> Option<Ordered> {
    let data = Object::default()
        .with_text("mimeType", media.media_type().unwrap_or_default())
        .with_text("data", base64_mark(media)?);
    Some(data.into_value())
}

/// Writes a text part; none for a blank text, because Google rejects empty contents.
fn text_part(text: &str) -> Option<Ordered> {
    let part = || Object::default().with_text("text", text).into_value();
    (!is_blank(text)).then(part)
}

/// Returns a name that Google accepts: it begins with a letter or an underscore.
fn name(name: &str) -> String {
    let name = wire_name(name);
    if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        format!("_{name}")
    } else {
        name.into_owned()
    }
}

fn declaration(tool: &ToolDefinition) -> Ordered {
    let mut declaration = Object::default()
        .with_text("name", tool.name())
        .with_text("description", tool.description());
    // Google rejects an object without properties. Parameters that only allow any further arguments are left
    // out, because they describe nothing.
    let (named, further) = tool.signature().named_and_further();
    if !named.is_empty() || further.is_some_and(|values| *values != *Type::ANY) {
        let parameters = schema::convert(tool.schema());
        declaration.add("parametersJsonSchema", parameters);
    }
    declaration.into_value()
}

fn calling(choice: &ToolChoice) -> Ordered {
    let mode = match choice {
        ToolChoice::Required | ToolChoice::Tool(_) => "ANY",
        ToolChoice::None => "NONE",
        _ => "AUTO",
    };
    let mut config = Object::default().with_text("mode", mode);
    if let ToolChoice::Tool(name) = choice {
        config.list("allowedFunctionNames", [Ordered::Text(name.clone())]);
    }
    config.into_value()
}
