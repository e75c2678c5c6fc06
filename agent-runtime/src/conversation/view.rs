//! The part of a conversation that the model gets.

use super::{Message, Role, SummaryScope, begins_turn, estimate_tokens_for, summaries};
use agent_spec::Model;
use std::ops::Range;

/// The part of a history that the model gets: the last summary, and the messages that it does not stand for.
#[derive(Clone, Debug)]
pub(crate) struct View<'m> {
    messages: &'m [Message],
    /// The index of the last summary of messages that are still there.
    summary: Option<usize>,
    /// The number of summaries of removed messages at the beginning, which are always sent.
    head: usize,
    /// The index of the first message behind these that is sent.
    first: usize,
    /// The messages of one turn that the summary stands for.
    skipped: Range<usize>,
    /// The number of messages at the beginning that are not sent in any case.
    hidden: usize,
}

impl<'m> View<'m> {
    /// Creates the view of a history whose first `hidden` messages are not sent, except for summaries.
    pub(crate) fn new(messages: &'m [Message], hidden: usize) -> Self {
        let is_summary = |message: &Message| message.summary_scope().is_some();
        let summary = messages.iter().rposition(is_summary);
        let scope = summary.and_then(|at| messages[at].summary_scope());
        Self::of(messages, hidden, summary, scope.unwrap_or_default())
    }

    /// Returns the view with a summary at the end of the history, which is not written yet.
    pub(crate) fn behind(&self, scope: SummaryScope) -> Self {
        Self::of(self.messages, self.hidden, None, scope)
    }

    /// A scope that was counted in another conversation may end in the middle of a turn or a step. The whole turn
    /// or step is sent then, so that no message is lost and no call is separated from its result.
    fn of(
        messages: &'m [Message],
        hidden: usize,
        summary: Option<usize>,
        scope: SummaryScope,
    ) -> Self {
        let end = summary.unwrap_or(messages.len());
        let mut first = scope.messages.min(end);
        while first > 0 && first < end && !begins_turn(&messages[first]) {
            first -= 1;
        }
        let mut skipped = 0..0;
        if scope.messages_of_turn > 0
            && let Some(turn) = messages[..end].iter().rposition(begins_turn)
        {
            let mut until = (turn + 1).saturating_add(scope.messages_of_turn).min(end);
            while until > turn + 1 && until < end && !begins_step(messages, until) {
                until -= 1;
            }
            skipped = turn + 1..until;
        }
        Self {
            messages,
            summary,
            head: if first == 0 { summaries(messages) } else { 0 },
            first: first.max(hidden),
            skipped,
            hidden,
        }
    }

    /// The whole history.
    pub(super) fn history(&self) -> &'m [Message] {
        self.messages
    }

    /// The summary with which the view begins.
    pub(super) fn summary(&self) -> Option<&'m Message> {
        self.summary.map(|at| &self.messages[at])
    }

    /// The indexes of the messages in the history, in the order in which they are sent.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut places: Vec<usize> = self.summary.into_iter().collect();
        places.extend(self.places_behind_summary());
        places
    }

    /// The indexes of the messages without that of the summary.
    pub(super) fn places_behind_summary(&self) -> impl Iterator<Item = usize> {
        let is_sent =
            |at: &usize| !self.skipped.contains(at) && self.messages[*at].summary_scope().is_none();
        let rest = self.first.max(self.head)..self.messages.len();
        (0..self.head).chain(rest).filter(is_sent)
    }

    /// Returns the messages, in the order in which they are sent.
    pub(crate) fn messages(&self) -> Vec<Message> {
        if self.summary.is_none() && self.first == 0 {
            return self.messages.to_vec();
        }
        let places = self.places().into_iter();
        places.map(|at| self.messages[at].clone()).collect()
    }

    /// The estimated tokens of the messages for a model.
    pub(crate) fn tokens(&self, model: &Model) -> usize {
        let places = self.places().into_iter();
        let tokens = places.map(|at| estimate_tokens_for(model, &self.messages[at]));
        tokens.fold(0, usize::saturating_add)
    }
}

/// Whether a step begins with a message: an answer. An answer directly behind one without calls goes on with that
/// one, because its provider had paused it.
pub(super) fn begins_step(messages: &[Message], at: usize) -> bool {
    let is_answer = |message: &Message| message.role() == Role::Assistant;
    let before = at.checked_sub(1).map(|before| &messages[before]);
    let goes_on = before.is_some_and(|before| is_answer(before) && before.tool_calls().is_empty());
    is_answer(&messages[at]) && !goes_on
}
