//! Which texts are written as fences.

use crate::value::{Value, as_str};

/// How many characters a text in quotes may have.
const LONGEST_QUOTED: usize = 120;

/// The text of a value, and its tag, when it is to be written as a fence.
pub(super) fn fenced(value: &Value) -> Option<(&str, &str)> {
    let (tag, text) = match value {
        Value::String(text) => ("", as_str(text)),
        Value::Tagged(tagged) => (tagged.tag(), tagged.content()),
        _ => return None,
    };
    (is_long(text) && can_be_fenced(text)).then_some((tag, text))
}

/// Whether a text has a line end or more characters than quotes may hold.
fn is_long(text: &str) -> bool {
    text.contains('\n')
        || (text.len() > LONGEST_QUOTED && text.chars().nth(LONGEST_QUOTED).is_some())
}

/// Whether a fence gives the text back: its end is three backticks, and the line end before those,
/// with a CR if there is one, is not part of the text.
fn can_be_fenced(text: &str) -> bool {
    !text.contains("```") && !text.ends_with('\r')
}
