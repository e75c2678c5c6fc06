//! Ids of calls as providers take them.

use crate::conversation::{Message, ToolCall};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The longest id that every provider takes; OpenAI's limit is the least.
const LONGEST: usize = 40;

/// The ids of a conversation that do not fit, with those that are sent in their place.
///
/// A conversation may have been begun with another server or come from a file, and the next server
/// would refuse every request that holds such an id. The history keeps the ids it has.
pub(in crate::model) struct WireIds<'a>(BTreeMap<&'a str, String>);

impl<'a> WireIds<'a> {
    /// The ids of a conversation: the same for the same one, so that caches of the server hold.
    pub(in crate::model) fn of(messages: &'a [Message]) -> Self {
        let ids = || {
            let calls = messages.iter().flat_map(Message::tool_calls);
            let results = messages.iter().filter_map(Message::call_id);
            calls.map(ToolCall::id).chain(results)
        };
        // As a rule all fit.
        if ids().all(is_fine) {
            return Self(BTreeMap::new());
        }
        let taken: BTreeSet<&str> = ids().filter(|id| is_fine(id)).collect();
        // Not the form of the ids that a run invents, which a later call may well get.
        let mut free = (1_u64..)
            .map(|number| format!("id_{number}"))
            .filter(|id| !taken.contains(id.as_str()));
        let mut minted = BTreeMap::new();
        for id in ids().filter(|id| !is_fine(id)) {
            if !minted.contains_key(id) {
                minted.insert(id, free.next().unwrap_or_default());
            }
        }
        Self(minted)
    }

    /// The id that is sent for one of the conversation.
    pub(in crate::model) fn wire<'b>(&'b self, id: &'b str) -> &'b str {
        self.0.get(id).map_or(id, String::as_str)
    }
}

fn is_fine(id: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=LONGEST).contains(&id.len()) && id.chars().all(is_fine)
}

/// The longest name that every provider takes.
const LONGEST_NAME: usize = 64;

/// A name that providers take: `^[a-zA-Z0-9_-]{1,64}$`, as OpenAI's error texts have it.
///
/// Names of declared tools satisfy that. A model can invent one that does not, and what it said is
/// sent back to it: the service would refuse the whole request, and so end the run.
pub(in crate::model) fn wire_name(name: &str) -> Cow<'_, str> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_fine) {
        return Cow::Borrowed(name);
    }
    let mut fine: String = name
        .chars()
        .take(LONGEST_NAME)
        .map(|c| if is_fine(c) { c } else { '_' })
        .collect();
    if fine.is_empty() {
        fine.push('_');
    }
    Cow::Owned(fine)
}

#[cfg(test)]
mod tests {
    use super::{wire_name, *};

    #[test]
    fn ids_that_do_not_fit_are_replaced_for_call_and_result_alike() {
        let long = "x".repeat(41);
        let just = "x".repeat(40);
        let calls = ["call_1", "a.b", &long, "id_1", &just, "ä"];
        let mut messages = vec![
            Message::assistant("").with_tool_calls(calls.map(|id| ToolCall::new(id, "t", "{}"))),
        ];
        messages.extend(calls.map(|id| Message::function("t", id, "done")));
        let ids = WireIds::of(&messages);
        let expected = ["call_1", "id_2", "id_3", "id_1", &just, "id_4"];
        assert_eq!(calls.map(|id| ids.wire(id)), expected);
    }

    #[test]
    fn invented_names_are_made_to_fit() {
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
