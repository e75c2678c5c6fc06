//! Keys, kept out of messages.

mod respelled;

use serde_json::Value;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// What stands where a key was.
pub(super) const MASK: &str = "[key]";

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

    /// A text in which the key, wherever it stands, is replaced. A very short one is no secret, and stands in words and numbers that are none.
    pub(crate) fn mask(&self, text: &str) -> String {
        if self.0.len() < SHORTEST {
            return text.to_owned();
        }
        let masked = text.replace(&self.0, MASK);
        // As it stands in a JSON text, which most of what is masked is.
        let escaped = Value::from(self.0.as_str()).to_string();
        let escaped = &escaped[1..escaped.len() - 1];
        if escaped == self.0 {
            return masked;
        }
        masked.replace(escaped, MASK)
    }
}

/// The secrets that requests of one client were sent with so far. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Arc<Mutex<Vec<Secret>>>);

impl Secrets {
    /// Keeps secrets in mind.
    pub(crate) fn learn(&self, secrets: &[Secret]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for secret in secrets {
            if !known.iter().any(|known| known.0 == secret.0) {
                known.push(secret.clone());
            }
        }
        // What begins with another secret would otherwise not be whole when it is looked for.
        known.sort_by_key(|secret| std::cmp::Reverse(secret.0.len()));
    }

    /// They themselves, longest first.
    pub(crate) fn all(&self) -> Vec<Secret> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }

    /// A text in which they are replaced.
    pub(crate) fn mask(&self, text: &str) -> String {
        self.mask_from(0, text)
    }

    /// A text in which those of a length, in bytes, are replaced.
    pub(crate) fn mask_from(&self, shortest: usize, text: &str) -> String {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.iter().filter(|secret| secret.0.len() >= shortest);
        known.fold(text.to_owned(), |text, secret| secret.mask(&text))
    }

    /// How much of the end of a text may be the beginning of one of that length, in bytes.
    pub(crate) fn begun_from(&self, shortest: usize, text: &str) -> usize {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.iter().filter(|secret| secret.0.len() >= shortest);
        let begun = known.filter_map(|secret| {
            let parts = secret.0.char_indices().map(|(at, _)| &secret.0[..at]).rev();
            parts
                .into_iter()
                .find(|part| text.ends_with(part))
                .map(str::len)
        });
        begun.max().unwrap_or(0)
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

    #[test]
    fn a_key_is_masked_as_it_stands_in_json_too() {
        let key = Secret::new("a\"b\\");
        let text = serde_json::json!({"key": "a\"b\\"}).to_string();
        assert_eq!(key.mask(&text), r#"{"key":"[key]"}"#);
        assert_eq!(key.mask("a\"b\\"), "[key]");
        let quoted = Secret::new("\"abcd\"");
        let text = serde_json::json!({"key": "\"abcd\""}).to_string();
        assert_eq!(quoted.mask(&text), r#"{"key":"[key]"}"#);
    }

    #[test]
    fn the_longer_secret_is_looked_for_first() {
        let secrets = Secrets::default();
        secrets.learn(&[Secret::new("abcd"), Secret::new("abcdef")]);
        assert_eq!(secrets.clone().mask("abcdef abcd"), "[key] [key]");
    }
}
