//! Reading messages, which people write, too: what is wrong is told with the message it is in.

use super::{ReadError, args_text};
use crate::conversation::{Message, Role, ToolCall};
use agent_spec::names::nearly_spells;
use serde_json::Value;

/// The members that a message may have.
const MEMBERS: [&str; 7] = [
    "role",
    "content",
    "name",
    "callId",
    "toolCalls",
    "isError",
    "providerData",
];

/// The members that a call may have.
const MEMBERS_OF_CALLS: [&str; 4] = ["id", "tool", "args", "argsText"];

pub(crate) fn messages_from_json(value: &Value) -> Result<Vec<Message>, ReadError> {
    let items = value.as_array().ok_or_else(|| {
        ReadError(format!(
            "a conversation is an array of messages, and this is {}",
            kind(value)
        ))
    })?;
    let numbered = (1..).zip(items);
    numbered
        .map(|(number, item)| {
            message_from_json(item)
                .map_err(|error| ReadError(format!("message {number} of {}: {error}", items.len())))
        })
        .collect()
}

pub(crate) fn message_from_json(json: &Value) -> Result<Message, ReadError> {
    check_members(
        json,
        &MEMBERS,
        r#"a message is an object, such as {"role": "user", "content": "Hello"}"#,
    )?;
    let content = opt_text(json, "content")?.unwrap_or_default();
    let name = opt_text(json, "name")?;
    let call_id = opt_text(json, "callId")?;
    let role = opt_text(json, "role")?.ok_or_else(|| {
        ReadError::new("`role` is missing; write `user`, `assistant` or `function`")
    })?;
    let mut message = match Role::from_word(&role)? {
        Role::User => Message::user(content).with_name(name),
        Role::Assistant => Message::assistant(content).with_name(name),
        Role::Function => {
            let (Some(name), Some(id)) = (name, call_id) else {
                return Err(ReadError::new(
                    "a `function` message needs `name` and `callId`, those of the call whose \
                     result it is",
                ));
            };
            Message::function(name, id, content)
        }
    };
    // Only the model calls tools; that somebody else does is for `Conversation::check` to say.
    message = message.with_tool_calls(calls_from_json(json.get("toolCalls"))?);
    match json.get("isError") {
        Some(Value::Bool(true)) => message = message.into_error(),
        None | Some(Value::Bool(false) | Value::Null) => {}
        Some(other) => {
            let found = kind(other);
            return Err(ReadError(format!(
                "`isError` is `true` or `false`, not {found}"
            )));
        }
    }
    if let Some(data) = json.get("providerData") {
        message = message.with_provider_data(data.clone());
    }
    Ok(message)
}

fn calls_from_json(json: Option<&Value>) -> Result<Vec<ToolCall>, ReadError> {
    let items = match json {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => {
            let found = kind(other);
            return Err(ReadError(format!("`toolCalls` is an array, not {found}")));
        }
    };
    let numbered = (1..).zip(items);
    numbered
        .map(|(number, item)| {
            call_from_json(item)
                .map_err(|error| ReadError(format!("call {number} of `toolCalls`: {error}")))
        })
        .collect()
}

pub(crate) fn call_from_json(json: &Value) -> Result<ToolCall, ReadError> {
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

/// Refuses what is no object, and names that nearly are those of members: `tool_calls`, which
/// providers write, would be passed over in silence.
fn check_members(json: &Value, known: &[&str], form: &str) -> Result<(), ReadError> {
    let Value::Object(members) = json else {
        return Err(ReadError(format!("this is {}; {form}", kind(json))));
    };
    for found in members.keys() {
        let is_known = known.contains(&found.as_str());
        let meant = known.iter().find(|known| nearly_spells(found, known));
        if let (false, Some(meant)) = (is_known, meant) {
            return Err(ReadError(format!(
                "`{found}` is unknown; did you mean `{meant}`?"
            )));
        }
    }
    Ok(())
}

/// What a value is, for people.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

pub(crate) fn text(json: &Value, key: &str) -> Result<String, ReadError> {
    opt_text(json, key)?.ok_or_else(|| ReadError(format!("`{key}` is missing")))
}

pub(crate) fn opt_text(json: &Value, key: &str) -> Result<Option<String>, ReadError> {
    match json.get(key) {
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Null) | None => Ok(None),
        Some(other) => Err(ReadError(format!("`{key}` is a text, not {}", kind(other)))),
    }
}
