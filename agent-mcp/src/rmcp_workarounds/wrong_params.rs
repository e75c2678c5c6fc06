//! The parameters of requests that do not have the types of their methods.
//!
//! rmcp reads a request with a parameter of a wrong type as one of an unknown method, and answers that there is no such
//! method. We need the error of the protocol, -32602, with the name of the parameter. Not reported.

use rmcp::model::ErrorData;
use serde_json::Value;

/// A member of parameters: its name, its type, and whether it is required.
type Member = (&'static str, Type, bool);

#[derive(Clone, Copy)]
enum Type {
    Text,
    Object,
}

/// Returns the error of a request whose parameters rmcp could not read, if its method is served.
pub(crate) fn wrong(method: &str, params: Option<&Value>) -> Option<ErrorData> {
    let members: &[Member] = match method {
        "tools/call" => &[
            ("name", Type::Text, true),
            ("arguments", Type::Object, false),
            ("requestState", Type::Text, false),
            ("inputResponses", Type::Object, false),
        ],
        "tasks/get" | "tasks/cancel" => &[("taskId", Type::Text, true)],
        "tasks/update" => &[
            ("taskId", Type::Text, true),
            ("inputResponses", Type::Object, true),
        ],
        _ => return None,
    };
    let found = members.iter().find_map(|(name, expected, is_required)| {
        let value = params.and_then(|params| params.get(name));
        let value = value.unwrap_or(&Value::Null);
        let is_right = match expected {
            Type::Text => value.is_string(),
            Type::Object => value.is_object(),
        };
        if is_right || value.is_null() && !is_required {
            return None;
        }
        let expected = match expected {
            Type::Text => "a string",
            Type::Object => "an object",
        };
        Some(match value {
            Value::Null => format!("`params.{name}` is missing; it must be {expected}"),
            value => format!("`params.{name}` must be {expected}, not {}", kind(value)),
        })
    });
    let text = found.unwrap_or_else(|| format!("the parameters are not those of `{method}`"));
    Some(ErrorData::invalid_params(text, None))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
