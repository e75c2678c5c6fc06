//! Keys, kept out of messages.

use std::fmt;

/// The length, in bytes, from which a key is one that nobody can guess.
const SHORTEST: usize = 4;

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
    /// A very short one is no secret, and stands in words and numbers that are none.
    pub(crate) fn mask(&self, text: &str) -> String {
        if self.0.len() < SHORTEST {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_masked_unless_it_is_none_to_speak_of() {
        for (key, masked) in [
            ("12345", "a [key] b 1"),
            ("1", "a 12345 b 1"),
            ("", "a 12345 b 1"),
        ] {
            assert_eq!(Secret::new(key).mask("a 12345 b 1"), masked, "{key}");
        }
    }
}
