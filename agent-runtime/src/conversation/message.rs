//! The messages of a conversation.

use super::{ReadError, json, pattern};
use crate::redact::Redactor;
use agent_gram::{Pattern, ValueError};
use agent_spec::json::parse_json;
use serde_json::Value;
use std::sync::Arc;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

/// One message of a conversation. Cloning is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Message(Arc<Data>);

#[derive(Clone, Debug, PartialEq)]
struct Data {
    role: Role,
    content: String,
    name: Option<String>,
    call_id: Option<String>,
    tool_calls: Vec<ToolCall>,
    is_error: bool,
    provider_data: Option<Value>,
}

impl Message {
    fn of(role: Role, content: String) -> Self {
        Self(Arc::new(Data {
            role,
            content,
            name: None,
            call_id: None,
            tool_calls: Vec::new(),
            is_error: false,
            provider_data: None,
        }))
    }

    fn changed(mut self, change: impl FnOnce(&mut Data)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Creates a message of the user.
    #[must_use]
    pub fn user(content: impl Into<String>) -> Self {
        Self::of(Role::User, content.into())
    }

    /// Creates a message of the model.
    #[must_use]
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::of(Role::Assistant, content.into())
    }

    /// Creates the result of a call.
    #[must_use]
    pub fn function(
        name: impl Into<String>,
        call_id: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        Self::of(Role::Function, content.into()).changed(|data| {
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

    /// Sets the calls of tools.
    #[must_use]
    pub fn with_tool_calls(self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.changed(|data| data.tool_calls = calls.into_iter().collect())
    }

    /// Marks a result as that of a failed call.
    #[must_use]
    pub fn into_error(self) -> Self {
        self.changed(|data| data.is_error = true)
    }

    /// Sets the data that the provider needs unchanged when the message is sent again, such as the signature
    /// of a model's thoughts.
    #[must_use]
    pub fn with_provider_data(self, value: Value) -> Self {
        self.changed(|data| data.provider_data = Some(value))
    }

    pub(super) fn with_name(self, name: Option<String>) -> Self {
        self.changed(|data| data.name = name)
    }

    /// Returns the message without provider data.
    pub(crate) fn without_provider_data(&self) -> Self {
        if self.provider_data().is_none() {
            return self.clone();
        }
        self.clone().changed(|data| data.provider_data = None)
    }

    /// Returns the message with its secrets replaced, in its text and in the arguments of its calls. Data
    /// of a provider that holds a secret is left out, because it may be signed and cannot be changed.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let content = redactor.text(self.content());
        let calls = self.tool_calls().iter();
        let calls: Vec<ToolCall> = calls
            .map(|call| ToolCall::new(&call.id, &call.tool, redactor.text(&call.args)))
            .collect();
        let has_secret = |data: &Value| redactor.value(data) != *data;
        let keeps_data = !self.provider_data().is_some_and(has_secret);
        if content == self.content() && calls == self.tool_calls() && keeps_data {
            return self.clone();
        }
        self.clone().changed(|data| {
            data.content = content;
            data.tool_calls = calls;
            data.provider_data.take_if(|_| !keeps_data);
        })
    }

    pub(super) fn with_call_id(self, id: String) -> Self {
        self.changed(|data| data.call_id = Some(id))
    }

    /// The author.
    #[must_use]
    pub fn role(&self) -> Role {
        self.0.role
    }

    /// The text. For a result it is the text that the model reads: a text result itself, any other as JSON.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.0.content
    }

    /// The name: for a result that of its tool, for another message that of its author.
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

    /// Whether this is the result of a call that failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.0.is_error
    }

    /// The data that the provider needs when the message is sent again.
    #[must_use]
    pub fn provider_data(&self) -> Option<&Value> {
        self.0.provider_data.as_ref()
    }

    /// Writes the message as one line of JSON from which serde reads an equal message. Unlike the form
    /// that `Serialize` writes, this one keeps the text of each call's arguments as the model sent it.
    /// It is meant for the rows of a [`ConversationStore`](crate::conversation::ConversationStore).
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
    /// When the [provider data](Self::provider_data) is nested too deep for JSON parsers to read it back.
    pub fn to_exact_json(&self) -> Result<String, serde_json::Error> {
        json::message_to_exact_json(self)
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
    /// Creates a call. No other call of the conversation may have this id. `args` is the text that the model
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

    /// The arguments as a value: the parsed text, or a string of the text if it is not JSON.
    #[must_use]
    pub fn args(&self) -> Value {
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
