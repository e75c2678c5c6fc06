//! Conversations: their messages, JSON and gram forms, repair, retention, summaries and stores.

#[cfg(test)]
mod any_conversation;
mod compaction;
pub(crate) mod json;
mod message;
mod message_tokens;
mod part_tokens;
mod pattern;
mod repair;
mod repeated_media;
mod store;
mod taint;
#[cfg(test)]
mod tests;
mod truncation;
mod valid;
mod view;

pub use agent_effects::Taint;
#[doc(inline)]
pub use agent_tool::media::{Audio, Document, Image};
pub use agent_tool::media::{Media, Part, ProviderPart, ReadError, Sha256, Thinking};
pub use compaction::Compaction;
pub use message::{Message, Role, SummaryScope, ToolCall};
pub use message_tokens::{estimate_tokens, estimate_tokens_for};
pub use repair::Repair;
pub use store::{
    ConversationInfo, ConversationName, ConversationStore, InvalidName, MemoryStore, Revision,
    StoreError, StoreFuture, StoredConversation,
};
pub use truncation::{Retention, Truncated};
pub use valid::Invalid;

pub(crate) use compaction::{CompactionPlan, material, written_summary};
pub(crate) use json::{
    Exactness, call_from_json, call_to_json, message_from_json, message_to_json,
    messages_from_json, messages_to_json, read_taint,
};
#[cfg(test)]
pub(crate) use message_tokens::ESTIMATES;
pub(crate) use part_tokens::of_text;
pub(crate) use pattern::{
    check_label, is_part, json_of, opt_record_text, pattern_of_call, put_text, read_part,
    record_text, tool_of_call, value_of, write_part, wrong,
};
pub(crate) use repeated_media::{with_repeated_media, without_repeated_media};
pub(crate) use taint::worst;
pub(crate) use valid::check_messages;
pub(crate) use view::{TokenCounts, View};

use agent_gram::{Pattern, ValueError};
use agent_tool::__private::MediaForm;
use agent_tool::redact::Redactor;
use repair::Repairer;
use serde_json::Value;
use std::collections::BTreeMap;
use taint::{keep_taint, marks};

/// The mark at the end of an answer that was interrupted: the run failed or was cancelled while the answer was streamed,
/// and its user has read the beginning.
pub const INTERRUPTED: &str = "[interrupted]";

/// The messages of the user, the model and tools, oldest first.
///
/// A conversation that only runs have written to can always be sent to a provider, also after an error and
/// after a run that was dropped. [`check`](Self::check) validates a conversation from elsewhere, and
/// [`repair`](Self::repair) makes it valid. Runs with a [`Compaction`] or a [`Retention`] send the model only a part
/// of a long conversation, and [`truncate`](Self::truncate) removes a part. A [`ConversationStore`] keeps
/// conversations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    messages: Vec<Message>,
}

impl Conversation {
    /// Creates a conversation without messages.
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

    /// The taint of the conversation: the worst of its messages.
    #[must_use]
    pub fn taint(&self) -> Taint {
        worst(&self.messages)
    }

    /// Makes the conversation clean, whatever has entered it. Only call this when a person has looked at it.
    pub fn trust(&mut self) {
        for message in &mut self.messages {
            *message = message.clone().with_taint(Taint::Clean);
        }
    }

    /// Whether there are no messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Appends a message without validating the conversation; see [`check`](Self::check).
    pub fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Removes all messages.
    pub fn clear(&mut self) {
        self.messages.clear();
    }

    /// Checks that a provider accepts the conversation: every call has exactly one result, directly after the
    /// message that makes the call, every result has its call and the name of the call's tool, and no message
    /// has two calls with one id. Calls of several messages may have one id.
    ///
    /// # Errors
    /// The first message that breaks a rule.
    pub fn check(&self) -> Result<(), Invalid> {
        check_messages(&self.messages)
    }

    /// Whether a provider accepts the conversation; see [`check`](Self::check).
    #[must_use]
    pub fn is_valid_to_send(&self) -> bool {
        self.check().is_ok()
    }

    /// The turns, oldest first. A turn begins with a message of the user and ends before the next one, so that
    /// a call and its result are always in one turn. Messages before the first one of the user are a turn, too.
    /// A [summary](Message::summary) at the beginning is not part of a turn. A
    /// [correction](Message::correction), a message that was [sent](Message::steering) during a run, and a
    /// [summary](Message::summary_of) of messages that are still in the conversation do not begin a turn.
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

    /// Returns the messages that a run sends, in this order: the last [summary](Message::summary_of), and the
    /// messages that the summary does not replace.
    #[must_use]
    pub fn view(&self) -> Vec<Message> {
        View::new(&self.messages, 0).messages()
    }

