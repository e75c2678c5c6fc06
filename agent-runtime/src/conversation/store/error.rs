//! Why a store could not do what it was asked.

use crate::conversation::Invalid;
use std::error::Error as StdError;
use std::fmt;

/// Why a store could not do what it was asked. The kind is asked with the `is_*` methods; the text
/// is for people and may change.
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

    /// Somebody else wrote meanwhile.
    #[must_use]
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(Kind::Conflict, message)
    }

    /// What was to be stored could not be sent to a model.
    #[must_use]
    pub fn invalid(invalid: Invalid) -> Self {
        let message = "only what can be sent to a model is stored";
        Self::new(Kind::Invalid, message).with_source(invalid)
    }

    /// Others keep the store busy.
    #[must_use]
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(Kind::Busy, message)
    }

    /// What is there is not a store, one of a newer version, or damaged.
    #[must_use]
    pub fn format(message: impl Into<String>) -> Self {
        Self::new(Kind::Format, message)
    }

    /// The store cannot be reached, read or written.
    #[must_use]
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Kind::Unavailable, message)
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Whether somebody else wrote meanwhile: load again, and change that.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.0.kind == Kind::Conflict
    }

    /// Whether what was to be stored could not be sent to a model, or not be read again.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.0.kind == Kind::Invalid
    }

    /// Whether others keep the store busy: it may work later.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.0.kind == Kind::Busy
    }

    /// Whether what is there is not a store, one of a newer version, or damaged.
    #[must_use]
    pub fn is_format(&self) -> bool {
        self.0.kind == Kind::Format
    }

    /// What was to be stored could not be read again.
    #[cfg(feature = "sqlite")]
    pub(super) fn too_deep(at: usize) -> Self {
        let number = at + 1;
        let message = format!(
            "message {number} cannot be stored: what its provider wants back is nested too deep"
        );
        Self::new(Kind::Invalid, message)
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
