//! What requests cost.

use serde_core::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Tokens, summed over the requests of a run.
///
/// A number that a provider does not say is zero. When it says none of what was sent or written, the
/// request is one of [`uncounted_requests`](Self::uncounted_requests): the tokens are too few then, and
/// nobody knows what the request cost.
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
    /// Those of the requests of which the provider did not say how many tokens were sent and written.
    pub uncounted_requests: u64,
}

impl Usage {
    /// What one request cost, when that is known: two zeros are a request that cost nothing. A model of
    /// a host that does not know leaves [`ModelReply::usage`](crate::model::ModelReply::usage) as it is.
    #[must_use]
    pub fn of_request(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
            requests: 1,
            ..Self::default()
        }
    }

    /// What one request cost of which a provider says so much, or nothing.
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "providers are asked over HTTP")
    )]
    pub(crate) fn reported(input_tokens: u64, output_tokens: Option<u64>) -> Self {
        // No request is so small that nothing is sent.
        let is_counted = input_tokens > 0 && output_tokens.is_some();
        Self {
            uncounted_requests: u64::from(!is_counted),
            ..Self::of_request(input_tokens, output_tokens.unwrap_or(0))
        }
    }

    /// Whether the tokens are all there are.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.uncounted_requests == 0
    }

    /// Adds what another request cost. Numbers stay at their greatest value rather than overflow.
    pub fn add(&mut self, other: &Usage) {
        for (sum, more) in [
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.cached_tokens, other.cached_tokens),
            (&mut self.reasoning_tokens, other.reasoning_tokens),
            (&mut self.requests, other.requests),
            (&mut self.uncounted_requests, other.uncounted_requests),
        ] {
            *sum = sum.saturating_add(more);
        }
    }

    /// `{"inputTokens", "outputTokens", "requests"}`, and `cachedTokens`, `reasoningTokens` and
    /// `uncountedRequests` when there are any.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        for (key, number, always) in [
            ("inputTokens", self.input_tokens, true),
            ("outputTokens", self.output_tokens, true),
            ("requests", self.requests, true),
            ("cachedTokens", self.cached_tokens, false),
            ("reasoningTokens", self.reasoning_tokens, false),
            ("uncountedRequests", self.uncounted_requests, false),
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
            uncounted_requests: number("uncountedRequests"),
        }
    }
}

impl Serialize for Usage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}
