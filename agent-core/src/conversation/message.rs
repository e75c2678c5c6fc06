//! The messages of a conversation.

use super::{ReadError, Taint, json, pattern};
use agent_gram::{Pattern, ValueError};
use agent_spec::json::{MAX_ARGUMENT_VALUES, has_more_values_than, parse_json};
use agent_tool::__private::MediaForm;
use agent_tool::media::{Media, Part, Sha256};
use agent_tool::redact::Redactor;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool: the result of one call.
    Function,
}

impl Role {
    /// The word in the JSON form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Function => "function",
        }
    }

    /// Returns the role of a word.
    pub(super) fn from_word(word: &str) -> Result<Self, ReadError> {
        let roles = [Self::User, Self::Assistant, Self::Function];
        let role = roles.into_iter().find(|role| role.as_str() == word);
        role.ok_or_else(|| {
            ReadError::new(format!(
                "`{word}` is not a role; write `user`, `assistant` or `function`"
            ))
        })
    }
}

/// The name of a message that summarises earlier ones.
const SUMMARY: &str = "summary";

/// The name of a message in which a run asks the model for another answer.
const CORRECTION: &str = "correction";

/// The name of a message that the user sends during a run.
const STEERING: &str = "steering";

/// The messages of a conversation that a [summary](Message::summary_of) stands for. They stay in the conversation,
/// and the model gets the summary in their place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SummaryScope {
    /// The number of messages at the beginning of the conversation that the summary replaces. They are whole
    /// turns.
    pub messages: usize,
    /// The number of messages that the summary also replaces, after the first message of the turn that
    /// contains the summary. They are whole steps: answers with the results of their calls.
    pub messages_of_turn: usize,
}

impl SummaryScope {
    /// Creates the scope of the first `messages` messages of a conversation.
    #[must_use]
    pub const fn new(messages: usize) -> Self {
        Self {
            messages,
            messages_of_turn: 0,
        }
    }

    /// Sets the number of messages to replace after the first message of the turn that contains the summary.
    #[must_use]
    pub const fn with_messages_of_turn(mut self, messages: usize) -> Self {
        self.messages_of_turn = messages;
        self
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.messages == 0 && self.messages_of_turn == 0
    }
}

/// One message of a conversation. Cloning is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Message(Arc<Data>);

impl Message {
    /// Whether both messages are clones of one message. Compares pointers instead of texts.
    pub(crate) fn is_clone_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Data {
    role: Role,
    content: Content,
    name: Option<String>,
    call_id: Option<String>,
    tool_calls: Vec<ToolCall>,
    is_error: bool,
    taint: Taint,
    /// Empty for messages that are no summaries.
    scope: SummaryScope,
}

/// The content of a message. Most messages have one text, which is kept without a list around it.
#[derive(Clone, Debug, PartialEq)]
enum Content {
    One(Part),
    Many {
        parts: Vec<Part>,
        /// The text parts joined.
        text: String,
    },
}

impl Content {
    fn new(parts: Vec<Part>) -> Self {
        match <[Part; 1]>::try_from(parts) {
            Ok([part]) => Self::One(part),
            Err(parts) if parts.is_empty() => Self::One(Part::Text(String::new())),
            Err(parts) => Self::Many {
                text: parts.iter().filter_map(Part::as_text).collect(),
                parts,
            },
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::One(part) => part.as_text().unwrap_or_default(),
            Self::Many { text, .. } => text,
        }
    }

    fn parts(&self) -> &[Part] {
        match self {
            Self::One(Part::Text(text)) if text.is_empty() => &[],
            Self::One(part) => std::slice::from_ref(part),
            Self::Many { parts, .. } => parts,
        }
    }
}

impl Message {
    fn of(role: Role, content: Content) -> Self {
        Self(Arc::new(Data {
            role,
            content,
            name: None,
            call_id: None,
            tool_calls: Vec::new(),
            is_error: false,
            taint: Taint::Clean,
            scope: SummaryScope::default(),
        }))
    }

    fn of_text(role: Role, text: String) -> Self {
        Self::of(role, Content::One(Part::Text(text)))
    }

