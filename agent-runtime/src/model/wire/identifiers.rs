//! Call ids and tool names that every provider accepts.

use super::stable_hash;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The longest id that every provider accepts. OpenAI has the lowest limit.
const MAX_ID: usize = 40;

/// The call ids of one request.
///
/// Most ids are sent as they are. An id that a provider would reject is replaced: one from a file or another
/// server with a character or a length that is not accepted, and one that an earlier message has used. The
/// history keeps its ids.
///
/// The replacement depends on the id and on the messages before it alone, so that a later message never changes
/// an id that was sent before, and the provider's prompt cache works. Ids are therefore asked for in the order
/// of the messages.
#[derive(Default)]
pub(in crate::model) struct WireIds<'a> {
    /// The ids that were sent so far.
    sent: HashSet<Cow<'a, str>>,
    /// The ids that were replaced, with the last replacement of each.
    replaced: HashMap<&'a str, String>,
}

impl<'a> WireIds<'a> {
    /// Returns the id that is sent for a call.
    pub(in crate::model) fn call(&mut self, id: &'a str) -> Cow<'a, str> {
        if is_accepted(id) && self.sent.insert(Cow::Borrowed(id)) {
            return Cow::Borrowed(id);
        }
        let hash = stable_hash(&[id]);
        // This form differs from that of the ids that a run creates.
        let first = format!("id_{hash:016x}");
        let others = (2_u64..).map(|number| format!("{first}_{number}"));
        let mut free = std::iter::once(first.clone()).chain(others);
        let fresh = free.find(|id| !self.sent.contains(id.as_str()));
        let fresh = fresh.unwrap_or(first);
        self.sent.insert(Cow::Owned(fresh.clone()));
        self.replaced.insert(id, fresh.clone());
        Cow::Owned(fresh)
    }

    /// Returns the id that is sent for the result of a call.
    pub(in crate::model) fn result<'b>(&'b mut self, id: &'a str) -> Cow<'b, str> {
        if !is_accepted(id) && !self.replaced.contains_key(id) {
            // A result without a call, which only an unchecked history has.
            return self.call(id);
        }
        match self.replaced.get(id) {
            Some(id) => Cow::Borrowed(id),
            None => Cow::Borrowed(id),
        }
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
/// The names of declared tools have that form. A model can invent a name in another form, which is then part
/// of the history. The provider would reject the next request because of this name, and the run would end.
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

    /// The ids that are sent for the calls of messages, each with one call, and for their results.
    fn sent(ids: &[&str]) -> Vec<String> {
        let mut wire = WireIds::default();
        let sent = ids.iter().map(|id| {
            let call = wire.call(id).into_owned();
            assert_eq!(wire.result(id), call, "the result of `{id}`");
            call
        });
        sent.collect()
    }

    #[test]
    fn replaces_ids_that_providers_reject_and_ids_that_were_sent_before() {
        let long = "x".repeat(41);
        let just = "x".repeat(40);
        let ids = ["call_1", "a.b", &long, &just, "", "call_1", "a.b", "call_1"];
        let found = sent(&ids);
        assert_eq!([&found[0], &found[3]], ["call_1", just.as_str()]);
        for (id, wire) in ids.iter().zip(&found) {
            assert!(is_accepted(wire), "`{wire}` for `{id}`");
            assert!(wire == id || wire.starts_with("id_"), "`{wire}` for `{id}`");
        }
        let different: HashSet<_> = found.iter().collect();
        assert_eq!(different.len(), ids.len(), "{found:?}");
    }

    #[test]
    fn later_messages_never_change_an_id_that_was_sent() {
        let replacement = sent(&["a.b"]).remove(0);
        let ids = ["a.b", "c", &replacement, "a.b", "ä", "c", ""];
        let whole = sent(&ids);
        for count in 0..ids.len() {
            assert_eq!(sent(&ids[..count]), whole[..count]);
        }
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
