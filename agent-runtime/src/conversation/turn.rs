//! Where a conversation can be cut.

use super::{Conversation, Message, Role};

impl Conversation {
    /// The turns, oldest first. A turn begins with what the user says and goes on to what the user
    /// says next, so no call stands in another turn than its result. What stands before the user
    /// says anything is a turn as well; a [summary](Message::summary) at the beginning is none.
    ///
    /// ```
    /// use agent_runtime::{Conversation, Message};
    ///
    /// let conversation: Conversation = [
    ///     Message::user("Hello"),
    ///     Message::assistant("Good morning."),
    ///     Message::user("And goodbye"),
    /// ]
    /// .into_iter()
    /// .collect();
    /// let lengths: Vec<usize> = conversation.turns().map(<[Message]>::len).collect();
    /// assert_eq!(lengths, [2, 1]);
    /// ```
    pub fn turns(&self) -> impl Iterator<Item = &[Message]> {
        let starts = turn_starts(&self.messages);
        let ends = starts.clone().into_iter().skip(1);
        let ends = ends.chain([self.messages.len()]);
        let ranges = starts.into_iter().zip(ends);
        ranges.map(|(start, end)| &self.messages[start..end])
    }

    /// A conversation of its own that begins as this one does, with so many turns, for trying how
    /// it could have gone on. A summary at the beginning comes along.
    #[must_use]
    pub fn fork(&self, turns: usize) -> Self {
        let starts = turn_starts(&self.messages);
        let end = starts.get(turns).copied().unwrap_or(self.messages.len());
        self.messages[..end].iter().cloned().collect()
    }
}

/// The message that each turn begins with.
pub(super) fn turn_starts(messages: &[Message]) -> Vec<usize> {
    let first = summaries(messages);
    let begins = |at: usize| at == first || is_users(&messages[at]);
    (first..messages.len()).filter(|at| begins(*at)).collect()
}

/// How many summaries a conversation begins with.
pub(super) fn summaries(messages: &[Message]) -> usize {
    let is_summary = |message: &&Message| message.is_summary();
    messages.iter().take_while(is_summary).count()
}

fn is_users(message: &Message) -> bool {
    message.role() == Role::User
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_begins_with_what_the_user_says() {
        let [user, model] = [Message::user("u"), Message::assistant("m")];
        let check = |messages: &[&Message], expected: &[usize]| {
            let messages: Vec<Message> = messages.iter().copied().cloned().collect();
            assert_eq!(turn_starts(&messages), expected, "{messages:?}");
        };
        let summary = Message::summary("s");
        check(&[], &[]);
        check(&[&user, &model, &model, &user], &[0, 3]);
        check(&[&model, &user, &user], &[0, 1, 2]);
        check(&[&summary, &user, &model], &[1]);
        check(&[&summary, &model, &user], &[1, 2]);
        check(&[&summary], &[]);
        // In the middle it is something that was said.
        check(&[&user, &summary], &[0, 1]);
    }

    #[test]
    fn a_fork_has_the_first_turns() {
        let texts = |conversation: Conversation| -> Vec<String> {
            let messages = conversation.messages.iter();
            messages.map(|m| m.content().to_owned()).collect()
        };
        let messages = [
            Message::summary("s"),
            Message::user("a"),
            Message::assistant("b"),
            Message::user("c"),
        ];
        let conversation: Conversation = messages.into_iter().collect();
        assert_eq!(texts(conversation.fork(0)), ["s"]);
        assert_eq!(texts(conversation.fork(1)), ["s", "a", "b"]);
        assert_eq!(texts(conversation.fork(9)), ["s", "a", "b", "c"]);
    }
}
