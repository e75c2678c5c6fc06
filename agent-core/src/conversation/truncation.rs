//! The part of a conversation that is kept.

use super::message_tokens::estimate_tokens;
use super::view::View;
use super::{Message, Repair, summaries, turn_starts};
use std::fmt;
use std::sync::Arc;

type Count = dyn Fn(&Message) -> usize + Send + Sync;

/// The part of a conversation that is kept: the newest turns.
///
/// A conversation within all limits is kept whole. When it exceeds one of them, the oldest turns are removed
/// until half of each limit is left. So the beginning of the conversation changes only once in many turns, and
/// the prompt caches of providers, which need an unchanged beginning, work in between.
///
/// ```
/// use agent_runtime::conversation::Retention;
/// use agent_runtime::{Conversation, Message};
///
/// let policy = Retention::new().last_turns(20).token_budget(10_000);
/// let mut conversation = Conversation::new();
/// let mut cuts = Vec::new();
/// for n in 1..=45 {
///     conversation.extend([Message::user(format!("Question {n}")), Message::assistant("Yes.")]);
///     if !conversation.truncate(&policy).removed.is_empty() {
///         cuts.push((n, conversation.turns().count()));
///     }
/// }
/// assert_eq!(cuts, [(21, 10), (32, 10), (43, 10)]);
/// ```
#[derive(Clone)]
#[must_use]
pub struct Retention {
    turns: Option<usize>,
    budget: Option<usize>,
    count: Arc<Count>,
}

impl Retention {
    /// Creates a retention that keeps all turns.
    pub fn new() -> Self {
        Self {
            turns: None,
            budget: None,
            count: Arc::new(estimate_tokens),
        }
    }

    /// Sets the maximum number of turns; see [`Conversation::turns`](super::Conversation::turns). When there are
    /// more, half of this number is kept, rounded up.
    pub fn last_turns(mut self, turns: usize) -> Self {
        self.turns = Some(turns);
        self
    }

    /// Sets the maximum number of tokens of the conversation, as [`estimate_tokens`] counts them, with a summary
    /// at the beginning. When there are more, turns within half of this number are kept. A turn is kept or
    /// removed as a whole, and the last turn is always kept.
    ///
    /// The budget must be less than the context of the model, because the instruction and the tools of the agent
    /// are also sent.
    pub fn token_budget(mut self, tokens: usize) -> Self {
        self.budget = Some(tokens);
        self
    }

    /// Sets the function that counts the tokens of a message, in place of [`estimate_tokens`], such as the
    /// tokenizer of the model.
    pub fn count_tokens(
        mut self,
        count: impl Fn(&Message) -> usize + Send + Sync + 'static,
    ) -> Self {
        self.count = Arc::new(count);
        self
    }

    /// The index of the first message of a history that is sent, after the summaries at its beginning.
    /// Returns 0 when every message is sent that no summary replaces.
    pub(crate) fn first_sent(&self, history: &[Message]) -> usize {
        let view = View::new(history, 0);
        let messages = view.messages();
        let head = summaries(&messages);
        let reserved = self.tokens(&messages[..head]);
        let first = self.first_kept(&messages, reserved);
        if first <= head {
            return 0;
        }
        view.places().get(first).copied().unwrap_or(history.len())
    }

    /// The index of the first message that is kept when the retention is applied after each turn, if `reserved`
    /// tokens are needed for a summary. Summaries at the beginning are not counted.
    ///
    /// Turns are added one by one. If only the last cut were computed, a growing conversation that its owner
    /// keeps whole would be cut at another place in each turn.
    fn first_kept(&self, messages: &[Message], reserved: usize) -> usize {
        let turns = self.sizes(messages);
        let mut kept = Kept::new(reserved);
        for end in 1..=turns.len() {
            kept.add(turns[end - 1].1);
            if !self.allows(kept) {
                self.halve(&mut kept, &turns[..end]);
            }
        }
        start_of(&turns, kept, messages)
    }

    /// The first message and the tokens of each turn.
    fn sizes(&self, messages: &[Message]) -> Vec<(usize, u128)> {
        let starts = turn_starts(messages);
        let ends = starts.iter().skip(1).copied().chain([messages.len()]);
        let turns = starts.iter().copied().zip(ends);
        let size = |(start, end): (usize, usize)| match self.budget {
            Some(_) => (start, sum(&messages[start..end], &*self.count)),
            None => (start, 0),
        };
        turns.map(size).collect()
    }

    /// Whether the turns are within all limits. The token budget does not apply to a single turn, because the
    /// last turn is always kept.
    fn allows(&self, kept: Kept) -> bool {
        self.turns.is_none_or(|most| kept.turns <= most)
            && self
                .budget
                .is_none_or(|most| kept.turns <= 1 || kept.tokens <= most as u128)
    }

    /// Removes the oldest turns until half of each limit is left.
    fn halve(&self, kept: &mut Kept, turns: &[(usize, u128)]) {
        let half = Self {
            turns: self.turns.map(|most| most.div_ceil(2)),
            budget: self.budget.map(|most| most / 2),
            count: Arc::clone(&self.count),
        };
        while kept.turns > 0 && !half.allows(*kept) {
            kept.tokens -= turns[turns.len() - kept.turns].1;
            kept.turns -= 1;
        }
    }

