//! What requests cost.

use serde_core::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Tokens, summed over the requests of a run. A number is zero when the provider does not say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens that were sent, cached ones included.
    pub input_tokens: u64,
    /// Tokens that the model wrote, reasoning included.
    pub output_tokens: u64,
    /// Sent tokens that the provider had in its cache.
    pub cached_tokens: u64,
    /// Written tokens that are reasoning.
    pub reasoning_tokens: u64,
    /// Requests.
    pub requests: u64,
}

impl Usage {
    /// What one request cost.
    #[must_use]
    pub fn of_request(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
            requests: 1,
            ..Self::default()
        }
    }

    /// Adds what another request cost. Numbers stay at their greatest value rather than overflow.
    pub fn add(&mut self, other: &Usage) {
        for (sum, more) in [
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.cached_tokens, other.cached_tokens),
            (&mut self.reasoning_tokens, other.reasoning_tokens),
            (&mut self.requests, other.requests),
        ] {
            *sum = sum.saturating_add(more);
        }
    }

    /// `{"inputTokens", "outputTokens", "requests"}`, and `cachedTokens` and `reasoningTokens` when
    /// there are any.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        for (key, number, always) in [
            ("inputTokens", self.input_tokens, true),
            ("outputTokens", self.output_tokens, true),
            ("requests", self.requests, true),
            ("cachedTokens", self.cached_tokens, false),
            ("reasoningTokens", self.reasoning_tokens, false),
        ] {
            if always || number > 0 {
                json.insert(key.to_owned(), number.into());
            }
        }
        Value::Object(json)
    }

    /// The reverse of [`to_json`](Self::to_json); what is missing is zero.
    #[must_use]
    pub fn from_json(json: &Value) -> Self {
        let number = |key: &str| json.get(key).and_then(Value::as_u64).unwrap_or(0);
        Self {
            input_tokens: number("inputTokens"),
            output_tokens: number("outputTokens"),
            cached_tokens: number("cachedTokens"),
            reasoning_tokens: number("reasoningTokens"),
            requests: number("requests"),
        }
    }
}

impl Serialize for Usage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}
