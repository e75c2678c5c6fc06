//! The inputs of the handlers. Their errors are those of this crate, and not those of the JSON parser.

use agent_runtime::__private::shortened;
use agent_runtime::run::Decision;
use agent_runtime::runtime::Input;
use agent_runtime::{Conversation, Message};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// An input of `approve`: a call, and the decision on it.
#[derive(Debug)]
pub(crate) struct Approval {
    pub(crate) call: String,
    pub(crate) decision: Decided,
}

/// A decision in the form in which the engine has it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", tag = "decision")]
pub(crate) enum Decided {
    Approve,
    Deny { reason: Option<String> },
    Edit { arguments: Value },
    Done { result: Value },
    Unknown,
}

impl Decided {
    /// Whether the decision has a value that may be of a wrong type.
    pub(crate) fn may_not_fit(&self) -> bool {
        matches!(self, Self::Edit { .. } | Self::Done { .. })
    }

    /// Whether the decision is for a call in doubt alone.
    pub(crate) fn is_about_doubt(&self) -> bool {
        matches!(self, Self::Done { .. } | Self::Unknown)
    }
}

impl From<Decided> for Decision {
    fn from(decided: Decided) -> Self {
        match decided {
            Decided::Approve => Self::Approve,
            Decided::Deny { reason } => Self::Deny { reason },
            Decided::Edit { arguments } => Self::Edit { args: arguments },
            Decided::Done { result } => Self::Done { result },
            Decided::Unknown => Self::Unknown,
        }
    }
}

/// Parses an object that has no members except the named ones.
fn object(json: &[u8], names: &[&str]) -> Result<Map<String, Value>, String> {
    let known = names.iter().map(|name| format!("`{name}`"));
    let known = known.collect::<Vec<_>>().join(", ");
    let value: Value = serde_json::from_slice(json).map_err(|error| {
        format!("the body is no JSON: {error}; expected an object with {known}")
    })?;
    let members = match value {
        Value::Object(members) => members,
        other => {
            let found = match other {
                Value::Array(_) => "a list",
                Value::String(_) => "a text",
                Value::Number(_) => "a number",
                Value::Bool(_) => "a boolean",
                _ => "null",
            };
            return Err(format!(
                "the body is {found}; expected an object with {known}"
            ));
        }
    };
    match members.keys().find(|key| !names.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown member `{key}`; expected {known}")),
        None => Ok(members),
    }
}

/// Reads the input of `send`.
///
/// # Errors
/// The text of the problem.
pub(crate) fn message(json: &[u8]) -> Result<Input, String> {
    let mut members = object(json, &["message", "arguments"])?;
    match (members.remove("message"), members.remove("arguments")) {
        (Some(Value::String(text)), None) => Ok(Input::new(text)),
        (None, Some(arguments @ Value::Object(_))) => Ok(Input::from_arguments(arguments)),
        (Some(parts @ Value::Array(_)), None) => {
            let message = json!([{"role": "user", "content": parts}]);
            let message = Conversation::from_json(&message)
                .map_err(|error| format!("`message` is no list of parts: {error}"))?;
            let parts = message.last().map(Message::parts).unwrap_or_default();
            Ok(Input::from(parts.to_vec()))
        }
        (Some(_), Some(_)) => {
            Err("expected either `message` or `arguments`, found both".to_owned())
        }
        _ => Err(
            "expected `message`, a text or a list of parts, or `arguments`, an object".to_owned(),
        ),
    }
}