    fn changed(mut self, change: impl FnOnce(&mut Data)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Creates a message of the user.
    #[must_use]
    pub fn user(content: impl Into<String>) -> Self {
        Self::of_text(Role::User, content.into())
    }

    /// Creates a message of the user with several parts, such as a question and an image.
    #[must_use]
    pub fn user_parts(parts: impl IntoIterator<Item = Part>) -> Self {
        Self::of(Role::User, Content::new(parts.into_iter().collect()))
    }

    /// Creates a message of the model.
    #[must_use]
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::of_text(Role::Assistant, content.into())
    }

    /// Creates a message of the model with several parts, such as its thoughts and its answer.
    #[must_use]
    pub fn assistant_parts(parts: impl IntoIterator<Item = Part>) -> Self {
        Self::of(Role::Assistant, Content::new(parts.into_iter().collect()))
    }

    /// Creates the result of a call.
    #[must_use]
    pub fn function(
        name: impl Into<String>,
        call_id: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        Self::function_parts(name, call_id, [Part::Text(content.into())])
    }

    /// Creates the result of a call with several parts, such as a text and an image.
    #[must_use]
    pub fn function_parts(
        name: impl Into<String>,
        call_id: impl Into<String>,
        parts: impl IntoIterator<Item = Part>,
    ) -> Self {
        let content = Content::new(parts.into_iter().collect());
        Self::of(Role::Function, content).changed(|data| {
            data.name = Some(name.into());
            data.call_id = Some(call_id.into());
        })
    }

    /// Creates a summary of earlier messages that were removed. It is a message of the user with the name
    /// `summary`, because every provider accepts a user's message at the beginning of a conversation.
    #[must_use]
    pub fn summary(content: impl Into<String>) -> Self {
        Self::user(content).with_name(Some(SUMMARY.to_owned()))
    }

    /// Whether this is a summary of earlier messages; see [`summary`](Self::summary).
    #[must_use]
    pub fn is_summary(&self) -> bool {
        self.role() == Role::User && self.name() == Some(SUMMARY)
    }

    /// Creates a summary of messages that stay in the conversation. The position of the summary does not
    /// matter, because the model gets the summary before all other messages; runs append it when it is
    /// written. If a conversation has several such summaries, the last one is used.
    ///
    /// ```
    /// use agent_runtime::conversation::SummaryScope;
    /// use agent_runtime::{Conversation, Message};
    ///
    /// let conversation: Conversation = [
    ///     Message::user("I'm Ada, and I am in Vienna"),
    ///     Message::assistant("Good morning, Ada."),
    ///     Message::user("Where am I?"),
    ///     Message::summary_of("Ada is in Vienna.", SummaryScope::new(2)),
    ///     Message::assistant("In Vienna."),
    /// ]
    /// .into_iter()
    /// .collect();
    /// let view: Vec<_> = conversation.view().iter().map(|message| message.content().to_owned()).collect();
    /// assert_eq!(view, ["Ada is in Vienna.", "Where am I?", "In Vienna."]);
    /// ```
    #[must_use]
    pub fn summary_of(content: impl Into<String>, scope: SummaryScope) -> Self {
        Self::summary(content).with_scope(scope)
    }

    /// The messages of the conversation that this summary stands for. `None` for other messages, and for a summary
    /// of messages that were removed.
    #[must_use]
    pub fn summary_scope(&self) -> Option<SummaryScope> {
        (self.is_summary() && !self.0.scope.is_empty()).then_some(self.0.scope)
    }

    /// Creates a message that the user sends during a run; see [`RunHandle::say`](crate::RunHandle::say). It
    /// is a message of the user with the name `steering`, and begins no [turn](super::Conversation::turns).
    #[must_use]
    pub fn steering(content: impl Into<String>) -> Self {
        Self::user(content).into_steering()
    }

    /// Whether the user sent this message during a run; see [`steering`](Self::steering).
    #[must_use]
    pub fn is_steering(&self) -> bool {
        self.role() == Role::User && self.name() == Some(STEERING)
    }

    /// Creates a message in which a run asks the model for another answer, because the last one is not of the
    /// type that the program wants. It is a message of the user with the name `correction`, and begins no
    /// [turn](super::Conversation::turns).
    #[must_use]
    pub fn correction(content: impl Into<String>) -> Self {
        Self::user(content).with_name(Some(CORRECTION.to_owned()))
    }

