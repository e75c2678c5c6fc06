//! The part of a conversation that is kept, and estimates of tokens.

use super::media_tokens::of_media;
use super::{Message, Part, Repair, turn_starts};
use std::fmt;
use std::sync::Arc;

type Count = dyn Fn(&Message) -> usize + Send + Sync;

/// The part of a conversation that is kept: the newest turns within all limits.
///
/// ```
/// use agent_runtime::conversation::Retention;
/// use agent_runtime::{Conversation, Message};
///
/// let mut conversation: Conversation = (1..=30)
///     .flat_map(|n| [Message::user(format!("Question {n}")), Message::assistant("Yes.")])
///     .collect();
/// let policy = Retention::new().last_turns(20).token_budget(1_000);
/// let cut = conversation.truncate(&policy);
/// assert_eq!(cut.removed.len(), 20);
/// assert_eq!(conversation.messages()[0].content(), "Question 11");
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

    /// Sets the maximum number of turns; see [`Conversation::turns`](super::Conversation::turns).
    pub fn last_turns(mut self, turns: usize) -> Self {
        self.turns = Some(turns);
        self
    }

    /// Sets the maximum number of tokens of the conversation, as [`estimate_tokens`] counts them, with a summary
    /// at the beginning. A turn is kept or removed as a whole, and the last turn is always kept.
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

    /// The index of the first message that is kept, if `reserved` tokens are needed for a summary. Summaries at
    /// the beginning are not counted.
    pub(super) fn first_kept(&self, messages: &[Message], reserved: usize) -> usize {
        let mut starts = turn_starts(messages);
        let mut first = messages.len();
        let mut tokens = reserved;
        let mut turns = 0;
        while let Some(start) = starts.pop() {
            turns += 1;
            if self.turns.is_some_and(|most| turns > most) {
                break;
            }
            if let Some(budget) = self.budget {
                let more = messages[start..first].iter().map(|m| (self.count)(m));
                tokens = more.fold(tokens, usize::saturating_add);
                if tokens > budget && turns > 1 {
                    break;
                }
            }
            first = start;
        }
        first
    }

    pub(super) fn tokens(&self, messages: &[Message]) -> usize {
        let counts = messages.iter().map(|message| (self.count)(message));
        counts.fold(0, usize::saturating_add)
    }
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

/// The estimated tokens of a message or a call besides its texts.
const FRAME: usize = 4;

/// Estimates the number of tokens of a message: one for four ASCII characters and for each other character,
/// and four for each message and each call. Names, ids, arguments, thoughts and the data of providers are counted.
/// Images, documents and audio count by their size as providers count them, never as text.
///
/// Every model counts differently. The estimate is close for English, a little low for code and JSON, and high
/// for most other scripts. A program that needs exact numbers sets its own function with
/// [`Retention::count_tokens`](super::Retention::count_tokens).
///
/// ```
/// use agent_runtime::conversation::estimate_tokens;
/// use agent_runtime::Message;
///
/// assert_eq!(estimate_tokens(&Message::user("Where is the nearest library?")), 4 + 8);
/// ```
#[must_use]
pub fn estimate_tokens(message: &Message) -> usize {
    let calls = message
        .tool_calls()
        .iter()
        .map(|call| FRAME + of_text(call.id()) + of_text(call.tool()) + of_text(call.args_text()));
    let texts = [message.name(), message.call_id()].into_iter().flatten();
    FRAME
        + message.parts().iter().map(of_part).sum::<usize>()
        + texts.map(of_text).sum::<usize>()
        + calls.sum::<usize>()
}

fn of_part(part: &Part) -> usize {
    match part {
        Part::Text(text) => of_text(text),
        Part::Thinking(thinking) => of_text(thinking.text()),
        Part::Provider(part) => of_text(&part.data().to_string()),
        Part::Image(_) | Part::Document(_) | Part::Audio(_) => part.media().map_or(0, of_media),
    }
}

pub(super) fn of_text(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(4) + others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Conversation, ProviderPart, ToolCall};

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
    fn keeps_the_last_turns() {
        let policy = Retention::new;
        check(policy(), &[], 5);
        for turns in 0..=5 {
            check(policy().last_turns(turns), &[], turns);
        }
        check(policy().last_turns(6), &[], 5);
        check(policy().last_turns(2), &[Message::summary("s")], 2);
    }

    #[test]
    fn keeps_whole_turns_within_a_budget_and_always_the_last() {
        let each = || Retention::new().count_tokens(|_| 10);
        for (budget, turns) in [(0, 1), (39, 1), (40, 1), (79, 1), (80, 2), (200, 5)] {
            check(each().token_budget(budget), &[], turns);
        }
        // The summary counts, and stays.
        check(each().token_budget(80), &[Message::summary("s")], 1);
        check(each().token_budget(90), &[Message::summary("s")], 2);
        check(each().token_budget(200).last_turns(3), &[], 3);
        check(each().token_budget(80).last_turns(3), &[], 2);
        let endless = Retention::new().count_tokens(|_| usize::MAX);
        check(endless.token_budget(80), &[], 1);
    }

    #[test]
    fn estimate_counts_all_texts_of_a_message() {
        assert_eq!(estimate_tokens(&Message::user("")), 4);
        assert_eq!(estimate_tokens(&Message::user("abcde")), 6);
        assert_eq!(estimate_tokens(&Message::user("日本語")), 7);
        let call = ToolCall::new("abcd", "efgh", "{}");
        let calling = Message::assistant("").with_tool_calls([call]);
        assert_eq!(estimate_tokens(&calling), 4 + 4 + 3);
        let result = Message::function("efgh", "abcd", "1234");
        assert_eq!(estimate_tokens(&result), 4 + 3);
        let kept = Part::from(ProviderPart::new("Acme", "123456".into()));
        assert_eq!(estimate_tokens(&Message::assistant_parts([kept])), 4 + 2);
    }
}
