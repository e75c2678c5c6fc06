//! Types and allowed values in the words of messages.

use crate::json_value::plain;
use crate::types::Type;

/// The labels of the types of a union in words: `Text, Int or Object`.
pub(super) fn labels_in_words(types: &[Type]) -> String {
    let mut labels: Vec<&str> = Vec::new();
    for ty in types {
        if !labels.contains(&ty.label()) {
            labels.push(ty.label());
        }
    }
    match labels.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        labels => labels.concat(),
    }
}

/// The maximum number of allowed values that a message names.
pub(super) const MOST_NAMED: usize = 20;

pub(super) fn one_of(allowed: &[agent_gram::Value]) -> String {
    let items = allowed.iter().take(MOST_NAMED).filter_map(plain);
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    match (items.as_slice(), allowed.len().saturating_sub(MOST_NAMED)) {
        ([only], 0) => only.clone(),
        (items, 0) => format!("one of {}", items.join(", ")),
        (items, more) => format!("one of {} and {more} more", items.join(", ")),
    }
}

/// Returns the text of a value that is a text, tagged or not.
pub(super) fn text_of(value: &agent_gram::Value) -> Option<&str> {
    match value {
        agent_gram::Value::String(text) => Some(text),
        agent_gram::Value::Tagged(tagged) => Some(tagged.content()),
        _ => None,
    }
}
