//! The neutral form of a request: what a model gets, without the wire format of its provider, keys and addresses.

use super::{ModelRequest, ToolDefinition};
use crate::conversation::{Exactness, Message, message_to_json, messages_to_json};
use agent_spec::vocabulary::Setting;
use agent_tool::__private::{MediaForm, Sha256Pieces};
use agent_tool::media::Sha256;
use agent_tool::redact::Redactor;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The digests of the requests of one run. Each request has the messages of the one before and a few more, and only these
/// are read, so that all requests of a long run take linear time.
///
/// The digest of a request is computed from two digests: of its neutral form without messages, and of the neutral
/// forms of its messages.
pub struct RequestDigests {
    redactor: Redactor,
    exactness: Exactness,
    /// The last request without its messages, and the digest of the rest.
    head: Option<(ModelRequest, Sha256)>,
    messages: Vec<Message>,
    of_messages: Sha256Pieces,
}

impl RequestDigests {
    /// Creates the digests of the requests as a journal has them, in which the secrets of a redactor are replaced. A
    /// journal has the masked texts only, so that a request that is rebuilt from its records has the same digest.
    pub fn recorded(redactor: &Redactor) -> Self {
        Self::new(redactor, Exactness::Text)
    }

    /// Creates the digests of the requests as a replay compares them.
    pub fn compared() -> Self {
        Self::new(&Redactor::new(), Exactness::Plain)
    }

    fn new(redactor: &Redactor, exactness: Exactness) -> Self {
        Self {
            redactor: redactor.clone(),
            exactness,
            head: None,
            messages: Vec::new(),
            of_messages: Sha256Pieces::default(),
        }
    }

    /// Returns the digest of the next request.
    pub fn of(&mut self, request: &ModelRequest) -> Sha256 {
        let head = match &self.head {
            Some((last, digest)) if has_same_head(last, request) => *digest,
            _ => {
                let head = ModelRequest {
                    messages: Vec::new(),
                    ..request.clone()
                };
                let json = neutral(&head, self.exactness);
                let digest = Sha256::of(self.masked_text(&json).as_bytes());
                self.head = Some((head, digest));
                digest
            }
        };
        let mut messages = request.messages.iter();
        let continues = self.messages.iter().all(|last| {
            let next = messages.next();
            next.is_some_and(|next| next.is_clone_of(last))
        });
        if !continues {
            self.messages.clear();
            self.of_messages = Sha256Pieces::default();
        }
        for message in &request.messages[self.messages.len()..] {
            let mut json = message_to_json(message, self.exactness, MediaForm::Digest);
            if self.exactness == Exactness::Plain {
                remove_argument_texts(&mut json);
            }
            self.of_messages.push(self.masked_text(&json).as_bytes());
            self.messages.push(message.clone());
        }
        let mut both = Sha256Pieces::default();
        both.push(head.as_bytes());
        both.push(self.of_messages.digest().as_bytes());
        both.digest()
    }

    fn masked_text(&self, json: &Value) -> String {
        let text = sorted_text(json);
        // Most requests have no secret, and one search of the whole text is faster than one for each value.
        match self.redactor.text(&text) == text {
            true => text,
            false => sorted_text(&self.redactor.value(json)),
        }
    }
}

/// Whether two requests certainly differ in their messages only.
fn has_same_head(one: &ModelRequest, other: &ModelRequest) -> bool {
    Arc::ptr_eq(&one.tools, &other.tools)
        && Arc::ptr_eq(&one.deferred, &other.deferred)
        && one.model == other.model
        && one.settings == other.settings
        && one.instruction == other.instruction
}

/// Writes JSON with the members of objects in the order of their names. Their order in memory depends on the features
/// of serde_json that a program turns on.
pub fn sorted_text(json: &Value) -> String {
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
            names.sort();
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
pub fn request_to_json(request: &ModelRequest) -> Value {
    let mut json = neutral(request, Exactness::Plain);
    for message in json["messages"].as_array_mut().into_iter().flatten() {
        remove_argument_texts(message);
    }
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
        deferred,
        settings,
        // The id does not change an answer.
        conversation_id: _,
        // The schema belongs to a tool.
        answer_schema: _,
        answer_tool: _,
        catalog: _,
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
    if !deferred.is_empty() {
        json.insert("deferredTools".into(), deferred.iter().map(tool).collect());
    }
    if let Value::Object(mut settings) = settings.to_json() {
        settings.retain(|key, _| Setting::from_key(key).is_none_or(Setting::changes_answers));
        if !settings.is_empty() {
            json.insert("settings".into(), settings.into());
        }
    }
    Value::Object(json)
}

/// Removes the text of the arguments of a message's calls beside their value. The text may differ between
/// equal requests, and where a secret in it is replaced.
fn remove_argument_texts(message: &mut Value) {
    let calls = message.get_mut("toolCalls").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten() {
        if let Value::Object(members) = call {
            members.remove("argsText");
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
            RequestDigests::recorded(redactor).of(&ModelRequest::new(model, "Help.", messages))
        };
        let masked = digest("[key]", &Redactor::new());
        assert_eq!(digest("sk-0123456789", &redactor), masked);
        assert_eq!(digest("[key]", &redactor), masked);
        assert_ne!(digest("sk-0123456789", &Redactor::new()), masked);
    }

    #[test]
    fn the_digest_of_a_request_does_not_depend_on_those_before() {
        let model = agent_spec::Model::parse("Scripted/any").expect("a model");
        let said: Vec<Message> = (0..4).map(|at| Message::user(format!("{at}"))).collect();
        let other = Message::user("1");
        let requests = [
            ("Help.", said[..1].to_vec()),
            ("Help.", said[..3].to_vec()),
            ("Help.", said[..2].to_vec()),
            ("Stop.", said.clone()),
            ("Stop.", vec![said[0].clone(), other, said[2].clone()]),
            ("Help.", Vec::new()),
            ("Help.", said[1..].to_vec()),
        ]
        .map(|(instruction, said)| ModelRequest::new(model.clone(), instruction, said));
        let mut of_all = RequestDigests::recorded(&Redactor::new());
        let digests = requests.each_ref().map(|request| of_all.of(request));
        let alone = requests.map(|request| RequestDigests::recorded(&Redactor::new()).of(&request));
        assert_eq!(digests, alone);
        let different: std::collections::HashSet<_> = digests.iter().collect();
        assert_eq!(different.len(), digests.len());
    }

    #[test]
    fn only_new_messages_are_read_for_a_digest() {
        let model = agent_spec::Model::parse("Scripted/any").expect("a model");
        let mut digests = RequestDigests::recorded(&Redactor::new());
        let mut request = ModelRequest::new(model, "Help.", Vec::new());
        let begun = std::time::Instant::now();
        for at in 0..8_000 {
            request
                .messages
                .push(Message::user("x".repeat(400) + &at.to_string()));
            digests.of(&request);
        }
        // It takes a second; it took minutes when each request was read as a whole.
        let took = begun.elapsed();
        assert!(took < std::time::Duration::from_secs(60), "{took:?}");
    }
}
