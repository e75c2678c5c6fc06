//! The error of conversation stores.

use super::ConversationName;
use crate::conversation::Invalid;
use std::error::Error as StdError;
use std::fmt;

/// The error of a [`ConversationStore`](super::ConversationStore). The `is_*` methods tell its kind; the
/// text is for people and may change.
pub struct StoreError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Conflict,
    Invalid,
    Busy,
    Format,
    Unavailable,
}

impl StoreError {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            source: None,
        }))
    }

    /// Returns the error of a [`save`](super::ConversationStore::save) with a revision that another
    /// writer replaced.
    #[must_use]
    pub fn conflict(name: &ConversationName) -> Self {
        let message = format!("`{name}` was written by somebody else meanwhile");
        Self::new(Kind::Conflict, message)
    }

    /// Returns the error of a write whose messages a store does not take. For messages that no model
    /// accepts, convert the [`Invalid`] of [`Conversation::check`](crate::Conversation::check).
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// Returns the error of a store that other programs keep locked.
    #[must_use]
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(Kind::Busy, message)
    }

    /// Returns the error of a place that holds something other than a store, a store of a newer
    /// version, or a damaged one.
    #[must_use]
    pub fn format(message: impl Into<String>) -> Self {
        Self::new(Kind::Format, message)
    }

    /// Returns the error of a store that cannot be reached, read or written.
    #[must_use]
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Kind::Unavailable, message)
    }

    /// Returns the error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Whether another writer replaced the revision: load again, and change what is loaded.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.0.kind == Kind::Conflict
    }

    /// Whether no model accepts the messages, or the store could not read them back.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.0.kind == Kind::Invalid
    }

    /// Whether other programs keep the store locked: a later attempt may succeed.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.0.kind == Kind::Busy
    }

    /// Whether the place holds something other than a store, a store of a newer version, or a damaged
    /// one.
    #[must_use]
    pub fn is_format(&self) -> bool {
        self.0.kind == Kind::Format
    }
}

impl From<Invalid> for StoreError {
    fn from(invalid: Invalid) -> Self {
        Self::invalid("only what can be sent to a model is stored").with_source(invalid)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.message)
    }
}

impl fmt::Debug for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("StoreError");
        out.field("kind", &self.0.kind)
            .field("message", &self.0.message);
        if let Some(source) = &self.0.source {
            out.field("source", source);
        }
        out.finish()
    }
}

impl StdError for StoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.source {
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}
