//! The JSON form of a conversation: an array of messages.
//!
//! ```json
//! {"role": "user", "content": "Hello, I'm Ada"}
//! {"role": "assistant", "content": "", "toolCalls": [
//!     {"id": "call_1", "tool": "sayHello", "args": {"personName": "Ada"}}]}
//! {"role": "function", "name": "sayHello", "callId": "call_1", "content": "Hello, Ada!"}
//! ```
//!
//! `args` is the parsed value, or the text that the model sent when that is not JSON or nests deeper
//! than [`DEEPEST_ARGS`]. When the value has lost something that the text said (a number beyond 64
//! bits, a key that stands twice), the text is kept beside it as `argsText`, which is what is read
//! then. The result of a call that failed has `"isError": true`, and a message that its provider wants
//! back with more than that has `providerData`.
//!
//! Of a key that stands twice, which of the two counts would be anybody's guess: a conversation or a
//! message that is read from text ([`Deserialize`]) is refused then, wherever in it that is. A `Value`
//! holds the last of the two alone, so [`Conversation::from_json`] cannot know. What a model itself sent
//! stays as it is in `argsText`: the call was refused, and of what is sent back to providers that take
//! no text, the last counts.
//!
//! Members with other names are passed over, so that what another program notes beside a message does not
//! stand in the way; they do not come back. A name that nearly is one of those above is refused.
//!
//! What does not come back either is the blanks between the parts of such a text and the order of its
//! members; [`Conversation::to_pattern`] and the stores keep these, too.

mod read;

pub(crate) use read::{call_from_json, message_from_json, messages_from_json, opt_text, text};

use super::{Conversation, Message, ToolCall};
use agent_spec::json::Ordered;
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
    /// The conversation as a JSON array of messages. [`from_json`](Self::from_json) gives it back,
    /// all but the blanks and the order of members in the text of a call's arguments.
    ///
    /// ```
    /// use agent_runtime::conversation::ToolCall;
    /// use agent_runtime::{Conversation, Message};
    ///
    /// let call = ToolCall::new("call_1", "sayHello", "{\"personName\":\"Ada\"}");
    /// let conversation: Conversation = [
    ///     Message::user("Hello, I'm Ada"),
    ///     Message::assistant("").with_tool_calls([call]),
    ///     Message::function("sayHello", "call_1", "there is no such person").into_error(),
    /// ]
    /// .into_iter()
    /// .collect();
    /// let json = conversation.to_json();
    /// assert_eq!(json[1]["toolCalls"][0]["args"]["personName"], "Ada");
    /// assert_eq!(json[2]["isError"], true);
    /// assert_eq!(Conversation::from_json(&json)?, conversation);
    /// # Ok::<(), agent_runtime::conversation::ReadError>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> Value {
        messages_to_json(&self.messages, Exactness::Plain)
    }

    /// Reads a JSON array of messages.
    ///
    /// # Errors
    /// When a message has another form. That a key stood twice in the text, the value no longer knows:
    /// read the text as a `Conversation`, with serde, to have it refused. Whether calls and results match is
    /// not looked at; see [`Conversation::check`]. Members that a message does not have are passed over,
    /// unless they nearly spell one.
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
    /// Always, and in place of the value, for stores: nothing is lost and nothing said twice.
    Text,
}

/// How deep arguments may nest to be written as a value. JSON that holds deeper ones could not be
/// read again: readers stop at about 128 levels, and the conversation around it needs some.
pub(crate) const DEEPEST_ARGS: usize = 64;

/// The deepest nesting of provider data that can be read back from text, for the same reason.
const DEEPEST_DATA: usize = 120;

impl Message {
    /// Writes the message as one line of JSON from which serde reads an equal message. Unlike the form
    /// that [`Serialize`] writes, this one keeps the text of each call's arguments as the model sent it.
    /// It is meant for the rows of a [`ConversationStore`](crate::conversation::ConversationStore).
    ///
    /// ```
    /// use agent_runtime::conversation::ToolCall;
    /// use agent_runtime::{Message, serde_json};
    ///
    /// let call = ToolCall::new("call_1", "add", "{ \"b\": 1, \"a\": 2 }");
    /// let message = Message::assistant("").with_tool_calls([call]);
    /// let text = message.to_exact_json()?;
    /// assert_eq!(serde_json::from_str::<Message>(&text)?, message);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the [provider data](Self::provider_data) is nested too deep for JSON parsers to read it back.
    pub fn to_exact_json(&self) -> Result<String, serde_json::Error> {
        let data = self.provider_data();
        if data.is_some_and(|data| nests_deeper(data, DEEPEST_DATA)) {
            let problem = "what its provider wants back is nested too deep";
            return Err(serde_core::ser::Error::custom(problem));
        }
        Ok(message_to_json(self, Exactness::Text).to_string())
    }
}

