//! Requests to the Responses API.

use super::items::{
    self, CALL, CONTENT, ENCRYPTED, MESSAGE, REASONING, RESULT, is_image_mark, is_mark,
    lists_of_texts, text_key,
};
use super::text_format;
use crate::model::openai::chat::{CACHE_KEY, cache_key};
use crate::model::wire::{
    LaterMedia, Object, WireIds, answer_text, arguments, base64_mark, data_url, finish_body,
    is_blank, kind, labelled_media, named_document_text, ordered, result_text, set, thoughts,
    wire_name,
};
use crate::model::wire_format::Target;
use agent_catalog::Thinking;
use agent_core::conversation::{Message, Part, Role, ToolCall};
use agent_core::model::{ModelRequest, ToolDefinition};
use agent_spec::__private::RequestForm;
use agent_spec::ToolChoice;
use agent_spec::json::Ordered;
use agent_spec::vocabulary::Setting;
use agent_tool::Error;
use agent_tool::media::Media;
use serde_json::Value;
use std::collections::HashSet;

const INCLUDE: &str = "include";
const STORE: &str = "store";

/// Writes the body of a request. Members keep their order, and so do the properties of the tools' schemas,
/// because models read them from top to bottom.
///
/// # Errors
/// Configuration when `extra` has a member that the body has already.
pub(super) fn body(
    request: &ModelRequest,
    target: Target<'_>,
    streamed: bool,
) -> Result<String, Error> {
    let (is_vendor, facts) = (target.endpoint.is_vendor, &target.facts.model);
    let settings = &request.settings;
    let mut body = Object::default();
    body.text("model", request.model.id());
    body.text("instructions", &request.instruction);
    let searches = is_vendor && !request.deferred.is_empty() && facts.tool_search == Some(true);
    let called = match searches {
        true => called_without_search(request),
        false => HashSet::new(),
    };
    let server = ServerUse {
        is_vendor,
        searches: searches && deferred(request, &called).next().is_some(),
        called: &called,
    };
    body.add("input", Ordered::Array(input(request, server)));
    if !request.tools.is_empty() {
        let tools = match searches {
            true => tools_of_search(request, &called),
            false => request.tools.iter().map(tool).collect(),
        };
        body.add("tools", Ordered::Array(tools));
        if let Some(choice) = &settings.tool_choice {
            body.add("tool_choice", tool_choice(choice));
        }
    }
    body.settings(settings, member);
    if let Some(effort) = settings.reasoning_effort {
        let reasoning = Object::default().with_text("effort", effort.as_str());
        body.add("reasoning", reasoning.into_value());
    }
    if let Some(schema) = &request.answer_schema {
        body.add("text", text_format::text_format(schema));
    }
    let is_own = |key: &str| settings.extra.get(key).is_none();
    if is_own(STORE) {
        body.add(STORE, Ordered::Bool(false));
    }
    // OpenAI rejects a request for the encrypted reasoning of a model that has none.
    if is_own(INCLUDE) && facts.thinking != Some(Thinking::Never) {
        body.list(INCLUDE, [Ordered::text("reasoning.encrypted_content")]);
    }
    // Compatible servers may reject a member that they do not know.
    if let Some(key) = cache_key(request).filter(|_| is_vendor) {
        body.text(CACHE_KEY, key);
    }
    if streamed {
        body.add("stream", Ordered::Bool(true));
    }
    finish_body(body, request, member)
}

/// Returns the member for a setting.
fn member(setting: Setting) -> Option<&'static str> {
    RequestForm::Responses.member(setting)
}

/// The server of a request.
#[derive(Clone, Copy)]
struct ServerUse<'s> {
    /// Whether the server is that of the vendor.
    is_vendor: bool,
    /// Whether the server searches the tools of this request.
    searches: bool,
    /// The tools that were called without a search by the server.
    called: &'s HashSet<&'s str>,
}

/// Returns the tools that the history calls without the namespace in which OpenAI's search found them, such as those that
/// another provider called.
fn called_without_search(request: &ModelRequest) -> HashSet<&str> {
    let mut called = HashSet::new();
    for message in &request.messages {
        let kept = items::items_of(message).unwrap_or_default().iter();
        let mut marks = kept.filter(|item| kind(item) == CALL);
        for call in message.tool_calls() {
            let mark = marks.next();
            if mark.is_none_or(|mark| mark.get("namespace").is_none()) {
                called.insert(call.tool());
            }
        }
    }
    called
}