    /// Whether a run wrote this to ask the model for another answer; see [`correction`](Self::correction).
    #[must_use]
    pub fn is_correction(&self) -> bool {
        self.role() == Role::User && self.name() == Some(CORRECTION)
    }

    /// Sets the calls of tools.
    #[must_use]
    pub fn with_tool_calls(self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.changed(|data| data.tool_calls = calls.into_iter().collect())
    }

    /// Marks a result as the result of a failed call.
    #[must_use]
    pub fn into_error(self) -> Self {
        self.changed(|data| data.is_error = true)
    }

    pub(crate) fn into_steering(self) -> Self {
        self.with_name(Some(STEERING.to_owned()))
    }

    pub(super) fn with_scope(self, scope: SummaryScope) -> Self {
        self.changed(|data| data.scope = scope)
    }

    pub(super) fn with_name(self, name: Option<String>) -> Self {
        self.changed(|data| data.name = name)
    }

    /// Returns the message without the parts that only the model's messages have.
    #[doc(hidden)]
    #[must_use]
    pub fn without_thoughts(&self) -> Self {
        if !self.parts().iter().any(Part::is_models) {
            return self.clone();
        }
        let kept = self.parts().iter().filter(|part| !part.is_models());
        self.clone().with_parts(kept.cloned().collect())
    }

    /// Returns the message with its secrets replaced, in its texts, in its thoughts and in the arguments of its
    /// calls. Data of a provider that contains a secret, or that signs thoughts with a secret, is left out,
    /// because the data cannot be changed.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let redacted = self.parts().iter().map(|part| part.redacted(redactor));
        let mut parts: Vec<Part> = redacted.flatten().collect();
        let calls = self.tool_calls().iter();
        let calls: Vec<ToolCall> = calls
            .map(|call| ToolCall::new(&call.id, &call.tool, redactor.text(&call.args)))
            .collect();
        let thoughts = |parts: &[Part]| -> Vec<Part> {
            let is_thought = |part: &&Part| matches!(part, Part::Thinking(_));
            parts.iter().filter(is_thought).cloned().collect()
        };
        if thoughts(&parts) != thoughts(self.parts()) {
            parts.retain(|part| !matches!(part, Part::Provider(_)));
        }
        if parts == self.parts() && calls == self.tool_calls() {
            return self.clone();
        }
        self.clone().with_parts(parts).with_tool_calls(calls)
    }

    /// Returns the message with each part replaced for whose index `change` returns another part.
    #[doc(hidden)]
    #[must_use]
    pub fn with_changed_parts(&self, change: impl Fn(usize) -> Option<Part>) -> Self {
        let parts = self.parts().iter().enumerate();
        let parts = parts.map(|(at, part)| change(at).unwrap_or_else(|| part.clone()));
        self.clone().with_parts(parts.collect())
    }

    pub(super) fn with_parts(self, parts: Vec<Part>) -> Self {
        self.changed(|data| data.content = Content::new(parts))
    }

    pub(super) fn with_call_id(self, id: String) -> Self {
        self.changed(|data| data.call_id = Some(id))
    }

    /// The author.
    #[must_use]
    pub fn role(&self) -> Role {
        self.0.role
    }

    /// The texts of all text parts, joined. For a result, this is the text that the model reads: the text
    /// itself, or any other result as JSON.
    #[must_use]
    pub fn content(&self) -> &str {
        self.0.content.text()
    }

