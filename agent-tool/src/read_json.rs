//! Reading the JSON forms of conversations, their parts and saved runs.

use agent_spec::names::nearly_spells;
use serde_json::Value;
use std::fmt;

/// The error of reading a conversation, a run or a response from JSON or from a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(String);

impl ReadError {
    #[doc(hidden)]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

/// Checks that a value is an object, and that none of its names is nearly that of a known member: `tool_calls`,
/// which providers write, would otherwise be ignored.
pub fn check_members(json: &Value, known: &[&str], form: &str) -> Result<(), ReadError> {
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

/// Names the kind of a value.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Reads a member that is a text.
///
/// # Errors
/// When the member is missing or is not a text.
pub fn text(json: &Value, key: &str) -> Result<String, ReadError> {
    opt_text(json, key)?.ok_or_else(|| ReadError(format!("`{key}` is missing")))
}

/// Reads a member that is a text or missing.
///
/// # Errors
/// When the member is not a text.
pub fn opt_text(json: &Value, key: &str) -> Result<Option<String>, ReadError> {
    match json.get(key) {
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Null) | None => Ok(None),
        Some(other) => Err(ReadError(format!("`{key}` is a text, not {}", kind(other)))),
    }
}

/// Whether lists and objects are nested deeper than `levels`.
pub fn nests_deeper(json: &Value, levels: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match json {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return false,
    };
    levels == 0 || inner.any(|inner| nests_deeper(inner, levels - 1))
}
