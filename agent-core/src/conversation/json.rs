//! The JSON form of a conversation: an array of messages.
//!
//! ```json
//! {"role": "user", "content": "Hello, I'm Ada"}
//! {"role": "assistant", "content": "", "toolCalls": [
//!     {"id": "call_1", "tool": "sayHello", "args": {"personName": "Ada"}}]}
//! {"role": "function", "name": "sayHello", "callId": "call_1", "content": "Hello, Ada!"}
//! ```
//!
//! `args` is the parsed value, or the text that the model sent if it is not JSON or is nested deeper than
//! [`DEEPEST_ARGS`]. If the value has lost a part of the text (a number beyond 64 bits, a duplicate key), the
//! text is written as `argsText`, which takes precedence when the call is read. The result of a failed call has
//! `"isError": true`. What [brings something in](super::Taint) from outside has `"taint": "touched"` or `"tainted"`.
//!
//! `content` is the text, or a list of parts if there is anything but one text:
//!
//! ```json
//! {"role": "user", "content": [
//!     {"type": "text", "text": "What is this?"},
//!     {"type": "image", "mediaType": "image/png", "sha256": "9f86d0…"}]}
//! ```
//!
//! An image, a document or audio has `mediaType`, perhaps `name`, and one of `data` (base64), `url`, `sha256`, or
//! `fileId` with `provider`. Thoughts are `{"type": "thinking", "text", "provider"}`, and data for one provider is
//! `{"type": "provider", "provider", "data"}`.
//!
//! Reading text ([`Deserialize`]) fails at a duplicate key anywhere in it, because it is unclear which value is
//! meant. [`Conversation::from_json`] cannot find duplicate keys, because a `Value` has only the last one. A
//! duplicate key that a model sent is kept in `argsText`; such a call was rejected.
//!
//! Members with other names are ignored and not written again, so that other programs can add their own. A name
//! that is nearly one of those above is an error.
//!
//! The whitespace of the arguments' text and the order of its members are not kept either.
//! [`Conversation::to_pattern`] and the stores keep them.

use super::{Conversation, Message, Role, SummaryScope, ToolCall};
use agent_effects::Taint;
use agent_spec::json::{MAX_VALUES, Ordered, has_more_values_than, too_many_values};
use agent_tool::__private::{
    MediaForm, check_members, content_from_json, content_to_json, is_too_deep, kind, nests_deeper,
    opt_text, text,
};
use agent_tool::media::ReadError;
use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The condition under which the text of a call's arguments is written as `argsText`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// Only if the value has lost a part of the text: the documented form.
    Plain,
    /// Always, for saved runs.
    Exact,
    /// Always, and in place of the value, for stores.
    Text,
}

/// The maximum nesting of arguments that are written as a value. Deeper arguments are written as text,
/// because JSON parsers stop at about 128 levels and the conversation around the arguments needs some of
/// them.
pub(crate) const DEEPEST_ARGS: usize = 64;

/// Writes a message with the text of each call's arguments as the model sent it.
pub(super) fn message_to_exact_json(message: &Message) -> Result<String, serde_json::Error> {
    if message.parts().iter().any(is_too_deep) {
        let problem = "what its provider wants back is nested too deep";
        return Err(serde::ser::Error::custom(problem));
    }
    let text = message_to_json(message, Exactness::Text, MediaForm::Digest).to_string();
    if has_more_values_than(text.as_bytes(), MAX_VALUES) {
        let problem = format!("it has {}", too_many_values(MAX_VALUES));
        return Err(serde::ser::Error::custom(problem));
    }
    Ok(text)
}

/// Writes messages as the JSON of a conversation.
pub fn messages_to_json(messages: &[Message], exactness: Exactness, media: MediaForm) -> Value {
    messages
        .iter()
        .map(|message| message_to_json(message, exactness, media))
        .collect()
}

