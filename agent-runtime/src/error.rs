//! The error that ends a run.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// The error of a run that did not end with an answer.
///
/// The `is_*` methods return its kind. The text is for people and may change. `Display` prints this level
/// only; [`source`](StdError::source) returns the cause. An error never contains a key or another secret.
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    message: String,
    unavailable: bool,
    /// Shared, so that a run can keep an error and end with it later.
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// The kinds of errors. They are private, so that kinds can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Validation,
    Configuration,
    Llm,
    Tool,
    Limit,
    Cancelled,
    AwaitingApproval,
}

impl Kind {
    /// The word for the kind in traces and in the saved form of a run.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Configuration => "configuration",
            Self::Llm => "llm",
            Self::Tool => "tool",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
            Self::AwaitingApproval => "awaiting_approval",
        }
    }

    /// Returns the kind of a word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [
            Self::Validation,
            Self::Configuration,
            Self::Llm,
            Self::Tool,
            Self::Limit,
            Self::Cancelled,
        ]
        .into_iter()
        .find(|kind| kind.word() == word)
    }
}

impl Error {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            unavailable: false,
            source: None,
        }))
    }

    /// An input or an agent is invalid. The message must hold no secret.
    #[must_use]
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(Kind::Validation, message)
    }

    /// Creates the error of a provider that failed: its answer was an error or could not be parsed. It is for
    /// providers that a host registers. The message must not contain a secret.
    #[must_use]
    pub fn llm(message: impl Into<String>) -> Self {
        Self::new(Kind::Llm, message)
    }

    /// Creates the error of a wrong configuration, such as a missing or rejected key. It is for providers that
    /// a host registers. The message must not contain a secret.
    #[must_use]
    pub fn configuration(message: impl Into<String>) -> Self {
        Self::new(Kind::Configuration, message)
    }

    pub(crate) fn tool(message: impl Into<String>) -> Self {
        Self::new(Kind::Tool, message)
    }

    pub(crate) fn cancelled(message: impl Into<String>) -> Self {
        Self::new(Kind::Cancelled, message)
    }

    /// Sets the cause of the error.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Marks the provider as down or overloaded, so that a fallback model may be tried.
    #[must_use]
    pub fn into_unavailable(mut self) -> Self {
        self.0.unavailable = true;
        self
    }

    /// Appends a text to the message.
    #[cfg(feature = "http")]
    pub(crate) fn and(mut self, more: &str) -> Self {
        self.0.message.push_str(more);
        self
    }

    /// Returns the error with `context` and a colon before its message. Kind and source stay.
    #[must_use]
    pub fn with_context(mut self, context: impl fmt::Display) -> Self {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// Combines problems into one error, whose kind is that of the first problem. A single problem is
    /// returned unchanged.
    pub(crate) fn combined(mut problems: Vec<Self>) -> Result<(), Self> {
        match problems.len() {
            0 => Ok(()),
            1 => Err(problems.remove(0)),
            _ => {
                let texts: Vec<&str> = problems.iter().map(|error| &*error.0.message).collect();
                Err(Self::new(problems[0].kind(), texts.join("\n")))
            }
        }
    }

    /// Removes the mark of [`into_unavailable`](Self::into_unavailable), so that no fallback model is tried.
    pub(crate) fn into_final(mut self) -> Self {
        self.0.unavailable = false;
        self
    }

    /// Whether the input is empty, the agent is invalid, or a result was given that the run does not wait for.
    #[must_use]
    pub fn is_validation(&self) -> bool {
        self.kind() == Kind::Validation
    }

    /// Whether the configuration is wrong: a missing or rejected key, an unknown provider, a missing variable.
    #[must_use]
    pub fn is_configuration(&self) -> bool {
        self.kind() == Kind::Configuration
    }

    /// Whether the provider failed in another way.
    #[must_use]
    pub fn is_llm(&self) -> bool {
        self.kind() == Kind::Llm
    }

    /// Whether a tool of the agent could not be bound. A call that fails is not an error of the run.
    #[must_use]
    pub fn is_tool(&self) -> bool {
        self.kind() == Kind::Tool
    }

    /// Whether a limit of the run was reached: turns, bad calls in a row, usage, time.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        self.kind() == Kind::Limit
    }

    /// Whether the caller or a hook cancelled the run.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.kind() == Kind::Cancelled
    }

    /// Whether the run pauses, because a call needs a person's approval and the runtime has no
    /// [`Approver`](crate::approval::Approver). [`awaiting_approval`](Self::awaiting_approval) gives
    /// the run and its calls.
    #[must_use]
    pub fn is_awaiting_approval(&self) -> bool {
        self.kind() == Kind::AwaitingApproval
    }

    /// Whether the provider is down or overloaded, so that a fallback model may be tried.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        self.0.unavailable
    }

    /// Returns the name of the error's kind, as it is in traces: `validation`, `configuration`, `llm`,
    /// `tool`, `limit`, `cancelled` or `awaiting_approval`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        self.kind().word()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Clones the error. `Error` is not `Clone`, so that programs handle an error once.
    pub(crate) fn again(&self) -> Self {
        Self(Box::new(Inner {
            kind: self.0.kind,
            message: self.0.message.clone(),
            unavailable: self.0.unavailable,
            source: self.0.source.clone(),
        }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Error");
        out.field("kind", &self.0.kind)
            .field("message", &self.0.message);
        if let Some(source) = &self.0.source {
            out.field("source", source);
        }
        out.finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.source {
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}

/// Converts the diagnostics of an invalid agent.
impl From<agent_spec::Diagnostics> for Error {
    fn from(diagnostics: agent_spec::Diagnostics) -> Self {
        Self::validation("the agent is not valid").with_source(diagnostics)
    }
}