    /// Returns a new conversation with the first turns of this one, to try another continuation. A summary at
    /// the beginning is kept.
    #[must_use]
    pub fn fork(&self, turns: usize) -> Self {
        let starts = turn_starts(&self.messages);
        let end = starts.get(turns).copied().unwrap_or(self.messages.len());
        self.messages[..end].iter().cloned().collect()
    }

    /// Repairs the conversation so that it can be sent to a model, and returns the changes. A valid conversation
    /// stays unchanged. No text of the user or the model is changed.
    ///
    /// ```
    /// use agent_runtime::conversation::ToolCall;
    /// use agent_runtime::{Conversation, Message};
    ///
    /// let call = |id| Message::assistant("").with_tool_calls([ToolCall::new(id, "search", "{}")]);
    /// let mut conversation: Conversation =
    ///     [Message::user("Find it"), call("a"), Message::user("Well?")].into_iter().collect();
    /// let repairs = conversation.repair();
    /// assert_eq!(
    ///     repairs[0].to_string(),
    ///     "the call `a` of message 2 got a result that says that there is none"
    /// );
    /// assert!(conversation.is_valid_to_send());
    /// assert!(conversation.repair().is_empty());
    /// ```
    pub fn repair(&mut self) -> Vec<Repair> {
        if self.check().is_ok() {
            return Vec::new();
        }
        let before = marks(&self.messages);
        let repairer = Repairer::new(std::mem::take(&mut self.messages));
        let (mut messages, repairs) = repairer.repair();
        keep_taint(before, &mut messages);
        self.messages = messages;
        repairs
    }

    /// Appends the messages of another conversation.
    ///
    /// # Errors
    /// When one of the two conversations is invalid. Nothing is appended then.
    pub fn append(&mut self, later: Conversation) -> Result<(), Invalid> {
        self.check()?;
        later.check()?;
        self.messages.extend(later.messages);
        Ok(())
    }

    /// Removes the oldest turns when the conversation exceeds the limits of a retention: so many that half of
    /// each limit is left, as [`Retention`] describes. The conversation is [repaired](Self::repair) first, so
    /// that the rest is always valid. A [summary](Message::summary) is kept. The messages that it replaces
    /// are removed with the oldest turns.
    ///
    /// The [taint](Self::taint) of the conversation stays: the first message that is kept gets it.
    ///
    /// The result is the same as when the conversation is truncated after each turn. To keep the whole
    /// conversation and send a part of it, use `RunBuilder::retention` instead of truncating a copy, because
    /// a summary that is written in a run counts the messages of the conversation that the run was given.
    pub fn truncate(&mut self, policy: &Retention) -> Truncated {
        let repairs = self.repair();
        let first = policy.first_sent(&self.messages);
        if first == 0 {
            return Truncated {
                removed: Vec::new(),
                repairs,
            };
        }
        let before = marks(&self.messages);
        let places = View::new(&self.messages, first).places();
        let mut is_kept = vec![false; self.messages.len()];
        for at in &places {
            is_kept[*at] = true;
        }
        let removed = self.messages.iter().zip(is_kept);
        let removed = removed.filter(|(_, is_kept)| !is_kept);
        let removed = removed.map(|(message, _)| message.clone()).collect();
        let kept = places.iter().map(|at| self.messages[*at].clone());
        // The messages that the summary replaces are removed now, so that its scope is empty.
        self.messages = kept
            .map(|message| message.with_scope(SummaryScope::default()))
            .collect();
        keep_taint(before, &mut self.messages);
        Truncated { removed, repairs }
    }

