//! The tokens that requests use.

use agent_spec::Model;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The tokens of one request, or of all requests of a run.
///
/// A number that a provider does not report is zero. A request without reported input and output tokens is
/// one of [`uncounted_requests`](Self::uncounted_requests): the true numbers are higher, and the cost is
/// unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Usage {
    /// The tokens that were sent, including cached ones.
    pub input_tokens: u64,
    /// The tokens that the model wrote, including reasoning.
    pub output_tokens: u64,
    /// The input tokens that were in the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// The input tokens that the provider wrote to its cache, for which some providers charge more.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_written_tokens: u64,
    /// The output tokens that are reasoning.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
    /// The number of requests.
    pub requests: u64,
    /// The number of requests of which the provider reported no tokens.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncounted_requests: u64,
}

impl Usage {
    /// Creates the usage of one request with known tokens; two zeros are a request without cost. A model that
    /// does not report its tokens leaves [`ModelReply::usage`](crate::model::ModelReply::usage) as it is.
    #[must_use]
    pub fn of_request(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
            requests: 1,
            ..Self::default()
        }
    }

    /// Creates the usage of one request from a provider's numbers, which may be missing.
    #[doc(hidden)]
    pub fn reported(input_tokens: u64, output_tokens: Option<u64>) -> Self {
        // No request has zero input tokens, so the number is missing.
        let is_counted = input_tokens > 0 && output_tokens.is_some();
        Self {
            uncounted_requests: u64::from(!is_counted),
            ..Self::of_request(input_tokens, output_tokens.unwrap_or(0))
        }
    }

    /// Whether the tokens of all requests are known.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.uncounted_requests == 0
    }

    /// Adds other usage. Numbers saturate instead of overflowing.
    pub fn add(&mut self, other: &Usage) {
        for (sum, more) in [
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.cached_tokens, other.cached_tokens),
            (&mut self.cache_written_tokens, other.cache_written_tokens),
            (&mut self.reasoning_tokens, other.reasoning_tokens),
            (&mut self.requests, other.requests),
            (&mut self.uncounted_requests, other.uncounted_requests),
        ] {
            *sum = sum.saturating_add(more);
        }
    }

    /// Returns an object with `inputTokens`, `outputTokens` and `requests`, and with `cachedTokens`,
    /// `cacheWrittenTokens`, `reasoningTokens` and `uncountedRequests` unless they are zero.
    #[must_use]
    pub fn to_json(&self) -> Value {
        // Serializing numbers cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Reads the result of [`to_json`](Self::to_json). A missing number is zero.
    #[must_use]
    pub fn from_json(json: &Value) -> Self {
        let number = |key: &str| json.get(key).and_then(Value::as_u64).unwrap_or(0);
        Self {
            input_tokens: number("inputTokens"),
            output_tokens: number("outputTokens"),
            cached_tokens: number("cachedTokens"),
            cache_written_tokens: number("cacheWrittenTokens"),
            reasoning_tokens: number("reasoningTokens"),
            requests: number("requests"),
            uncounted_requests: number("uncountedRequests"),
        }
    }
}

/// The usage of one of several requests that a provider made for one answer: for its own tools, or for a
/// model that another model asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsagePart {
    /// The provider's name of the model; `None` for the model of the request.
    pub model: Option<String>,
    /// The usage of this request.
    pub usage: Usage,
    /// The cost of these tokens in dollars, if the provider knows the price of the model.
    pub cost: Option<f64>,
}

impl UsagePart {
    /// Creates a part without a known cost.
    #[must_use]
    pub fn new(model: Option<String>, usage: Usage) -> Self {
        Self {
            model,
            usage,
            cost: None,
        }
    }

    /// Returns the model of these tokens, if the request was sent to `asked`; `None` for a name that no model has.
    #[must_use]
    pub fn model_for(&self, asked: &Model) -> Option<Model> {
        match &self.model {
            None => Some(asked.clone()),
            Some(id) => Model::new(asked.provider().to_owned(), id.clone()).ok(),
        }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
