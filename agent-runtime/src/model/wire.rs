//! What the wire formats of providers have in common.

mod assembly;
mod body;
mod identifiers;
mod json;

pub(super) use assembly::Assembly;
pub(super) use body::{Object, finished};
pub(super) use identifiers::{WireIds, wire_name};
pub(super) use json::{arguments_text, parse, raw_at, raw_items};

use crate::conversation::{Message, ToolCall};
use crate::model::http::Frame;
use agent_spec::json::Ordered;
use serde_core::Deserialize as _;
use serde_json::{Map, Value};

/// What the user says first where a provider wants the user to begin and the history has the model
/// begin.
pub(super) const BEGINNING: &str = "(The conversation begins with your answer.)";

/// The arguments of a call as it is sent back: as the model sent them if they are an object, else
/// an empty object.
///
/// Servers that parse the arguments of earlier calls refuse the whole request for any other text,
/// and every later one too, since the history keeps it. Why the call failed says its result.
pub(super) fn arguments(call: &ToolCall) -> &str {
    let text = call.args_text();
    let is_object = serde_json::from_str::<Map<_, _>>(text).is_ok();
    if is_object { text } else { "{}" }
}

/// The same as an object, for formats that have one and no text.
pub(super) fn arguments_object(call: &ToolCall) -> Ordered {
    let text = arguments(call);
    let in_order = serde_json::from_str::<Ordered>(text);
    // Members that are there twice have no order; the last counts.
    in_order.unwrap_or_else(|_| ordered(&serde_json::from_str(text).unwrap_or_default()))
}

/// A value as it stands.
pub(super) fn ordered(value: &Value) -> Ordered {
    Ordered::deserialize(value).unwrap_or(Ordered::Null)
}

/// The text of a result for formats that have no sign for a failed call.
pub(super) fn result_text(message: &Message) -> String {
    if message.is_error() {
        format!("Error: {}", message.content())
    } else {
        message.content().to_owned()
    }
}

/// Tells of settings that a provider does not take; the agent may run with another.
pub(super) fn left_out<const N: usize>(provider: &str, settings: [(&str, bool); N]) {
    for (setting, is_said) in settings {
        if is_said {
            tracing::warn!(
                provider,
                setting,
                "a setting that the provider does not take"
            );
        }
    }
}

/// Whether an event says nothing: proxies keep a connection open with such.
pub(super) fn is_sign_of_life(event: &Frame) -> bool {
    event.data.trim().is_empty() && event.event != "error"
}

/// The text at a key.
pub(super) fn text(json: &Value, key: &str) -> Option<String> {
    json.get(key)?.as_str().map(str::to_owned)
}

/// The list at a key; an empty one when there is none.
pub(super) fn list<'a>(json: &'a Value, key: &str) -> &'a [Value] {
    match json.get(key) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// The count below these keys, if it is one. The keys stand in a path, each after a slash; unlike a
/// JSON pointer it needs no memory.
pub(super) fn count(json: &Value, path: &str) -> Option<u64> {
    let keys = path.split('/').skip(1);
    let mut at = json;
    for key in keys {
        at = at.get(key)?;
    }
    at.as_u64()
}
