//! The part of a conversation that the model gets.

use super::{Message, Role, SummaryScope, begins_turn, estimate_tokens_for, summaries};
use agent_spec::Model;
use std::ops::Range;

/// The part of a history that the model gets: the last summary, and the messages that the summary does not
/// replace.
#[derive(Clone, Debug)]
pub(crate) struct View<'m> {
    messages: &'m [Message],
    /// The index of the last summary of messages that are still there.
    summary: Option<usize>,
    /// The number of summaries of removed messages at the beginning, which are always sent.
    head: usize,
    /// The index of the first message after the `head` that is sent.
    first: usize,
    /// The messages of one turn that the summary replaces.
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
    /// or step is sent then, so that no message is lost and no call is separated from its result. The steps of the last turn
    /// are sent, too, if the scope ends in the middle of a turn, because they are steps of another turn.
    fn of(
        messages: &'m [Message],
        hidden: usize,
        summary: Option<usize>,
        scope: SummaryScope,
    ) -> Self {
        let end = summary.unwrap_or(messages.len());
        let counted = scope.messages.min(end);
        let mut first = counted;
        while first > 0 && first < end && !begins_turn(&messages[first]) {
            first -= 1;
        }
        let mut skipped = 0..0;
        if scope.messages_of_turn > 0
            && let Some(turn) = messages[..end].iter().rposition(begins_turn)
            && first == counted
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

    /// The indexes of the messages that are sent after the summary.
    fn places_behind_summary(&self) -> impl Iterator<Item = usize> {
        let is_sent = |at: &usize| self.messages[*at].summary_scope().is_none();
        self.ranges().into_iter().flatten().filter(is_sent)
    }

    /// The ranges of the messages behind the summary. Earlier summaries among them are not sent.
    fn ranges(&self) -> [Range<usize>; 4] {
        let Range { start, end } = self.skipped;
        let rest = self.first.max(self.head);
        let all = self.messages.len();
        [
            0..self.head.min(start),
            end..self.head,
            rest..all.min(start),
            rest.max(end)..all,
        ]
    }

    /// The index of the first message of the view that a summary can replace.
    pub(super) fn first_replaceable(&self) -> usize {
        if self.head > 0 { 0 } else { self.first }
    }

    /// Returns the indexes of the messages that a summary of this scope is written from, in the order in which they
    /// are sent: those that the summary replaces, and the message that began the last turn if the first steps of that
    /// turn are among them. Does not look at the messages that stay.
    pub(super) fn replaced_by(&self, scope: SummaryScope) -> Vec<usize> {
        let behind = self.behind(scope);
        let turn = match scope.messages_of_turn {
            0 => None,
            _ => self.messages.iter().rposition(begins_turn),
        };
        let end = behind.first.max(behind.head).max(behind.skipped.end);
        let end = end.max(turn.map_or(0, |turn| turn + 1));
        let ranges = behind.ranges();
        let stays = |at: &usize| ranges.iter().any(|range| range.contains(at));
        let replaced = self.places_behind_summary().take_while(|at| *at < end);
        let replaced = replaced.filter(|at| turn == Some(*at) || !stays(at));
        self.summary.into_iter().chain(replaced).collect()
    }

    /// Returns the messages, in the order in which they are sent.
    pub(crate) fn messages(&self) -> Vec<Message> {
        if self.summary.is_none() && self.first == 0 {
            return self.messages.to_vec();
        }
        let places = self.places().into_iter();
        places.map(|at| self.messages[at].clone()).collect()
    }

    /// The estimated tokens of the messages for a model. `counts` are those of the whole history.
    pub(crate) fn tokens(&self, model: &Model, counts: &TokenCounts) -> usize {
        let summary = self.summary();
        let summary = summary.map_or(0, |summary| estimate_tokens_for(model, summary));
        summary.saturating_add(self.tokens_in(0..self.messages.len(), counts))
    }

    /// The estimated tokens of those messages behind the summary whose indexes are in a range.
    pub(super) fn tokens_in(&self, range: Range<usize>, counts: &TokenCounts) -> usize {
        let ranges = self.ranges().into_iter();
        let sent = ranges.map(|sent| sent.start.max(range.start)..sent.end.min(range.end));
        sent.map(|sent| counts.of(sent))
            .fold(0, usize::saturating_add)
    }
}

/// The estimated tokens of the messages of a history that only grows. Each message is counted once, because a long
/// history is summarised in many parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenCounts {
    /// For each message, the sum of its tokens and of the tokens of all messages before it. Summaries with a
    /// scope are not counted, because only the last one is sent.
    sums: Vec<usize>,
}

impl TokenCounts {
    /// Counts the messages that were added to the history since the last time.
    pub(crate) fn extend(&mut self, model: &Model, history: &[Message]) {
        let mut sum = self.sums.last().copied().unwrap_or_default();
        for message in history.iter().skip(self.sums.len()) {
            if message.summary_scope().is_none() {
                sum = sum.saturating_add(estimate_tokens_for(model, message));
            }
            self.sums.push(sum);
        }
    }

    /// The tokens of the messages in a range.
    fn of(&self, range: Range<usize>) -> usize {
        let sum = |last: usize| self.sums.get(last).or(self.sums.last()).copied();
        let before = |end: usize| end.checked_sub(1).and_then(sum).unwrap_or_default();
        match range.is_empty() {
            true => 0,
            false => before(range.end) - before(range.start),
        }
    }
}

/// Whether a message begins a step. Each answer begins one, unless it directly follows an answer without
/// calls: it continues that answer, because the provider had paused it.
pub(super) fn begins_step(messages: &[Message], at: usize) -> bool {
    let is_answer = |message: &Message| message.role() == Role::Assistant;
    let before = at.checked_sub(1).map(|before| &messages[before]);
    let goes_on = before.is_some_and(|before| is_answer(before) && before.tool_calls().is_empty());
    is_answer(&messages[at]) && !goes_on
}