/// Returns the tools that the server searches. OpenAI refuses a request with a call of a deferred tool that its search did
/// not find, so that the tools of such calls are not deferred.
fn deferred<'r>(
    request: &'r ModelRequest,
    called: &HashSet<&str>,
) -> impl Iterator<Item = &'r ToolDefinition> {
    let tools = request.deferred.iter();
    tools.filter(|tool| !called.contains(tool.name()))
}

/// Writes the history as items.
fn input(request: &ModelRequest, server: ServerUse<'_>) -> Vec<Ordered> {
    let mut ids = WireIds::default();
    let mut later = LaterMedia::default();
    let mut input = Vec::new();
    for message in &request.messages {
        input.extend(later_message(later.take_before(Some(message))));
        match message.role() {
            Role::User => input.push(user(message)),
            Role::Function => input.push(result(message, &mut ids)),
            Role::Assistant => match items::items_of(message) {
                Some(kept) => input.extend(repeated(message, kept, server, &mut ids)),
                None => {
                    input.extend(answer(message, &mut ids));
                    later.add(message);
                }
            },
        }
    }
    input.extend(later_message(later.take_before(None)));
    input
}

/// Writes the media of answers, which only a message of the user may have.
fn later_message(from: Vec<&Message>) -> Option<Ordered> {
    let parts = labelled_media(from, part);
    (!parts.is_empty()).then(|| message_of("user", Ordered::Array(parts)))
}

/// Writes a message. llama.cpp requires its type, although OpenAI does not.
fn message_of(role: &str, content: Ordered) -> Ordered {
    Object::default()
        .with_text("type", MESSAGE)
        .with_text("role", role)
        .with(CONTENT, content)
        .into_value()
}

fn user(message: &Message) -> Ordered {
    let content = match message.parts() {
        [] | [Part::Text(_)] => Ordered::text(message.content().to_owned()),
        parts => Ordered::Array(parts.iter().filter_map(part).collect()),
    };
    message_of("user", content)
}

fn result<'a>(message: &'a Message, ids: &mut WireIds<'a>) -> Ordered {
    let id = ids.result(message.call_id().unwrap_or_default());
    let output = Object::default().with_text("type", "function_call_output");
    let output = output.with_text("call_id", id);
    let content = match message.parts() {
        [] | [Part::Text(_)] => Ordered::text(result_text(message)),
        _ => {
            let failed = message.is_error().then(|| text_part("Error:"));
            let parts = message.parts().iter().filter_map(part);
            Ordered::Array(failed.into_iter().chain(parts).collect())
        }
    };
    output.with("output", content).into_value()
}

/// Writes an answer that has no items of its own: its text and then its calls.
fn answer<'a>(message: &'a Message, ids: &mut WireIds<'a>) -> Vec<Ordered> {
    let content = answer_text(message);
    let text = (!is_blank(&content)).then(|| message_of("assistant", Ordered::text(content)));
    let calls = message.tool_calls().iter();
    let calls = calls.map(|call| function_call(call, Object::default(), ids));
    text.into_iter().chain(calls).collect()
}

/// Writes an answer with the items that the server sent.
fn repeated<'a>(
    message: &'a Message,
    kept: &[Value],
    server: ServerUse<'_>,
    ids: &mut WireIds<'a>,
) -> Vec<Ordered> {
    let mut texts = message.parts().iter().filter_map(Part::as_text);
    let mut thoughts = thoughts(message, items::PROVIDER);
    let mut images = message.media();
    let mut calls = message.tool_calls().iter();
    let mut of_calls = kept.iter().filter(|item| kind(item) == CALL).count();
    let mut written = Vec::with_capacity(kept.len());
    // OpenAI rejects reasoning without the item that it led to. An answer that stopped before this item lacks
    // the item, so that its last reasoning is left out.
    let end = kept.iter().rposition(|item| kind(item) != REASONING);
    for item in &kept[..end.map_or(0, |last| last + 1)] {
        match kind(item) {
            MESSAGE => written.push(with_texts(item, &mut texts)),
            REASONING => {
                let mut whole = with_texts(item, &mut thoughts);
                let is_encrypted = item.get(ENCRYPTED).is_some_and(Value::is_string);
                if let Ordered::Object(members) = &mut whole {
                    // The server rejects readable thoughts beside the encrypted ones, and a status.
                    members.retain(|(key, value)| {
                        *value != Ordered::Null
                            && *key != "status"
                            && !(is_encrypted && *key == CONTENT)
                    });
                }
                // The vendor would search for reasoning of this id, which it did not store.
                if is_encrypted || !server.is_vendor {
                    written.push(whole);
                }
            }
            CALL => {
                of_calls -= 1;
                // The last mark is also that of the calls into which a call was split.
                let count = if of_calls == 0 { usize::MAX } else { 1 };
                for call in calls.by_ref().take(count) {
                    let is_found = server.searches && !server.called.contains(call.tool());
                    let more = item.as_object().into_iter().flatten();
                    // The namespace is kept only for a tool that a search found in it.
                    let more =
                        more.filter(|(key, _)| *key != "type" && (is_found || *key != "namespace"));
                    let more = more.map(|(key, value)| (key.clone().into(), ordered(value)));
                    let more = Object::from_members(more.collect());
                    written.push(function_call(call, more, ids));
                }
            }
            // Items of a search would name tools that the request does not defer.
            "tool_search_call" | "tool_search_output" if !server.searches => {}
            _ if is_image_mark(item) => {
                let image = images.next().and_then(base64_mark);
                if let Some(image) = image {
                    let mut item = ordered(item);
                    set(&mut item, RESULT, Ordered::text(image));
                    written.push(item);
                }
            }
            _ => written.push(ordered(item)),
        }
    }
    written
}

