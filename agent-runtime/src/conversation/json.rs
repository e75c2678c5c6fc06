//! The JSON form of a conversation: an array of messages.
//!
//! ```json
//! {"role": "user", "content": "Hello, I'm Ada"}
//! {"role": "assistant", "content": "", "toolCalls": [
//!     {"id": "call_1", "tool": "sayHello", "args": {"personName": "Ada"}}]}
//! {"role": "function", "name": "sayHello", "callId": "call_1", "content": "Hello, Ada!"}
//! ```
//!
//! `args` is the parsed value, or the text that the model sent when that is not JSON. When the value
//! has lost something that the text said (a number beyond 64 bits, a key that stands twice), the
//! text is kept beside it as `argsText`, which is what is read then. The result of a call that failed has
//! `"isError": true`, and a message that its provider wants back with more than that has
//! `providerData`.

mod read;

pub(crate) use read::{call_from_json, messages_from_json, opt_text, text};

use super::{Conversation, Message, ToolCall};
use read::message_from_json;
use serde_core::de::{self, Deserialize, Deserializer};
use serde_core::ser::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// Why a JSON value is not a conversation, or a pattern is not a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(String);

impl ReadError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

impl Conversation {
    /// The conversation as a JSON array of messages.
    #[must_use]
    pub fn to_json(&self) -> Value {
        messages_to_json(&self.messages, Exactness::Plain)
    }

    /// Reads a JSON array of messages.
    ///
    /// # Errors
    /// When a message has another form. Whether calls and results match is not looked at; see
    /// [`Conversation::check`].
    pub fn from_json(value: &Value) -> Result<Self, ReadError> {
        Ok(Self {
            messages: messages_from_json(value)?,
        })
    }
}

/// When the text of the arguments, as it was sent, is kept as `argsText`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// When the value does not lead back to it: the documented form.
    Plain,
    /// Always, for saved runs.
    Exact,
}

pub(crate) fn messages_to_json(messages: &[Message], exactness: Exactness) -> Value {
    messages
        .iter()
        .map(|message| message_to_json(message, exactness))
        .collect()
}

fn message_to_json(message: &Message, exactness: Exactness) -> Value {
    let mut json = Map::new();
    let mut put = |key: &str, value: Value| drop(json.insert(key.to_owned(), value));
    put("role", message.role().as_str().into());
    put("content", message.content().into());
    if let Some(name) = message.name() {
        put("name", name.into());
    }
    if let Some(id) = message.call_id() {
        put("callId", id.into());
    }
    if !message.tool_calls().is_empty() {
        let calls = message.tool_calls().iter();
        put(
            "toolCalls",
            calls.map(|call| call_to_json(call, exactness)).collect(),
        );
    }
    if message.is_error() {
        put("isError", true.into());
    }
    if let Some(data) = message.provider_data() {
        put("providerData", data.clone());
    }
    Value::Object(json)
}

pub(crate) fn call_to_json(call: &ToolCall, exactness: Exactness) -> Value {
    let mut json = Map::new();
    json.insert("id".into(), call.id().into());
    json.insert("tool".into(), call.tool().into());
    let args = call.args();
    let is_lost = length_of_content(&args_text(&args)) != length_of_content(call.args_text());
    json.insert("args".into(), args);
    if exactness == Exactness::Exact || is_lost {
        json.insert("argsText".into(), call.args_text().into());
    }
    Value::Object(json)
}

/// How long a JSON text is without the blanks between its parts. A value that kept all of a text
/// is written as long as that, if perhaps in another order.
fn length_of_content(text: &str) -> usize {
    let (mut length, mut in_string, mut escaped) = (0, false, false);
    for byte in text.bytes() {
        if in_string || !byte.is_ascii_whitespace() {
            length += 1;
        }
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
    }
    length
}

/// The text that a value of `args` stands for.
fn args_text(args: &Value) -> Cow<'_, str> {
    match args {
        Value::String(text) => Cow::Borrowed(text),
        value => Cow::Owned(value.to_string()),
    }
}

impl Serialize for Conversation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Conversation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_json(&value).map_err(de::Error::custom)
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        message_to_json(self, Exactness::Plain).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        message_from_json(&value).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(args: &str, expected: Value) {
        let call = ToolCall::new("a", "t", args);
        let json = call_to_json(&call, Exactness::Plain);
        assert_eq!(json, expected, "{args}");
        assert_eq!(call_from_json(&json), Ok(call), "{args}");
    }

    #[test]
    fn the_text_of_arguments_is_kept_when_the_value_loses_it() {
        let plain = |args: Value| json!({"id": "a", "tool": "t", "args": args});
        check(r#"{"n":1}"#, plain(json!({"n": 1})));
        let spaced = ToolCall::new("a", "t", "{ \"b\": \"x \\\" y\", \"a\": [1] }");
        let json = call_to_json(&spaced, Exactness::Plain);
        assert_eq!(json, plain(json!({"a": [1], "b": "x \" y"})));
        check("{bad", plain(json!("{bad")));
        check("", plain(json!("")));
        check(r#""text""#, plain(json!("\"text\"")));
        for (text, args) in [
            (r#"{"n":1,"n":2}"#, json!({"n": 2})),
            (
                r#"{"n":12345678901234567890123}"#,
                json!({"n": 12_345_678_901_234_567_890_123.0}),
            ),
        ] {
            let kept = json!({"id": "a", "tool": "t", "args": args, "argsText": text});
            check(text, kept);
        }
    }
}
