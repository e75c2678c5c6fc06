//! Requests to OpenAI.

use super::response::{PROVIDER, has_legacy_mark};
use crate::model::wire::{
    self, LaterMedia, Object, WireIds, answer_text, arguments, base64_mark, data_url, finish_body,
    is_blank, labelled_media, named_document_text, result_text, result_texts, stable_hash,
    wire_name,
};
use crate::model::wire_format::Target;
use agent_catalog::MaxTokens;
use agent_core::conversation::{Message, Part, Role, ToolCall};
use agent_core::model::{ModelRequest, ToolDefinition};
use agent_spec::__private::RequestForm;
use agent_spec::json::Ordered;
use agent_spec::vocabulary::Setting;
use agent_spec::{PromptCache, ToolChoice};
use agent_tool::Error;

/// Writes the body of a request. Members keep their order, and so do the properties of the tools' schemas,
/// because models read them from top to bottom. `newer_limit` says that the server has `max_completion_tokens`.
///
/// # Errors
/// Configuration when `extra` has a member that the body has already.
pub(super) fn body(
    request: &ModelRequest,
    target: Target<'_>,
    newer_limit: bool,
    streamed: bool,
) -> Result<String, Error> {
    let is_vendor = target.endpoint.is_vendor;
    // OpenAI's reasoning models reject `max_tokens`; many other servers accept no other name.
    let newer_limit = match target.facts.server.max_tokens {
        Some(name) => name == MaxTokens::Completion,
        None => is_vendor || newer_limit,
    };
    let mut body = Object::default();
    body.text("model", request.model.id());
    let form = MessageForm {
        is_vendor,
        thoughts: target.facts.server.reasoning_content == Some(true),
    };
    body.add("messages", Ordered::Array(messages(request, form)));
    // OpenAI rejects an empty list of tools.
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(tool).collect();
        body.add("tools", Ordered::Array(tools));
        // OpenAI also rejects a choice without tools.
        if let Some(choice) = &request.settings.tool_choice {
            body.add("tool_choice", tool_choice(choice));
        }
    }
    let member = |setting| member(setting, newer_limit);
    body.settings(&request.settings, member);
    if is_vendor && let Some(key) = cache_key(request) {
        body.text(CACHE_KEY, key);
    }
    if streamed {
        body.add("stream", Ordered::Bool(true));
        // Without this a streamed answer has no usage.
        let mut options = Object::default();
        options.add("include_usage", Ordered::Bool(true));
        body.add("stream_options", options.into_value());
    }
    finish_body(body, request, member)
}

fn member(setting: Setting, newer_limit: bool) -> Option<&'static str> {
    match setting {
        Setting::MaxTokens if newer_limit => Some("max_completion_tokens"),
        Setting::ReasoningEffort => Some("reasoning_effort"),
        setting => RequestForm::Chat.member(setting),
    }
}

/// The member that has the key of a conversation.
pub(in crate::model) const CACHE_KEY: &str = "prompt_cache_key";

/// Returns the key by which OpenAI sends the requests of a conversation to a server that has the beginning of
/// the last request in its cache. `None` without a cache, and when the agent's `extra` has a key.
///
/// The key depends on the host's id of the conversation or, without an id, on the instruction and the first
/// message. These are the same in each turn.
pub(in crate::model) fn cache_key(request: &ModelRequest) -> Option<String> {
    let settings = &request.settings;
    if settings.cache == Some(PromptCache::Off) || settings.extra.get(CACHE_KEY).is_some() {
        return None;
    }
    let hash = match &request.conversation_id {
        Some(id) => stable_hash(&["id", id]),
        None => {
            let first = request.messages.first().map_or("", Message::content);
            stable_hash(&["beginning", &request.instruction, first])
        }
    };
    Some(format!("agent-{hash:016x}"))
}

/// The form of messages, in which servers differ.
#[derive(Clone, Copy)]
struct MessageForm {
    /// Whether the server is that of the vendor.
    is_vendor: bool,
    /// Whether thoughts go back as `reasoning_content`, as DeepSeek demands beside calls.
    thoughts: bool,
}

fn messages(request: &ModelRequest, form: MessageForm) -> Vec<Ordered> {
    let mut system = Object::default();
    system.text("role", "system");
    system.text("content", &request.instruction);
    let mut messages = vec![system.into_value()];
    let mut ids = WireIds::default();
    // Whether the calls of the last answer were in the older form.
    let mut legacy = false;
    let mut later = LaterMedia::default();
    for message in &request.messages {
        messages.extend(later_message(later.take_before(Some(message))));
        if message.role() == Role::Assistant {
            legacy = is_legacy(message);
        }
        messages.extend(match message.role() {
            Role::Function if legacy => Some(legacy_result(message)),
            Role::Function => Some(result(message, form.is_vendor, &mut ids)),
            Role::Assistant => assistant(message, form.thoughts, &mut ids),
            Role::User => Some(user(message)),
        });
        if message.role() != Role::User {
            later.add(message);
        }
    }
    messages.extend(later_message(later.take_before(None)));
    messages
}

