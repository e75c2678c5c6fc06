//! The calls that assertions look at, and how they are shown.

use crate::tool::shortened;
use serde_json::Value;
use std::fmt;

/// How much of one call is shown, in bytes.
const SHOWN: usize = 400;

/// One call and what came of it.
#[derive(Clone, Debug)]
pub struct Call {
    pub(super) tool: String,
    pub(super) args: Value,
    /// The result, or what the model read in its place.
    pub(super) result: Result<Value, String>,
    /// Whether the result is what the model reads: a text as it is, anything else as JSON.
    pub(super) is_text: bool,
    /// What kind of failure it is, if it is one and that can be told.
    pub(super) failure: Option<Failure>,
}

/// A call that has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The tool asked for other arguments, and may be called again.
    Retry,
    /// Anything else.
    Final,
}

impl Call {
    /// Whether it failed in this way, as far as can be told.
    pub(super) fn may_be(&self, failure: Failure) -> bool {
        self.result.is_err() && self.failure.is_none_or(|known| known == failure)
    }

    pub(super) fn returned(&self, wanted: &Value) -> bool {
        match &self.result {
            Ok(found) if found == wanted => true,
            Ok(Value::String(text)) if self.is_text => {
                serde_json::from_str::<Value>(text).is_ok_and(|found| found == *wanted)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.tool, self.args)?;
        match &self.result {
            Ok(Value::String(text)) => write!(out, " → {text}"),
            Ok(value) => write!(out, " → {value}"),
            Err(text) => write!(out, " ✗ {text}"),
        }
    }
}

/// The calls, one a line.
pub(super) fn shown(calls: &[Call]) -> String {
    if calls.is_empty() {
        return "\nno tool was called".to_owned();
    }
    let lines = (1..).zip(calls).map(|(number, call)| {
        let line = call.to_string().replace('\n', "\\n");
        format!("\n  {number}. {}", shortened(&line, SHOWN))
    });
    format!("\nthe calls were:{}", lines.collect::<String>())
}

pub(super) fn names(tools: &[&str]) -> String {
    if tools.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
    names.join(", ")
}

pub(super) fn times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}