    /// Returns the conversation as a JSON array of messages. [`from_json`](Self::from_json) reads an equal
    /// conversation, except for the whitespace and the order of members in the text of a call's arguments.
    ///
    /// ```
    /// use agent_runtime::conversation::ToolCall;
    /// use agent_runtime::{Conversation, Message};
    ///
    /// let call = ToolCall::new("call_1", "sayHello", "{\"personName\":\"Ada\"}");
    /// let conversation: Conversation = [
    ///     Message::user("Hello, I'm Ada"),
    ///     Message::assistant("").with_tool_calls([call]),
    ///     Message::function("sayHello", "call_1", "there is no such person").into_error(),
    /// ]
    /// .into_iter()
    /// .collect();
    /// let json = conversation.to_json();
    /// assert_eq!(json[1]["toolCalls"][0]["args"]["personName"], "Ada");
    /// assert_eq!(json[2]["isError"], true);
    /// assert_eq!(Conversation::from_json(&json)?, conversation);
    /// # Ok::<(), agent_runtime::conversation::ReadError>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> Value {
        messages_to_json(&self.messages, Exactness::Plain, MediaForm::Digest)
    }

    /// Returns the JSON of [`to_json`](Self::to_json) with the bytes of media in base64, where `to_json` writes their
    /// digests.
    #[must_use]
    pub fn to_json_with_data(&self) -> Value {
        messages_to_json(&self.messages, Exactness::Plain, MediaForm::Data)
    }

    /// Reads a JSON array of messages.
    ///
    /// # Errors
    /// When a message has another form, or a member whose name is nearly that of a known one. Other unknown
    /// members are ignored. A duplicate key is only found when serde reads a `Conversation` from text, because a
    /// `Value` has lost it. Calls and results are not compared; see [`Conversation::check`].
    pub fn from_json(value: &Value) -> Result<Self, ReadError> {
        Ok(Self {
            messages: messages_from_json(value)?,
        })
    }

    /// Returns the conversation as a pattern. Its elements are the messages. The elements of a message are its
    /// calls, and the element of a call is the tool. [`from_pattern`](Self::from_pattern) reads an equal
    /// conversation.
    ///
    /// ```
    /// use agent_runtime::{Conversation, gram};
    ///
    /// let text = r#"[:Conversation |
    ///   (:Message {role: "user", content: "Hello, I'm Ada"}),
    ///   [:Message {role: "assistant", content: ""} |
    ///     [:ToolCall {callId: "call_1", args: {personName: "Ada"}} | (sayHello)]
    ///   ],
    ///   (:Message {role: "function", content: "Hello, Ada!", name: "sayHello", callId: "call_1"}),
    ///   (:Message {role: "assistant", content: "Hello, Ada!"})
    /// ]"#;
    /// let pattern = gram::parse_patterns(text).expect("gram").remove(0);
    /// let conversation = Conversation::from_pattern(&pattern)?;
    /// assert_eq!(conversation.len(), 4);
    /// assert_eq!(conversation.messages()[1].tool_calls()[0].args()["personName"], "Ada");
    /// assert_eq!(conversation.to_pattern()?, pattern);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The properties have the names and meanings of the JSON form. `args` is a gram value as far as gram can
    /// express it, as in [`AgentResponse::to_pattern`](crate::AgentResponse::to_pattern). `argsText` has the text
    /// that the model sent, if `args` differs from it. The result of a failed call has `isError: true`.
    ///
    /// # Errors
    /// When provider data is nested more than 191 levels deep, which parsed JSON never is.
    pub fn to_pattern(&self) -> Result<Pattern, ValueError> {
        pattern::write_conversation(&self.messages)
    }

    /// Reads the pattern of a conversation. Unknown properties are ignored. A duplicate key must be found when
    /// the text is parsed, because a pattern has lost it. Calls and results are not compared; see
    /// [`check`](Self::check).
    ///
    /// # Errors
    /// When a label is wrong, or a property is missing or invalid.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, ReadError> {
        let messages = pattern::read_conversation(pattern)?;
        Ok(Self { messages })
    }
}

impl Conversation {
    /// Puts the bytes of media in the place of their digests, for stores that keep the bytes beside the messages.
    /// `find` is called once for each digest, and returns its bytes, or `None` to leave the digest in its place. Parts
    /// with the same digest share the bytes.
    ///
    /// # Errors
    /// The first error of `find`.
    pub fn with_media<E>(
        self,
        mut find: impl FnMut(Sha256) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Self, E> {
        let mut found: BTreeMap<Sha256, Option<Media>> = BTreeMap::new();
        let mut find_once = |sha256| {
            if let Some(found) = found.get(&sha256) {
                return Ok(found.clone());
            }
            let media = find(sha256)?.map(|bytes| {
                let mut media = Media::of_sha256(sha256);
                media.fill(bytes);
                media
            });
            found.insert(sha256, media.clone());
            Ok(media)
        };
        let messages = self.messages.into_iter();
        messages
            .map(|message| message.with_media(&mut find_once))
            .collect()
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

/// The index of the first message of each turn.
fn turn_starts(messages: &[Message]) -> Vec<usize> {
    let first = summaries(messages);
    let begins = |at: usize| at == first || begins_turn(&messages[at]);
    (first..messages.len()).filter(|at| begins(*at)).collect()
}

/// The number of summaries at the beginning of a conversation.
fn summaries(messages: &[Message]) -> usize {
    let is_summary = |message: &&Message| message.is_summary();
    messages.iter().take_while(is_summary).count()
}

/// Whether a message begins a turn of the conversation. In a run, the input begins a turn.
pub fn begins_turn(message: &Message) -> bool {
    message.role() == Role::User
        && !message.is_correction()
        && !message.is_steering()
        && message.summary_scope().is_none()
}
