//! The taint of messages and conversations.

use super::Message;
use agent_effects::Taint;

/// The worst value of messages.
pub(crate) fn worst<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Taint {
    let taints = messages.into_iter().map(Message::taint);
    taints.max().unwrap_or_default()
}

/// Marks the first of the messages that are kept when others were removed, so that the conversation keeps its taint. The
/// values of messages that touched the conversation cannot be found in the arguments of calls any more, so that it is tainted
/// then.
pub(super) fn keep_taint(before: Taint, kept: &mut [Message]) {
    if before > worst(&*kept)
        && let Some(first) = kept.first_mut()
    {
        *first = first.clone().with_taint(Taint::Tainted);
    }
}