pub(crate) fn messages_to_json(messages: &[Message], exactness: Exactness) -> Value {
    messages
        .iter()
        .map(|message| message_to_json(message, exactness))
        .collect()
}

pub(crate) fn message_to_json(message: &Message, exactness: Exactness) -> Value {
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
    if exactness == Exactness::Text {
        json.insert("argsText".into(), call.args_text().into());
        return Value::Object(json);
    }
    let mut args = call.args();
    if nests_deeper(&args, DEEPEST_ARGS) {
        args = Value::String(call.args_text().to_owned());
    }
    let is_lost = content(&args_text(&args)) != content(call.args_text());
    json.insert("args".into(), args);
    if exactness == Exactness::Exact || is_lost {
        json.insert("argsText".into(), call.args_text().into());
    }
    Value::Object(json)
}

/// How often each byte stands in a JSON text, the blanks between its parts left out. A value that
/// kept all of a text is written with the same bytes, if perhaps in another order.
fn content(text: &str) -> [usize; 256] {
    let (mut bytes, mut in_string, mut escaped) = ([0; 256], false, false);
    for byte in text.bytes() {
        if in_string || !byte.is_ascii_whitespace() {
            bytes[usize::from(byte)] += 1;
        }
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
    }
    bytes
}

/// Whether so many lists and objects stand inside each other, and one more.
pub(crate) fn nests_deeper(json: &Value, levels: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match json {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return false,
    };
    levels == 0 || inner.any(|inner| nests_deeper(inner, levels - 1))
}

/// The text that a value of `args` stands for.
pub(crate) fn args_text(args: &Value) -> Cow<'_, str> {
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
    /// A key that stands twice in an object is refused.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Ordered::deserialize(deserializer)?.to_value();
        Self::from_json(&value).map_err(de::Error::custom)
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        message_to_json(self, Exactness::Plain).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Message {
    /// A key that stands twice in an object is refused.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Ordered::deserialize(deserializer)?.to_value();
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
            // As long as the number that is left of it.
            (
                r#"{"n":123456789012345678901}"#,
                json!({"n": 123_456_789_012_345_680_000.0}),
            ),
        ] {
            let kept = json!({"id": "a", "tool": "t", "args": args, "argsText": text});
            check(text, kept);
        }
    }

    /// What people write: the last of the two would count, and the first be lost without a word.
    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let call = |args: &str| format!(r#"{{"id": "a", "tool": "t", "args": {args}}}"#);
        let message = |calls: &str| format!(r#"{{"role": "assistant", "toolCalls": [{calls}]}}"#);
        for (text, key) in [
            (
                r#"{"role": "user", "content": "a", "content": "b"}"#.to_owned(),
                "content",
            ),
            (message(r#"{"id": "a", "tool": "t", "tool": "u"}"#), "tool"),
            (message(&call(r#"{"n": 1, "n": 2}"#)), "n"),
            (message(&call(r#"{"in": [{"x": 1, "x": 1}]}"#)), "x"),
        ] {
            let words = format!("the key \"{key}\" is there twice");
            let error = serde_json::from_str::<Message>(&text).expect_err(key);
            assert!(error.to_string().contains(&words), "{error}");
            let error = serde_json::from_str::<Conversation>(&format!("[{text}]")).expect_err(key);
            assert!(error.to_string().contains(&words), "{error}");
            // A value has one of them.
            let value: Value = serde_json::from_str(&text).expect("JSON");
            assert!(message_from_json(&value).is_ok(), "{text}");
        }
        // What a model sent is kept as it is.
        let sent = ToolCall::new("a", "t", r#"{"n": 1, "n": 2}"#);
        let sent = Message::assistant("").with_tool_calls([sent]);
        let written = serde_json::to_string(&sent).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Message>(&written).expect("its own form"),
            sent
        );
    }

    #[test]
    fn arguments_that_nest_too_deep_are_kept_as_text() {
        for levels in [DEEPEST_ARGS, DEEPEST_ARGS + 1, 127, 100_000] {
            let text = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            let call = ToolCall::new("a", "t", &text);
            let messages = [Message::assistant("").with_tool_calls([call])];
            let conversation: Conversation = messages.into_iter().collect();
            let written = conversation.to_json().to_string();
            let read = serde_json::from_str(&written).expect("not too deep");
            assert_eq!(Conversation::from_json(&read), Ok(conversation), "{levels}");
        }
    }
}
