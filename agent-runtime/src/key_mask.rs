//! Keys that a runtime holds, kept out of what its host shows and stores.

use crate::conversation::{Conversation, Message};
#[cfg(feature = "http")]
use crate::http::{Secret, Secrets};
use crate::response::{AgentResponse, ToolInvocation};
use crate::tool::ToolError;
use serde_json::Value;

/// Replaces, by `[key]`, the keys and secret headers that a runtime's requests were sent with so far.
/// From [`Runtime::key_mask`](crate::Runtime::key_mask).
///
/// A user may paste a key, a tool may find one, and a model says again what it was told; so what was said
/// may hold a key that the program was given to keep. A key of fewer than 8 characters stays: servers on
/// this machine are given any word, and a text without that word would not be what was said.
///
/// ```
/// # use agent_runtime::Runtime;
/// let mask = Runtime::offline().key_mask();
/// assert_eq!(mask.text("nothing was sent"), "nothing was sent");
/// ```
#[derive(Clone, Default)]
pub struct KeyMask {
    #[cfg(feature = "http")]
    secrets: Secrets,
}

/// A shorter key may be any word.
#[cfg(feature = "http")]
pub(crate) const SHORTEST: usize = 8;

impl KeyMask {
    #[cfg(feature = "http")]
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self { secrets }
    }

    /// A mask for these keys.
    #[cfg(feature = "http")]
    pub fn of(keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let keys: Vec<Secret> = keys.into_iter().map(Secret::new).collect();
        let secrets = Secrets::default();
        secrets.learn(&keys);
        Self { secrets }
    }

    /// A text without keys of at least `shortest` bytes, in whatever spelling a server repeats them: in
    /// other letter case, percent-encoded, or with JSON escapes. Keys shorter than 4 bytes stay.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn text_in_any_spelling(&self, shortest: usize, text: &str) -> String {
        let keys = self.secrets.all().into_iter();
        keys.fold(text.to_owned(), |text, key| {
            key.mask_respelled(shortest, &text)
        })
    }

    /// A text without keys.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        #[cfg(feature = "http")]
        {
            self.secrets.mask_from(SHORTEST, text)
        }
        #[cfg(not(feature = "http"))]
        text.to_owned()
    }

    /// How many bytes at the end of a text may be the beginning of a key: what follows must be seen
    /// before they can be shown.
    #[must_use]
    pub fn begun(&self, text: &str) -> usize {
        #[cfg(feature = "http")]
        {
            self.secrets.begun_from(SHORTEST, text)
        }
        #[cfg(not(feature = "http"))]
        {
            let _ = text;
            0
        }
    }

    /// A message without keys. What only its provider reads goes when it holds one: it may be signed, and
    /// what is signed cannot be changed.
    #[must_use]
    pub fn message(&self, message: &Message) -> Message {
        let masked = message.with_texts(|text| self.text(text));
        match message.provider_data() {
            Some(data) if self.value(data) != *data => masked.without_provider_data(),
            _ => masked,
        }
    }

    /// A conversation without keys.
    #[must_use]
    pub fn conversation(&self, conversation: &Conversation) -> Conversation {
        let mut masked = Conversation::new();
        for message in conversation.messages() {
            masked.push(self.message(message));
        }
        masked
    }

    /// A response without keys.
    #[must_use]
    pub fn response(&self, response: &AgentResponse) -> AgentResponse {
        let mut masked = response.clone();
        masked.content = self.text(&masked.content);
        for invocation in &mut masked.tools_used {
            *invocation = self.invocation(invocation);
        }
        masked
    }

    /// A call, and what came of it, without keys.
    #[must_use]
    pub fn invocation(&self, invocation: &ToolInvocation) -> ToolInvocation {
        let mut masked = invocation.clone();
        masked.args = self.value(&masked.args);
        masked.result = match masked.result {
            Ok(value) => Ok(self.value(&value)),
            Err(error) => Err(self.error(error)),
        };
        masked.error_text = masked.error_text.map(|text| self.text(&text));
        masked
    }

    fn error(&self, error: ToolError) -> ToolError {
        match error {
            ToolError::Execution(text) => ToolError::Execution(self.text(&text)),
            ToolError::Retry(text) => ToolError::Retry(self.text(&text)),
            ToolError::Validation(text) => ToolError::Validation(self.text(&text)),
            ToolError::Authorization(text) => ToolError::Authorization(self.text(&text)),
            ToolError::Timeout => ToolError::Timeout,
        }
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                let masked = members.map(|(name, value)| (self.text(name), self.value(value)));
                Value::Object(masked.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

impl std::fmt::Debug for KeyMask {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("KeyMask")
    }
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::*;
    use crate::conversation::ToolCall;
    use serde_json::json;

    const KEY: &str = "correct horse \"battery\"";

    fn mask() -> KeyMask {
        let secrets = Secrets::default();
        secrets.learn(&[Secret::new(KEY), Secret::new("ollama")]);
        KeyMask::new(secrets)
    }

    #[test]
    fn texts_lose_keys_and_keep_words() {
        let mask = mask();
        assert_eq!(mask.text(&format!("a {KEY} b")), "a [key] b");
        assert_eq!(mask.text("ollama runs"), "ollama runs");
    }

    #[test]
    fn the_beginning_of_a_key_is_known_at_the_end_of_a_text() {
        let mask = mask();
        for (text, begun) in [
            ("", 0),
            ("It is c", 1),
            ("It is correct horse", 13),
            ("It is corect", 0),
            ("correct horse correct", 7),
            ("olla", 0),
        ] {
            assert_eq!(mask.begun(text), begun, "{text}");
        }
    }

    #[test]
    fn a_message_is_masked_in_all_it_says() {
        let args = json!({"key": KEY, "n": 1}).to_string();
        let call = ToolCall::new("c1", "keep", args);
        let message = Message::assistant(KEY).with_tool_calls([call]);
        let signed = message
            .clone()
            .with_provider_data(json!({"thought": [KEY]}));
        let harmless = message.with_provider_data(json!({"thought": "x"}));
        let mask = mask();
        assert_eq!(mask.message(&signed).content(), "[key]");
        assert_eq!(
            mask.message(&signed).tool_calls()[0].args(),
            json!({"key": "[key]", "n": 1})
        );
        assert_eq!(mask.message(&signed).provider_data(), None);
        assert_eq!(
            mask.message(&harmless).provider_data(),
            Some(&json!({"thought": "x"}))
        );
    }
}
