//! Keys, kept out of messages.

use std::fmt;

/// A key. `Debug` does not show it, and there is no `Display`.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The key itself, for the header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// The key with something before it.
    pub(super) fn after(&self, prefix: &str) -> Self {
        Self(format!("{prefix}{}", self.0))
    }

    /// A text in which the key, wherever it stands, is replaced.
    pub(crate) fn mask(&self, text: &str) -> String {
        if self.0.is_empty() {
            text.to_owned()
        } else {
            text.replace(&self.0, "[key]")
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}
