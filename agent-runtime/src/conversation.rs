//! The history of a conversation.

mod json;
mod json_value;
mod message;
mod pattern;
mod policy;
mod repair;
mod store;
mod summary;
#[cfg(test)]
mod tests;
mod tokens;
mod turn;
mod valid;

pub use json::ReadError;
pub use message::{Message, Role, ToolCall};
pub use policy::{Retention, Truncated};
pub use repair::Repair;
pub use store::{
    ConversationInfo, ConversationName, ConversationStore, InvalidName, MemoryStore, Revision,
    StoreError, StoreFuture, StoredConversation,
};
pub use summary::{Summarised, SummaryOptions};
pub use tokens::estimate_tokens;
pub use valid::Invalid;

pub(crate) use json::{
    Exactness, call_from_json, call_to_json, messages_from_json, messages_to_json, nests_deeper,
    opt_text, text,
};
pub(crate) use json_value::{json_of, value_of};
pub(crate) use summary::SummaryPlan;
pub(crate) use valid::check_messages;

use crate::redact::Redactor;

/// What was said, oldest first: by the user, by the model, and by tools.
///
/// A conversation that only [`Runtime::execute`](crate::Runtime::execute) has written to can
/// always be sent to a provider, also after an error and after a run that was dropped. One that
/// came from elsewhere is asked with [`check`](Self::check) and mended with
/// [`repair`](Self::repair). One that grew too long is cut with [`truncate`](Self::truncate) or
/// [`Runtime::summarise`](crate::Runtime::summarise), and kept in a
/// [`ConversationStore`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    messages: Vec<Message>,
}

impl Conversation {
    /// A conversation in which nothing was said.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the conversation with its secrets replaced, as [`Message::redacted`] does.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let messages = self.messages.iter();
        let messages = messages.map(|message| message.redacted(redactor)).collect();
        Self { messages }
    }

    /// The messages, oldest first.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The last message.
    #[must_use]
    pub fn last(&self) -> Option<&Message> {
        self.messages.last()
    }

    /// The number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Adds a message at the end. Whether the whole still makes sense is for [`check`](Self::check)
    /// to say.
    pub fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.messages.clear();
    }

    /// Whether a provider takes the conversation: every call has exactly one result, directly
    /// after the message that made it, and every result has its call, whose tool is its name.
    ///
    /// # Errors
    /// The first message that breaks the rule, and how.
    pub fn check(&self) -> Result<(), Invalid> {
        check_messages(&self.messages)
    }

    /// Whether a provider takes the conversation; [`check`](Self::check) says why not.
    #[must_use]
    pub fn is_valid_to_send(&self) -> bool {
        self.check().is_ok()
    }
}

impl FromIterator<Message> for Conversation {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self {
            messages: messages.into_iter().collect(),
        }
    }
}

impl Extend<Message> for Conversation {
    fn extend<I: IntoIterator<Item = Message>>(&mut self, messages: I) {
        self.messages.extend(messages);
    }
}

impl<'a> IntoIterator for &'a Conversation {
    type Item = &'a Message;
    type IntoIter = std::slice::Iter<'a, Message>;

    fn into_iter(self) -> Self::IntoIter {
        self.messages.iter()
    }
}