pub(crate) fn message_to_json(message: &Message, exactness: Exactness, media: MediaForm) -> Value {
    let mut json = Map::new();
    let mut put = |key: &str, value: Value| drop(json.insert(key.to_owned(), value));
    put("role", message.role().as_str().into());
    put("content", content_to_json(message.parts(), media));
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
    if !message.taint().is_clean() {
        put(TAINT, message.taint().as_str().into());
    }
    if let Some(scope) = message.summary_scope() {
        put(STANDS_FOR, scope.messages.into());
        if scope.messages_of_turn > 0 {
            put(STANDS_FOR_IN_TURN, scope.messages_of_turn.into());
        }
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

/// Counts each byte of a JSON text, without the whitespace between its tokens. A value that lost nothing of a
/// text is written with the same bytes, perhaps in another order.
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

/// Returns the text of a value of `args`.
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
    /// Reads a value. Fails at a duplicate key of an object.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Ordered::deserialize(deserializer)?.to_value();
        Self::from_json(&value).map_err(de::Error::custom)
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        message_to_json(self, Exactness::Plain, MediaForm::Digest).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Message {
    /// Reads a value. Fails at a duplicate key of an object.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Ordered::deserialize(deserializer)?.to_value();
        message_from_json(&value).map_err(de::Error::custom)
    }
}

/// The number of messages at the beginning of the conversation that a summary stands for.
pub(super) const STANDS_FOR: &str = "standsFor";

/// The number of messages of its own turn that a summary stands for.
pub(super) const STANDS_FOR_IN_TURN: &str = "standsForInTurn";

/// The taint that a message brings in.
pub(super) const TAINT: &str = "taint";

/// The members that a message may have.
const MEMBERS: [&str; 9] = [
    "role",
    "content",
    "name",
    "callId",
    "toolCalls",
    "isError",
    TAINT,
    STANDS_FOR,
    STANDS_FOR_IN_TURN,
];

/// The members that a call may have.
const MEMBERS_OF_CALLS: [&str; 4] = ["id", "tool", "args", "argsText"];

/// Reads messages.
///
/// # Errors
/// When the JSON is not that of messages.
pub fn messages_from_json(value: &Value) -> Result<Vec<Message>, ReadError> {
    let items = value.as_array().ok_or_else(|| {
        ReadError::new(format!(
            "a conversation is an array of messages, and this is {}",
            kind(value)
        ))
    })?;
    let mut messages = Vec::with_capacity(items.len());
    for item in items {
        messages.push(message_from_json(item).map_err(|error| {
            let (number, count) = (messages.len() + 1, items.len());
            ReadError::new(format!("message {number} of {count}: {error}"))
        })?);
    }
    Ok(messages)
}

pub(crate) fn message_from_json(json: &Value) -> Result<Message, ReadError> {
    check_members(
        json,
        &MEMBERS,
        r#"a message is an object, such as {"role": "user", "content": "Hello"}"#,
    )?;
    let content = content_from_json(json)?;
    let name = opt_text(json, "name")?;
    let call_id = opt_text(json, "callId")?;
    let role = opt_text(json, "role")?.ok_or_else(|| {
        ReadError::new("`role` is missing; write `user`, `assistant` or `function`")
    })?;
    let mut message = match Role::from_word(&role)? {
        Role::User => Message::user_parts(content).with_name(name),
        Role::Assistant => Message::assistant_parts(content).with_name(name),
        Role::Function => {
            let (Some(name), Some(id)) = (name, call_id) else {
                return Err(ReadError::new(
                    "a `function` message needs `name` and `callId`, those of the call whose \
                     result it is",
                ));
            };
            Message::function_parts(name, id, content)
        }
    };
    // `Conversation::check` reports calls of a message that is not the model's.
    message = message.with_tool_calls(calls_from_json(json.get("toolCalls"))?);
    match json.get("isError") {
        Some(Value::Bool(true)) => message = message.into_error(),
        None | Some(Value::Bool(false) | Value::Null) => {}
        Some(other) => {
            let found = kind(other);
            return Err(ReadError::new(format!(
                "`isError` is `true` or `false`, not {found}"
            )));
        }
    }
    message = message.with_taint(read_taint(opt_text(json, TAINT)?.as_deref())?);
    let scope = SummaryScope {
        messages: count(json, STANDS_FOR)?,
        messages_of_turn: count(json, STANDS_FOR_IN_TURN)?,
    };
    with_read_scope(message, scope)
}

/// Returns the taint of a word; clean without a word.
pub(crate) fn read_taint(word: Option<&str>) -> Result<Taint, ReadError> {
    let Some(word) = word else {
        return Ok(Taint::Clean);
    };
    Taint::of(word).ok_or_else(|| {
        ReadError::new(format!(
            "`taint` is `clean`, `touched` or `tainted`, not `{word}`"
        ))
    })
}

/// Sets the scope of a summary that was read.
pub(super) fn with_read_scope(message: Message, scope: SummaryScope) -> Result<Message, ReadError> {
    if scope.is_empty() {
        return Ok(message);
    }
    if !message.is_summary() {
        return Err(ReadError::new(format!(
            "`{STANDS_FOR}` and `{STANDS_FOR_IN_TURN}` are only for summaries: messages with the role `user` and \
             the name `summary`"
        )));
    }
    Ok(message.with_scope(scope))
}

fn count(json: &Value, key: &str) -> Result<usize, ReadError> {
    match json.get(key) {
        None | Some(Value::Null) => Ok(0),
        Some(value) => {
            let number = value
                .as_u64()
                .and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| {
                ReadError::new(format!("`{key}` is a number of messages, 0 or more"))
            })
        }
    }
}

