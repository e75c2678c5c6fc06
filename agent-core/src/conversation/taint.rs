//! The taint of messages and conversations.

use super::Message;
use agent_effects::Taint;

/// The worst value of messages.
pub(crate) fn worst<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Taint {
    let taints = messages.into_iter().map(Message::taint);
    taints.max().unwrap_or_default()
}

/// The number of messages that brought something in.
pub(super) fn marks(messages: &[Message]) -> usize {
    messages
        .iter()
        .filter(|message| !message.taint().is_clean())
        .count()
}

/// Marks the first of the messages that are kept when one with a mark was removed, so that the conversation keeps its taint. The
/// values of messages that touched the conversation cannot be found in the arguments of calls any more, so that it is tainted
/// then. `before` is the number of marks before.
pub(super) fn keep_taint(before: usize, kept: &mut [Message]) {
    if before > marks(kept)
        && worst(&*kept) < Taint::Tainted
        && let Some(first) = kept.first_mut()
    {
        *first = first.clone().with_taint(Taint::Tainted);
    }
}
