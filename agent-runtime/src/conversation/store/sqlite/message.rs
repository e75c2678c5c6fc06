//! A message as text in a row.

use super::StoreError;
use crate::conversation::Message;
use crate::conversation::json::{Exactness, message_to_json};
use crate::conversation::nests_deeper;

/// How deep what a provider wants back may nest. Readers of JSON stop at about 128 levels.
const DEEPEST_DATA: usize = 120;

/// The text of a message; `at` is where it stands among those that are stored.
///
/// # Errors
/// When it could not be read again.
pub(super) fn text_of(at: usize, message: &Message) -> Result<String, StoreError> {
    let data = message.provider_data();
    if data.is_some_and(|data| nests_deeper(data, DEEPEST_DATA)) {
        return Err(StoreError::too_deep(at));
    }
    Ok(message_to_json(message, Exactness::Text).to_string())
}

/// The message of a text.
///
/// # Errors
/// When it is not one, or a key stands in it twice, which this program never writes.
pub(super) fn read(text: &str) -> Result<Message, Box<dyn std::error::Error + Send + Sync>> {
    Ok(serde_json::from_str(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_in_which_a_key_stands_twice_is_refused() {
        let twice = r#"{"role": "user", "content": "a", "content": "b"}"#;
        let error = read(twice).expect_err("anybody's guess");
        assert!(error.to_string().contains("\"content\" is there twice"));
    }
}
