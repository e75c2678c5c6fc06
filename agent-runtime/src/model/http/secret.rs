//! Keys that are sent.

use std::fmt;

/// A key or a secret header. `Debug` does not show it, and there is no `Display`.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the key itself, for the header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the key with a prefix, such as `Bearer `.
    pub(super) fn with_prefix(&self, prefix: &str) -> Self {
        Self(format!("{prefix}{}", self.0))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}