/// Writes a kept item with the message's texts in the places of the marks.
fn with_texts(item: &Value, texts: &mut dyn Iterator<Item = &str>) -> Ordered {
    let mut item = item.clone();
    for list in lists_of_texts(&item) {
        let Some(Value::Array(parts)) = item.get_mut(*list) else {
            continue;
        };
        for part in parts.iter_mut().filter(|part| is_mark(part)) {
            if let (Some(key), Some(text), Value::Object(members)) =
                (text_key(part), texts.next(), part)
            {
                members.insert(key.to_owned(), text.into());
            }
        }
    }
    ordered(&item)
}

fn function_call<'a>(call: &'a ToolCall, more: Object, ids: &mut WireIds<'a>) -> Ordered {
    more.with_text("type", CALL)
        .with_text("call_id", ids.call(call.id()))
        .with_text("name", wire_name(call.tool()))
        .with_text("arguments", arguments(call))
        .into_value()
}

fn part(part: &Part) -> Option<Ordered> {
    let (media, written): (&Media, _) = match part {
        Part::Text(text) => return (!is_blank(text)).then(|| text_part(text)),
        Part::Image(image) => {
            let written = Object::default().with_text("type", "input_image");
            (image, written.with_text("detail", "auto"))
        }
        Part::Document(document) => {
            if let Some(text) = named_document_text(document) {
                return Some(text_part(&text));
            }
            (document, Object::default().with_text("type", "input_file"))
        }
        // The Responses API accepts no audio, which the media rules check before.
        _ => return None,
    };
    let is_image = matches!(part, Part::Image(_));
    let written = match (media.file_id(), media.url()) {
        (Some((_, id)), _) => written.with_text("file_id", id),
        (None, Some(url)) if is_image => written.with_text("image_url", url),
        (None, Some(url)) => written.with_text("file_url", url),
        (None, None) if is_image => written.with_text("image_url", data_url(media)?),
        (None, None) => written
            .with_text("filename", media.name().unwrap_or("document.pdf"))
            .with_text("file_data", data_url(media)?),
    };
    Some(written.into_value())
}

fn text_part(text: &str) -> Ordered {
    let part = Object::default().with_text("type", "input_text");
    part.with_text("text", text).into_value()
}

/// Writes a tool. `strict` is always sent, because without it the server decides by the schema.
fn tool(tool: &ToolDefinition) -> Ordered {
    Object::default()
        .with_text("type", "function")
        .with_text("name", tool.name())
        .with_text("description", tool.description())
        .with("parameters", tool.schema().to_ordered())
        .with("strict", Ordered::Bool(false))
        .into_value()
}

/// Writes the tools of a request for a server that searches for those that are deferred.
fn tools_of_search(request: &ModelRequest, called: &HashSet<&str>) -> Vec<Ordered> {
    let mut written = Vec::new();
    if deferred(request, called).next().is_some() {
        let search = Object::default().with_text("type", "tool_search");
        written.push(search.into_value());
    }
    written.extend(request.tools_beside_search().map(tool));
    written.extend(request.deferred.iter().map(|definition| {
        let mut written = tool(definition);
        if !called.contains(definition.name()) {
            set(&mut written, "defer_loading", Ordered::Bool(true));
        }
        written
    }));
    written
}

