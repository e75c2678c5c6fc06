//! Which values are written as fences.

use super::writer::is_fence_text;
use crate::value::Value;

/// The tag, if any, and the text of a value that is to be written as a fence.
pub(super) fn fenced(value: &Value) -> Option<(&str, &str)> {
    let (tag, text) = match value {
        Value::String(text) => ("", text.as_str()),
        Value::Tagged(tagged) => (tagged.tag(), tagged.content()),
        _ => return None,
    };
    is_fence_text(text).then_some((tag, text))
}