/// Reads the input of `approve`.
///
/// # Errors
/// The text of the problem.
pub(crate) fn approval(json: &[u8]) -> Result<Approval, String> {
    let names = ["call", "decision", "reason", "arguments", "result"];
    let mut members = object(json, &names)?;
    let text = |value: Option<Value>| match value {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let call =
        text(members.remove("call")).ok_or("expected `call`, the id of a call that waits")?;
    let word = members.remove("decision");
    let word = text(word).ok_or("expected `decision`, a text such as `approve`")?;
    let decision = match word.as_str() {
        "approve" => Decided::Approve,
        "deny" => Decided::Deny {
            reason: match members.remove("reason") {
                None | Some(Value::Null) => None,
                Some(Value::String(reason)) => Some(reason),
                Some(other) => return Err(format!("`reason` is `{other}`; expected a text")),
            },
        },
        "edit" => Decided::Edit {
            arguments: members
                .remove("arguments")
                .ok_or("`edit` needs `arguments`, with which the call is made")?,
        },
        "done" => Decided::Done {
            result: members
                .remove("result")
                .ok_or("`done` needs `result`, which the call had")?,
        },
        "unknown" => Decided::Unknown,
        other => {
            return Err(format!(
                "the decision is `{}`; expected `approve`, `deny`, `edit`, or for a call in doubt `done` or `unknown`",
                shortened(other, 100)
            ));
        }
    };
    match members.keys().next() {
        Some(key) => Err(format!("`{key}` does not belong to the decision `{word}`")),
        None => Ok(Approval { call, decision }),
    }
}

/// Reads the input of `progress`: the number of the first event.
///
/// # Errors
/// The text of the problem.
pub(crate) fn since(json: &[u8]) -> Result<u64, String> {
    if json.is_empty() {
        return Ok(0);
    }
    match object(json, &["since"])?.remove("since") {
        None => Ok(0),
        Some(since) => since.as_u64().ok_or_else(|| {
            format!(
                "`since` is `{since}`; expected a number from 0, such as `next` of the last answer"
            )
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_inputs_are_errors_that_say_what_is_right() {
        for (body, expected) in [
            (
                "",
                "the body is no JSON: EOF while parsing a value at line 1 column 0; expected an object with `message`, `arguments`",
            ),
            (
                "[]",
                "the body is a list; expected an object with `message`, `arguments`",
            ),
            (
                r#"{"text": "a"}"#,
                "unknown member `text`; expected `message`, `arguments`",
            ),
            (
                "{}",
                "expected `message`, a text or a list of parts, or `arguments`, an object",
            ),
            (
                r#"{"message": "a", "arguments": {}}"#,
                "expected either `message` or `arguments`, found both",
            ),
        ] {
            assert_eq!(message(body.as_bytes()).expect_err(body), expected);
        }
        let error = message(br#"{"message": [{"type": "video"}]}"#).expect_err("no part");
        assert!(
            error.starts_with("`message` is no list of parts: "),
            "{error}"
        );
        for (body, expected) in [
            ("{}", "expected `call`, the id of a call that waits"),
            (
                r#"{"call": "c", "decision": "ok"}"#,
                "the decision is `ok`; expected `approve`, `deny`, `edit`, or for a call in doubt `done` or `unknown`",
            ),
            (
                r#"{"call": "c", "decision": "edit"}"#,
                "`edit` needs `arguments`, with which the call is made",
            ),
            (
                r#"{"call": "c", "decision": "done"}"#,
                "`done` needs `result`, which the call had",
            ),
            (
                r#"{"call": "c", "decision": "deny", "reason": 1}"#,
                "`reason` is `1`; expected a text",
            ),
            (
                r#"{"call": "c", "decision": "approve", "reason": "x"}"#,
                "`reason` does not belong to the decision `approve`",
            ),
        ] {
            assert_eq!(approval(body.as_bytes()).expect_err(body), expected);
        }
        let error = since(br#"{"since": -1}"#).expect_err("negative");
        assert!(error.starts_with("`since` is `-1`"), "{error}");
    }

    #[test]
    fn inputs_are_read() {
        message(br#"{"message": "Hello"}"#).expect("a text");
        message(br#"{"message": [{"type": "text", "text": "Hello"}]}"#).expect("parts");
        message(br#"{"arguments": {"a": 1}}"#).expect("arguments");
        let read = approval(br#"{"call": "c", "decision": "deny", "reason": "no"}"#).expect("it");
        assert_eq!(read.call, "c");
        let reason = Some("no".to_owned());
        assert_eq!(read.decision, Decided::Deny { reason });
        assert_eq!(since(b""), Ok(0));
        assert_eq!(since(br#"{"since": 7}"#), Ok(7));
    }
}
