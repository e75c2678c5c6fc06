//! Call ids and tool names that every provider accepts.

use crate::conversation::{Message, ToolCall};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The longest id that every provider accepts. OpenAI has the lowest limit.
const MAX_ID: usize = 40;

/// Replacements for the call ids of a conversation that a provider would reject.
///
/// A conversation with such ids may come from a file or from another server, and the provider would reject
/// each of its requests. The history keeps its ids.
pub(in crate::model) struct WireIds<'a>(BTreeMap<&'a str, String>);

impl<'a> WireIds<'a> {
    /// Creates the ids of a conversation. Equal conversations get equal ids, so that the server's prompt
    /// cache works.
    pub(in crate::model) fn new(messages: &'a [Message]) -> Self {
        let ids = || {
            let calls = messages.iter().flat_map(Message::tool_calls);
            let results = messages.iter().filter_map(Message::call_id);
            calls.map(ToolCall::id).chain(results)
        };
        if ids().all(is_accepted) {
            return Self(BTreeMap::new());
        }
        let taken: BTreeSet<&str> = ids().filter(|id| is_accepted(id)).collect();
        // Not the form of the ids that a run creates, because a later call may get one of them.
        let mut free = (1_u64..)
            .map(|number| format!("id_{number}"))
            .filter(|id| !taken.contains(id.as_str()));
        let mut minted = BTreeMap::new();
        for id in ids().filter(|id| !is_accepted(id)) {
            if !minted.contains_key(id) {
                minted.insert(id, free.next().unwrap_or_default());
            }
        }
        Self(minted)
    }

    /// Returns the id that is sent for an id of the conversation.
    pub(in crate::model) fn wire<'b>(&'b self, id: &'b str) -> &'b str {
        self.0.get(id).map_or(id, String::as_str)
    }
}

fn is_accepted(id: &str) -> bool {
    let is_accepted = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=MAX_ID).contains(&id.len()) && id.chars().all(is_accepted)
}

/// The longest name that every provider accepts.
const MAX_NAME: usize = 64;

/// Returns a tool's name in a form that providers accept: `^[a-zA-Z0-9_-]{1,64}$`, in OpenAI's words.
///
/// The names of declared tools have that form. A model can invent another one, which is part of the history;
/// the provider would reject the next request for it, and the run would end.
pub(in crate::model) fn wire_name(name: &str) -> Cow<'_, str> {
    let is_accepted = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_accepted) {
        return Cow::Borrowed(name);
    }
    let mut accepted: String = name
        .chars()
        .take(MAX_NAME)
        .map(|c| if is_accepted(c) { c } else { '_' })
        .collect();
    if accepted.is_empty() {
        accepted.push('_');
    }
    Cow::Owned(accepted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_bad_ids_in_calls_and_results() {
        let long = "x".repeat(41);
        let just = "x".repeat(40);
        let calls = ["call_1", "a.b", &long, "id_1", &just, "ä"];
        let mut messages = vec![
            Message::assistant("").with_tool_calls(calls.map(|id| ToolCall::new(id, "t", "{}"))),
        ];
        messages.extend(calls.map(|id| Message::function("t", id, "done")));
        let ids = WireIds::new(&messages);
        let expected = ["call_1", "id_2", "id_3", "id_1", &just, "id_4"];
        assert_eq!(calls.map(|id| ids.wire(id)), expected);
    }

    #[test]
    fn replaces_what_providers_reject_in_invented_names() {
        let long = "x".repeat(80);
        for (name, wire) in [
            ("sayHello", "sayHello"),
            ("functions.bookTable", "functions_bookTable"),
            ("bookTable ", "bookTable_"),
            ("grüße", "gr__e"),
            ("", "_"),
            (long.as_str(), &long[..64]),
        ] {
            assert_eq!(wire_name(name), wire, "{name}");
        }
    }
}