/// Writes the media of answers and results as a message of the user, because answers and results have no
/// place for media in this format.
fn later_message(from: Vec<&Message>) -> Option<Ordered> {
    let parts = labelled_media(from, part);
    (!parts.is_empty()).then(|| media_message(parts))
}

fn user(message: &Message) -> Ordered {
    match message.parts() {
        [] | [Part::Text(_)] => plain_message("user", message.content()),
        parts => media_message(parts.iter().filter_map(part).collect()),
    }
}

fn media_message(parts: Vec<Ordered>) -> Ordered {
    let message = Object::default().with_text("role", "user");
    message.with("content", Ordered::Array(parts)).into_value()
}

fn part(part: &Part) -> Option<Ordered> {
    match part {
        Part::Text(text) => (!is_blank(text)).then(|| text_part(text)),
        part => media_part(part),
    }
}

fn text_part(text: &str) -> Ordered {
    let part = Object::default().with_text("type", "text");
    part.with_text("text", text).into_value()
}

fn media_part(part: &Part) -> Option<Ordered> {
    let (kind, held) = match part {
        Part::Image(image) => {
            let url = image.url().map(str::to_owned);
            let url = url.or_else(|| data_url(image))?;
            ("image_url", Object::default().with_text("url", url))
        }
        Part::Audio(audio) => {
            let format = match audio.media_type() {
                Some("audio/mpeg") => "mp3",
                _ => "wav",
            };
            let data = Object::default().with_text("data", base64_mark(audio)?);
            ("input_audio", data.with_text("format", format))
        }
        Part::Document(document) => {
            if let Some(text) = named_document_text(document) {
                return Some(text_part(&text));
            }
            let file = Object::default();
            let file = match document.file_id() {
                Some((_, id)) => file.with_text("file_id", id),
                None => file
                    .with_text("filename", document.name().unwrap_or("document.pdf"))
                    .with_text("file_data", data_url(document)?),
            };
            ("file", file)
        }
        _ => return None,
    };
    let part = Object::default().with_text("type", kind);
    Some(part.with(kind, held.into_value()).into_value())
}

fn plain_message(role: &str, content: &str) -> Ordered {
    let mut json = Object::default();
    json.text("role", role);
    json.text("content", content);
    json.into_value()
}

/// Writes an answer; none without text, media and calls, because servers reject an empty message.
fn assistant<'a>(message: &'a Message, thoughts: bool, ids: &mut WireIds<'a>) -> Option<Ordered> {
    let calls = message.tool_calls();
    let content = answer_text(message);
    if calls.is_empty() {
        return (!is_blank(&content)).then(|| plain_message("assistant", &content));
    }
    let mut json = Object::default();
    json.text("role", "assistant");
    if content.is_empty() {
        json.add("content", Ordered::Null);
    } else {
        json.text("content", content);
    }
    if thoughts {
        let thoughts: String = wire::thoughts(message, PROVIDER).collect();
        json.text("reasoning_content", thoughts);
    }
    if is_legacy(message) {
        json.add("function_call", function(&calls[0]));
    } else {
        let calls = calls.iter().map(|call| {
            let mut json = Object::default();
            json.text("id", ids.call(call.id()));
            json.text("type", "function");
            json.add("function", function(call));
            json.into_value()
        });
        json.add("tool_calls", Ordered::Array(calls.collect()));
    }
    Some(json.into_value())
}

fn function(call: &ToolCall) -> Ordered {
    let mut json = Object::default();
    json.text("name", wire_name(call.tool()));
    json.text("arguments", arguments(call));
    json.into_value()
}

/// Writes a result. Only the vendor gets a list of texts, because not all compatible servers accept a list.
fn result<'a>(message: &'a Message, is_vendor: bool, ids: &mut WireIds<'a>) -> Ordered {
    let mut json = Object::default();
    json.text("role", "tool");
    json.text(
        "tool_call_id",
        ids.result(message.call_id().unwrap_or_default()),
    );
    match result_texts(message).as_slice() {
        texts @ [_, _, ..] if is_vendor => {
            json.list("content", texts.iter().map(|text| text_part(text)));
        }
        _ => json.text("content", result_text(message)),
    }
    json.into_value()
}

fn legacy_result(message: &Message) -> Ordered {
    let mut json = Object::default();
    json.text("role", "function");
    json.text("name", wire_name(message.name().unwrap_or_default()));
    json.text("content", result_text(message));
    json.into_value()
}

/// Whether the call of this message was in the older form `function_call`, in which it is sent again.
fn is_legacy(message: &Message) -> bool {
    message.tool_calls().len() == 1 && has_legacy_mark(message)
}