fn tool_choice(choice: &ToolChoice) -> Ordered {
    let ToolChoice::Tool(name) = choice else {
        return Ordered::text(choice.as_str().to_owned());
    };
    let choice = Object::default().with_text("type", "function");
    choice.with_text("name", name.as_str()).into_value()
}

#[cfg(test)]
mod tests {
    use crate::model::WIRE_BODIES;
    use agent_core::conversation::{Message, Part, ProviderPart, Thinking};
    use agent_core::model::ModelRequest;
    use agent_spec::Model;
    use serde_json::{Value, json};

    /// Returns the body of a request at the vendor, or at the address of a compatible server.
    fn body(messages: Vec<Message>, base_url: Option<&str>) -> Value {
        let mut all = WIRE_BODIES.iter();
        let (_, write) = all
            .find(|(name, _)| *name == "OpenAIResponses")
            .expect("it");
        let model = Model::from_static("OpenAIResponses", "gpt-5");
        write(&ModelRequest::new(model, "Help.", messages), base_url)
    }

    const SERVER: Option<&str> = Some("http://127.0.0.1:9/v1");

    #[test]
    fn the_vendor_gets_no_reasoning_that_it_did_not_encrypt() {
        let kept = json!([
            {"type": "reasoning", "id": "rs_1", "summary": [],
             "content": [{"type": "reasoning_text"}]},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "annotations": []}]},
        ]);
        let messages = || {
            let parts: [Part; 3] = [
                Thinking::new("OpenAIResponses", "Hm.").into(),
                "Hello!".into(),
                ProviderPart::new("OpenAIResponses", kept.clone()).into(),
            ];
            vec![Message::user("Hi"), Message::assistant_parts(parts)]
        };
        let sent = body(messages(), SERVER);
        assert_eq!(sent["input"][1]["content"][0]["text"], "Hm.");
        assert_eq!(sent["input"][2]["content"][0]["text"], "Hello!");
        let sent = body(messages(), None);
        assert_eq!(sent["input"][1]["content"][0]["text"], "Hello!");
        assert_eq!(sent["input"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn reasoning_at_the_end_of_an_answer_is_not_sent_back() {
        let reasoning = |id: &str| json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "x"});
        let said = json!({"type": "message", "id": "msg_1", "role": "assistant", "phase": "commentary",
                          "status": "completed", "content": [{"type": "output_text", "annotations": []}]});
        let types = |kept: Value, texts: &[&str]| {
            let mut parts: Vec<Part> = texts.iter().map(|text| Part::from(*text)).collect();
            parts.push(ProviderPart::new("OpenAIResponses", kept).into());
            let messages = vec![
                Message::user("Hi"),
                Message::assistant_parts(parts),
                Message::user("And now?"),
            ];
            let sent = body(messages, None)["input"].take();
            let items = sent.as_array().expect("items").iter();
            let types: Vec<String> = items.map(|item| item["type"].to_string()).collect();
            types.join(" ").replace('"', "")
        };
        assert_eq!(types(json!([reasoning("rs_1")]), &[]), "message message");
        assert_eq!(
            types(json!([reasoning("rs_1"), said, reasoning("rs_2")]), &["A"]),
            "message reasoning message message"
        );
    }

    #[test]
    fn encrypted_reasoning_is_asked_of_models_that_may_think() {
        let mut all = WIRE_BODIES.iter();
        let (_, write) = all
            .find(|(name, _)| *name == "OpenAIResponses")
            .expect("it");
        for (model, asked) in [
            ("gpt-4o-mini", false),
            ("gpt-4.1", false),
            ("ft:gpt-4o-mini:acme", false),
            ("gpt-5", true),
            ("gpt-6-luna", true),
            ("gpt-6.7-luna", true),
            ("my-deployment", true),
        ] {
            let model = Model::new("OpenAIResponses", model).expect("a model");
            let request = ModelRequest::new(model.clone(), "Help.", vec![Message::user("Hi")]);
            let sent = write(&request, None);
            assert_eq!(sent.get("include").is_some(), asked, "{model}");
            assert_eq!(sent["store"], json!(false));
        }
    }

    #[test]
    fn the_vendor_gets_a_key_for_the_cache() {
        let messages = || vec![Message::user("Hi")];
        let key = body(messages(), None)["prompt_cache_key"].clone();
        assert!(key.as_str().is_some_and(|key| key.starts_with("agent-")));
        assert_eq!(body(messages(), SERVER).get("prompt_cache_key"), None);
    }
}