    /// The parts of the content, in order. A message with an empty text has none.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        self.0.content.parts()
    }

    /// The images, documents and audio of the message.
    pub fn media(&self) -> impl Iterator<Item = &Media> {
        self.parts().iter().filter_map(Part::media)
    }

    /// Puts the bytes of media in the place of their digests. `find` returns the media of a digest, or `None` to leave
    /// the digest in its place.
    pub(super) fn with_media<E>(
        self,
        find: &mut impl FnMut(Sha256) -> Result<Option<Media>, E>,
    ) -> Result<Self, E> {
        if !self.media().any(Media::is_missing) {
            return Ok(self);
        }
        let mut parts = self.parts().to_vec();
        for part in &mut parts {
            let missing = part.media().filter(|media| media.is_missing());
            let Some(sha256) = missing.and_then(Media::sha256) else {
                continue;
            };
            if let Some(found) = find(sha256)? {
                *part = part
                    .clone()
                    .map_media(|media| media.with_kept_bytes(&found));
            }
        }
        Ok(self.with_parts(parts))
    }

    /// The name of the tool of a result, and of the author of any other message.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The id of the call whose result this is.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        self.0.call_id.as_deref()
    }

    /// The calls of tools.
    #[must_use]
    pub fn tool_calls(&self) -> &[ToolCall] {
        &self.0.tool_calls
    }

    /// The taint that the message brings into its conversation.
    #[must_use]
    pub fn taint(&self) -> Taint {
        self.0.taint
    }

    /// Returns the message as one that brings something in from outside: [`Taint::Tainted`] for a mail that the user passes on.
    #[must_use]
    pub fn with_taint(self, taint: Taint) -> Self {
        match self.0.taint == taint {
            true => self,
            false => self.changed(|data| data.taint = taint),
        }
    }

    /// Whether this is the result of a call that failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.0.is_error
    }

    /// Writes the message as one line of JSON from which serde reads an equal message. Unlike the form that
    /// `Serialize` writes, this form keeps the text of each call's arguments as the model sent it. Bytes of
    /// media are written as their digests; a store keeps the bytes of [`media`](Self::media) beside the
    /// message, and puts them back by [`Conversation::with_media`](super::Conversation::with_media). The form
    /// is meant for the rows of a [`ConversationStore`](crate::conversation::ConversationStore).
    ///
    /// ```
    /// use agent_runtime::conversation::ToolCall;
    /// use agent_runtime::{Message, serde_json};
    ///
    /// let call = ToolCall::new("call_1", "add", "{ \"b\": 1, \"a\": 2 }");
    /// let message = Message::assistant("").with_tool_calls([call]);
    /// let text = message.to_exact_json()?;
    /// assert_eq!(serde_json::from_str::<Message>(&text)?, message);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the data of a [`ProviderPart`](super::ProviderPart) is nested too deep for JSON parsers to read it back, or
    /// when the text has more than [`MAX_VALUES`](agent_spec::json::MAX_VALUES) JSON values, which stores do not read.
    pub fn to_exact_json(&self) -> Result<String, serde_json::Error> {
        json::message_to_exact_json(self)
    }

    /// Returns the JSON of the message with the bytes of its media in base64, where `Serialize` writes their digests.
    #[must_use]
    pub fn to_json_with_data(&self) -> Value {
        json::message_to_json(self, json::Exactness::Plain, MediaForm::Data)
    }

    /// Returns the message as a pattern; see [`Conversation::to_pattern`](super::Conversation::to_pattern).
    ///
    /// # Errors
    /// When provider data is nested too deep.
    pub fn to_pattern(&self) -> Result<Pattern, ValueError> {
        pattern::write_message(self)
    }

    /// Reads the pattern of a message. Unknown properties are ignored.
    ///
    /// # Errors
    /// When a label is wrong, or a property is missing or invalid.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, ReadError> {
        pattern::read_message(pattern)
    }
}

/// A call of a tool that a model made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    id: String,
    tool: String,
    args: String,
}

impl ToolCall {
    /// Creates a call. No other call of the message may have this id. `args` is the text that the model
    /// sent, which need not be JSON.
    #[must_use]
    pub fn new(id: impl Into<String>, tool: impl Into<String>, args: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            tool: tool.into(),
            args: args.into(),
        }
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments as the model sent them. They are JSON unless the model made a mistake.
    #[must_use]
    pub fn args_text(&self) -> &str {
        &self.args
    }

    /// The arguments as a value: the parsed text, or a string of the text if it is not JSON or has too many
    /// values for a call ([`MAX_ARGUMENT_VALUES`]).
    #[must_use]
    pub fn args(&self) -> Value {
        if has_more_values_than(self.args.as_bytes(), MAX_ARGUMENT_VALUES) {
            return Value::String(self.args.clone());
        }
        match parse_json(&self.args) {
            // A JSON string keeps its quotes, so that the value leads back to the same text.
            Ok(Value::String(_)) | Err(_) => Value::String(self.args.clone()),
            Ok(value) => value,
        }
    }

    pub(crate) fn with_id(mut self, id: String) -> Self {
        self.id = id;
        self
    }
}