fn calls_from_json(json: Option<&Value>) -> Result<Vec<ToolCall>, ReadError> {
    let items = match json {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => {
            let found = kind(other);
            return Err(ReadError::new(format!(
                "`toolCalls` is an array, not {found}"
            )));
        }
    };
    let mut calls = Vec::with_capacity(items.len());
    for item in items {
        calls.push(call_from_json(item).map_err(|error| {
            let number = calls.len() + 1;
            ReadError::new(format!("call {number} of `toolCalls`: {error}"))
        })?);
    }
    Ok(calls)
}

/// Reads a call of a message.
///
/// # Errors
/// When the JSON is not that of a call.
pub fn call_from_json(json: &Value) -> Result<ToolCall, ReadError> {
    check_members(
        json,
        &MEMBERS_OF_CALLS,
        r#"a call is an object, such as {"id": "c1", "tool": "sayHello", "args": {}}"#,
    )?;
    let args = match (opt_text(json, "argsText")?, json.get("args")) {
        (Some(text), _) => text,
        (_, Some(args)) => args_text(args).into_owned(),
        (_, None) => "{}".to_owned(),
    };
    Ok(ToolCall::new(text(json, "id")?, text(json, "tool")?, args))
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
    fn keeps_the_text_of_arguments_that_a_value_loses() {
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
            // The rounded number is written with as many bytes as this one.
            (
                r#"{"n":123456789012345678901}"#,
                json!({"n": 123_456_789_012_345_680_000.0}),
            ),
        ] {
            let kept = json!({"id": "a", "tool": "t", "args": args, "argsText": text});
            check(text, kept);
        }
    }

    /// Otherwise the last value would silently replace the first.
    #[test]
    fn rejects_duplicate_keys() {
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
            // A `Value` has only one of the equal keys.
            let value: Value = serde_json::from_str(&text).expect("JSON");
            assert!(message_from_json(&value).is_ok(), "{text}");
        }
        // Duplicate keys in the arguments that a model sent are kept.
        let sent = ToolCall::new("a", "t", r#"{"n": 1, "n": 2}"#);
        let sent = Message::assistant("").with_tool_calls([sent]);
        let written = serde_json::to_string(&sent).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Message>(&written).expect("its own form"),
            sent
        );
    }

    #[test]
    fn keeps_arguments_that_are_nested_too_deep_as_text() {
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
