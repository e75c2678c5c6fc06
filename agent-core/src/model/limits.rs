//! The limits of the requests to a provider, which all runs of a runtime share.

pub(crate) mod gate;
pub(crate) mod reported;
mod window;

pub(crate) use gate::Gate;

use super::ModelRequest;
use crate::conversation::{Message, estimate_tokens, estimate_tokens_for};
use agent_tool::Error;

/// The limits of the requests to one provider. All runs of a runtime share them: see
/// `RuntimeBuilder::provider_limits`.
///
/// A request that would exceed a limit waits. Requests are sent in the order in which they began to wait, so that no
/// run overtakes another one; only a run that is not polled for a second when it is its turn loses its place, such as
/// one whose stream nobody reads. Waiting does not count for the `model_timeout`. It ends when the run is cancelled,
/// dropped, or reaches its `run_timeout`; the place is then free for the next request.
///
/// The limits become stricter by the provider's own answers:
///
/// | answer | effect |
/// | --- | --- |
/// | status 429 | no request is sent until the time of `Retry-After`, or of the pause before the retry, has passed; then, for a minute, half as many are sent at a time, and more again with each answer |
/// | `x-ratelimit-…` headers of OpenAI and compatible servers, `anthropic-ratelimit-…` headers | no more requests and tokens are sent than the provider has left |
///
/// A request that gets the status 429 is sent again until it is answered or the `model_timeout` has passed, unless
/// `max_attempts` is 1; other failures use up the attempts.
///
/// If a provider asks to wait for longer than the `model_timeout`, requests fail at once with an error that
/// [`is_rate_limited`](Error::is_rate_limited), so that a fallback model can answer.
///
/// Without numbers, `ProviderLimits::new()` follows the provider's answers only.
///
/// ```
/// use agent_runtime::Runtime;
/// use agent_runtime::model::ProviderLimits;
///
/// let limits = ProviderLimits::new()
///     .concurrent_requests(8)
///     .requests_per_minute(50)
///     .tokens_per_minute(40_000);
/// let runtime = Runtime::builder().provider_limits("Anthropic", limits).build()?;
/// # Ok::<(), agent_runtime::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct ProviderLimits {
    pub(super) concurrent: Option<usize>,
    requests: Option<u64>,
    tokens: Option<u64>,
}

impl ProviderLimits {
    /// Creates limits without numbers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of requests at a time. A request counts until its answer, streamed or not, has
    /// ended, including the pauses before its retries.
    pub fn concurrent_requests(mut self, most: usize) -> Self {
        self.concurrent = Some(most);
        self
    }

    /// Sets the maximum number of requests in any 60 seconds. Each retry counts as a request.
    pub fn requests_per_minute(mut self, most: u64) -> Self {
        self.requests = Some(most);
        self
    }

    /// Sets the maximum number of tokens in any 60 seconds, input and output. Before a request its input tokens
    /// are [estimated](crate::conversation::estimate_tokens); the usage in its answer replaces the estimate. A
    /// request with more tokens than the limit is sent when no other request counts any more.
    pub fn tokens_per_minute(mut self, most: u64) -> Self {
        self.tokens = Some(most);
        self
    }

    /// Checks the limits of a provider.
    ///
    /// # Errors
    /// Configuration when a limit is 0.
    #[doc(hidden)]
    pub fn check(&self, provider: &str) -> Result<(), Error> {
        let zeros = [
            ("concurrent_requests", self.concurrent == Some(0)),
            ("requests_per_minute", self.requests == Some(0)),
            ("tokens_per_minute", self.tokens == Some(0)),
        ];
        match zeros.into_iter().find(|(_, is_zero)| *is_zero) {
            None => Ok(()),
            Some((name, _)) => Err(Error::configuration(format!(
                "`{name}` of the provider `{provider}` is 0, with which no request is sent; the least is 1, \
                 and without `{name}` there is no such limit"
            ))),
        }
    }
}

/// Estimates the input tokens of a request: instruction, messages and tools.
pub(crate) fn estimate_request(request: &ModelRequest) -> u64 {
    let of_text = |text: String| estimate_tokens(&Message::user(text));
    let counts = request.messages.iter();
    let counts = counts.map(|message| estimate_tokens_for(&request.model, message));
    let messages: usize = counts.sum();
    let tools = request.tools.iter().map(|tool| {
        let schema = serde_json::to_string(tool.schema()).unwrap_or_default();
        of_text(format!("{}{}{schema}", tool.name(), tool.description()))
    });
    let all = of_text(request.instruction.clone()) + messages + tools.sum::<usize>();
    u64::try_from(all).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_zero_is_a_configuration_error_that_names_it() {
        for (limits, name) in [
            (
                ProviderLimits::new().concurrent_requests(0),
                "`concurrent_requests`",
            ),
            (
                ProviderLimits::new().requests_per_minute(0),
                "`requests_per_minute`",
            ),
            (
                ProviderLimits::new().tokens_per_minute(0),
                "`tokens_per_minute`",
            ),
        ] {
            let error = limits.check("Acme").expect_err("a limit of zero");
            let text = error.to_string();
            assert!(error.is_configuration() && text.starts_with(name), "{text}");
            assert!(text.contains("`Acme` is 0") && text.contains("the least is 1"));
        }
        let fine = ProviderLimits::new()
            .concurrent_requests(1)
            .tokens_per_minute(1);
        assert!(fine.check("Acme").is_ok() && ProviderLimits::new().check("Acme").is_ok());
    }
}