fn tool(tool: &ToolDefinition) -> Ordered {
    let mut function = Object::default();
    function.text("name", tool.name());
    function.text("description", tool.description());
    function.add("parameters", tool.schema().to_ordered());
    let mut json = Object::default();
    json.text("type", "function");
    json.add("function", function.into_value());
    json.into_value()
}

fn tool_choice(choice: &ToolChoice) -> Ordered {
    let ToolChoice::Tool(name) = choice else {
        return Ordered::text(choice.as_str().to_owned());
    };
    let function = Object::default().with_text("name", name.as_str());
    let choice = Object::default().with_text("type", "function");
    choice.with("function", function.into_value()).into_value()
}

#[cfg(test)]
mod tests {
    use crate::model::WIRE_BODIES;
    use agent_core::conversation::{Image, Message, Part, ToolCall};
    use agent_core::model::ModelRequest;
    use agent_spec::{AgentPattern, Model, Settings};
    use serde_json::{Value, json};

    fn key(id: Option<&str>, texts: &[&str], settings: &str, base_url: Option<&str>) -> Value {
        let messages = texts.iter().map(|text| Message::user(*text)).collect();
        let model = Model::from_static("OpenAI", "m");
        let mut request = ModelRequest::new(model, "Help.", messages);
        request = request.with_settings(read(settings));
        request.conversation_id = id.map(str::to_owned);
        let (_, write) = WIRE_BODIES[0];
        write(&request, base_url)["prompt_cache_key"].clone()
    }

    fn read(settings: &str) -> Settings {
        let gram = format!("[a:Agent {{instruction: \"i\", model: \"OpenAI/m\"{settings}}}]");
        let agent = AgentPattern::parse(&gram).expect("an agent");
        agent.to_agent().expect("an agent").settings().clone()
    }

    #[test]
    fn the_texts_of_a_result_are_parts_at_the_vendor_and_one_text_elsewhere() {
        let call = ToolCall::new("a", "t", "{}");
        let sent = |parts: Vec<Part>, is_failed: bool, base_url: Option<&str>| {
            let result = Message::function_parts("t", "a", parts);
            let result = if is_failed {
                result.into_error()
            } else {
                result
            };
            let messages = vec![
                Message::user("Hi"),
                Message::assistant("").with_tool_calls([call.clone()]),
                result,
            ];
            let model = Model::from_static("OpenAI", "m");
            let (_, write) = WIRE_BODIES[0];
            let body = write(&ModelRequest::new(model, "Help.", messages), base_url);
            body["messages"][3]["content"].clone()
        };
        let parts = || {
            vec![
                "A cat:".into(),
                Image::new(b"\x89PNG\r\n\x1a\n").into(),
                "end".into(),
            ]
        };
        let text = |text: &str| json!({"type": "text", "text": text});
        let expected = json!([text("A cat:"), text("[image 1]"), text("end")]);
        assert_eq!(sent(parts(), false, None), expected);
        let server = Some("http://127.0.0.1:9/v1");
        assert_eq!(sent(parts(), false, server), "A cat:\n\n[image 1]\n\nend");
        assert_eq!(
            sent(parts(), true, server),
            "Error: A cat:\n\n[image 1]\n\nend"
        );
        assert_eq!(sent(parts(), true, None)[0], text("Error: A cat:"));
        assert_eq!(sent(vec!["one".into()], false, None), "one");
    }

    #[test]
    fn the_cache_key_is_the_same_in_each_turn_of_a_conversation() {
        let first = key(None, &["Hi"], "", None);
        let text = first.as_str().expect("a key");
        assert!(text.starts_with("agent-") && text.len() <= 64, "{text}");
        assert_eq!(key(None, &["Hi", "And now?"], "", None), first);
        assert_eq!(key(None, &["Hi"], ", cache: \"1h\", seed: 7", None), first);
        assert_ne!(key(None, &["Hello"], "", None), first);
        // With an id, the messages may be cut at their beginning.
        let of_id = key(Some("ada@example.org"), &["Hi"], "", None);
        assert_eq!(key(Some("ada@example.org"), &["Bye"], "", None), of_id);
        assert_ne!(key(Some("bob@example.org"), &["Hi"], "", None), of_id);
        assert!(!of_id.to_string().contains("ada"), "{of_id}");
    }

    #[test]
    fn sends_no_cache_key_to_compatible_servers_and_when_it_is_off() {
        let server = Some("http://127.0.0.1:9/v1");
        assert_eq!(key(None, &["Hi"], "", server), Value::Null);
        assert_eq!(key(None, &["Hi"], ", cache: \"off\"", None), Value::Null);
        // A key in the agent's `extra` is sent to the vendor and to compatible servers.
        for base_url in [None, server] {
            let own = ", extra: {prompt_cache_key: \"mine\"}";
            assert_eq!(key(Some("id"), &["Hi"], own, base_url), "mine");
        }
    }
}