    fn tokens(&self, messages: &[Message]) -> usize {
        let tokens = sum(messages, &*self.count);
        usize::try_from(tokens).unwrap_or(usize::MAX)
    }
}

/// The newest turns.
#[derive(Clone, Copy)]
struct Kept {
    turns: usize,
    /// The tokens of the turns and the reserved tokens. The type is wider than a count, so that no sum
    /// saturates.
    tokens: u128,
}

impl Kept {
    fn new(reserved: usize) -> Self {
        Self {
            turns: 0,
            tokens: reserved as u128,
        }
    }

    fn add(&mut self, tokens: u128) {
        self.turns += 1;
        self.tokens += tokens;
    }
}

fn start_of(turns: &[(usize, u128)], kept: Kept, messages: &[Message]) -> usize {
    let first = turns.get(turns.len() - kept.turns);
    first.map_or(messages.len(), |(start, _)| *start)
}

fn sum(messages: &[Message], count: &Count) -> u128 {
    messages.iter().map(|message| count(message) as u128).sum()
}

impl Default for Retention {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Retention {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Retention")
            .field("turns", &self.turns)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// The result of [`Conversation::truncate`](super::Conversation::truncate).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Truncated {
    /// The removed messages, oldest first.
    pub removed: Vec<Message>,
    /// The repairs that were made first; see [`Conversation::repair`](super::Conversation::repair).
    pub repairs: Vec<Repair>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Conversation, ToolCall};

    fn five_turns() -> Conversation {
        let turn = |n: usize| {
            let id = format!("call_{n}");
            [
                Message::user(format!("u{n}")),
                Message::assistant("").with_tool_calls([ToolCall::new(&id, "t", "{}")]),
                Message::function("t", id, "r"),
                Message::assistant(format!("m{n}")),
            ]
        };
        (0..5).flat_map(turn).collect()
    }

    fn check(policy: Retention, head: &[Message], kept_turns: usize) {
        let mut conversation: Conversation = head.iter().chain(&five_turns()).cloned().collect();
        let before = conversation.clone();
        let cut = conversation.truncate(&policy);
        assert_eq!(cut.removed.len(), 4 * (5 - kept_turns), "{policy:?}");
        assert_eq!(conversation.len(), head.len() + 4 * kept_turns);
        assert_eq!(conversation.check(), Ok(()));
        let mut together = head.to_vec();
        together.extend(cut.removed);
        together.extend(conversation.messages[head.len()..].iter().cloned());
        assert_eq!(together, before.messages);
        assert_eq!(conversation.truncate(&policy), Truncated::default());
    }

    #[test]
    fn keeps_half_of_the_turns_when_there_are_too_many() {
        let policy = Retention::new;
        check(policy(), &[], 5);
        // Cut as after each turn: with 4 turns at most, the fifth turn leaves 2.
        for (most, kept) in [(0, 0), (1, 1), (2, 1), (3, 3), (4, 2), (5, 5), (6, 5)] {
            check(policy().last_turns(most), &[], kept);
        }
        check(policy().last_turns(4), &[Message::summary("s")], 2);
    }

    #[test]
    fn keeps_whole_turns_within_half_a_budget_and_always_the_last() {
        let each = || Retention::new().count_tokens(|_| 10);
        for (budget, turns) in [
            (0, 1),
            (39, 1),
            (79, 1),
            (80, 1),
            (160, 2),
            (199, 2),
            (200, 5),
        ] {
            check(each().token_budget(budget), &[], turns);
        }
        // The summary counts, and stays.
        check(each().token_budget(209), &[Message::summary("s")], 2);
        check(each().token_budget(210), &[Message::summary("s")], 5);
        check(each().token_budget(200).last_turns(4), &[], 2);
        check(each().token_budget(160).last_turns(5), &[], 2);
        let endless = Retention::new().count_tokens(|_| usize::MAX);
        check(endless.token_budget(80), &[], 1);
    }

    /// A program that keeps the whole conversation and truncates a copy before each run.
    #[test]
    fn the_cut_of_a_growing_conversation_moves_seldom() {
        for policy in [
            Retention::new().last_turns(10),
            Retention::new().token_budget(400).count_tokens(|_| 10),
        ] {
            let mut whole = Conversation::new();
            let mut truncated = Conversation::new();
            let mut firsts = Vec::new();
            for n in 0..100 {
                let turn = [Message::user(format!("u{n}")), Message::assistant("m")];
                whole.extend(turn.clone());
                truncated.extend(turn);
                truncated.truncate(&policy);
                let mut sent = whole.clone();
                sent.truncate(&policy);
                assert_eq!(sent, truncated, "{policy:?} after turn {n}");
                firsts.push(sent.messages()[0].content().to_owned());
            }
            firsts.dedup();
            assert!(firsts.len() <= 20, "{policy:?} cut {} times", firsts.len());
        }
    }
}
