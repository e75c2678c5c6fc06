//! The neutral form of a request: what a model gets, without the wire format of its provider, keys and addresses.

use super::{ModelRequest, ToolDefinition};
use crate::conversation::{Exactness, messages_to_json};
use crate::media::{MediaForm, Sha256};
use crate::redact::Redactor;
use agent_gram::collection::sort_by;
use serde_json::{Map, Value, json};

/// The settings that do not change a model's answer, so that a recorded answer stays valid without them.
const IGNORED_SETTINGS: [&str; 6] = [
    "cache",
    "maxIterations",
    "maxDepth",
    "toolTimeout",
    "baseUrl",
    "fallback",
];

/// Returns the digest of the neutral form of a request, in which the secrets of a redactor are replaced. A journal has
/// the masked texts only, so that a request that is rebuilt from its records has the same digest.
pub(crate) fn request_digest(request: &ModelRequest, redactor: &Redactor) -> Sha256 {
    let mut json = neutral(request, Exactness::Text);
    leave_out_unsent(&mut json);
    let text = sorted_text(&json);
    // Most requests have no secret, and one search is faster than one for each text.
    match redactor.text(&text) == text {
        true => Sha256::of(text.as_bytes()),
        false => Sha256::of(sorted_text(&redactor.value(&json)).as_bytes()),
    }
}

/// Returns the parts of a request that a replay compares: its neutral form with the arguments of calls as values, and
/// without settings that reach no model.
#[cfg(feature = "testing")]
pub(crate) fn sent_to_json(request: &ModelRequest) -> Value {
    let mut json = request_to_json(request);
    leave_out_unsent(&mut json);
    json
}

/// Removes the settings that reach no model and that cassettes have nevertheless.
fn leave_out_unsent(json: &mut Value) {
    if let Some(settings) = json.get_mut("settings").and_then(Value::as_object_mut) {
        settings.retain(|key, _| !["compactAbove", "grants"].contains(&key.as_str()));
        if settings.is_empty()
            && let Value::Object(json) = json
        {
            json.remove("settings");
        }
    }
}

/// Writes JSON with the members of objects in the order of their names. Their order in memory depends on the features
/// of serde_json that a program turns on.
pub(crate) fn sorted_text(json: &Value) -> String {
    let mut text = String::new();
    write_sorted(json, &mut text);
    text
}

fn write_sorted(json: &Value, out: &mut String) {
    match json {
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            sort_by(&mut names, |one, other| one.cmp(other));
            out.push('{');
            for name in names {
                write_text(name, out);
                out.push(':');
                write_sorted(&members[name], out);
                out.push(',');
            }
            out.push('}');
        }
        Value::String(text) => write_text(text, out),
        plain => out.push_str(&plain.to_string()),
    }
}

/// Writes a text with its length, which is unambiguous and needs no escapes.
fn write_text(text: &str, out: &mut String) {
    out.push('"');
    out.push_str(&text.len().to_string());
    out.push(':');
    out.push_str(text);
}

/// Returns the neutral form of a request, with the arguments of calls as values.
#[cfg(feature = "testing")]
pub(crate) fn request_to_json(request: &ModelRequest) -> Value {
    let mut json = neutral(request, Exactness::Plain);
    remove_argument_texts(&mut json["messages"]);
    json
}

fn neutral(request: &ModelRequest, exactness: Exactness) -> Value {
    // Destructured, so that a new member is not forgotten.
    let ModelRequest {
        model,
        agent: _,
        instruction,
        messages,
        tools,
        settings,
        // It does not change an answer.
        conversation_id: _,
        // It is that of a tool.
        answer_schema: _,
        #[cfg(feature = "http")]
            permissions: _,
    } = request;
    let mut json = Map::new();
    json.insert("model".into(), model.to_string().into());
    json.insert("instruction".into(), instruction.as_str().into());
    let messages = messages_to_json(messages, exactness, MediaForm::Digest);
    json.insert("messages".into(), messages);
    if !tools.is_empty() {
        json.insert("tools".into(), tools.iter().map(tool).collect());
    }
    if let Value::Object(mut settings) = settings.to_json() {
        settings.retain(|key, _| !IGNORED_SETTINGS.contains(&key.as_str()));
        if !settings.is_empty() {
            json.insert("settings".into(), settings.into());
        }
    }
    Value::Object(json)
}

/// Removes the text of arguments beside their value. It may differ between equal requests, and where a secret
/// in it is replaced.
#[cfg(feature = "testing")]
fn remove_argument_texts(messages: &mut Value) {
    for message in messages.as_array_mut().into_iter().flatten() {
        let calls = message.get_mut("toolCalls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            if let Value::Object(members) = call {
                members.remove("argsText");
            }
        }
    }
}

/// Writes a tool with its signature, which determines its schema, apart from the parts of the tool's own schema
/// in the place of `Any`.
fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "name": tool.name(),
        "description": tool.description(),
        "typeSignature": tool.signature().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Message;

    #[test]
    fn members_are_sorted_and_texts_are_told_apart() {
        let one = json!({"b": [1, true], "a": {"d": "x", "c": null}});
        assert_eq!(
            sorted_text(&one),
            "{\"1:a:{\"1:c:null,\"1:d:\"1:x,},\"1:b:[1,true,],}"
        );
        assert_ne!(
            sorted_text(&json!(["a,\"1:b"])),
            sorted_text(&json!(["a", "b"]))
        );
    }

    #[test]
    fn the_digest_of_a_request_is_that_of_the_masked_one() {
        let redactor = Redactor::new();
        redactor.add("sk-0123456789");
        let digest = |key: &str, redactor: &Redactor| {
            let model = agent_spec::Model::parse("Scripted/any").expect("a model");
            let messages = vec![Message::user(format!("The key is {key}."))];
            request_digest(&ModelRequest::new(model, "Help.", messages), redactor)
        };
        let masked = digest("[key]", &Redactor::new());
        assert_eq!(digest("sk-0123456789", &redactor), masked);
        assert_eq!(digest("[key]", &redactor), masked);
        assert_ne!(digest("sk-0123456789", &Redactor::new()), masked);
    }
}
