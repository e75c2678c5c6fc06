//! The limits of requests, calls, tokens and cost for one message.

use super::number::{non_negative, positive};
use agent_runtime::run::UsageLimits;

/// The options that limit each message, including all requests and calls that follow from it.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// Make at most N requests to models for a message
    #[arg(long, value_name = "N", value_parser = positive)]
    max_requests: Option<u64>,
    /// Make at most N calls of tools for a message, including those that fail or are denied
    #[arg(long, value_name = "N", value_parser = non_negative)]
    max_tool_calls: Option<u64>,
    /// Send at most N tokens for a message
    #[arg(long, value_name = "N", value_parser = positive)]
    max_input_tokens: Option<u64>,
    /// Let models write at most N tokens for a message
    #[arg(long, value_name = "N", value_parser = positive)]
    max_output_tokens: Option<u64>,
    /// Use at most N tokens for a message, sent and written together
    #[arg(long, value_name = "N", value_parser = positive)]
    max_total_tokens: Option<u64>,
    /// Spend at most this many dollars on a message; a model that the catalogue has no price of needs --price
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    max_cost: Option<f64>,
}

impl LimitArgs {
    /// Returns the limits. The offline model costs nothing, so that no price is asked for.
    pub(crate) fn limits(self, is_offline: bool) -> UsageLimits {
        let mut limits = UsageLimits::new();
        if let Some(most) = self.max_requests {
            limits = limits.requests(most);
        }
        if let Some(most) = self.max_tool_calls {
            limits = limits.tool_calls(most);
        }
        if let Some(most) = self.max_input_tokens {
            limits = limits.input_tokens(most);
        }
        if let Some(most) = self.max_output_tokens {
            limits = limits.output_tokens(most);
        }
        if let Some(most) = self.max_total_tokens {
            limits = limits.total_tokens(most);
        }
        if let Some(most) = self.max_cost.filter(|_| !is_offline) {
            limits = limits.cost(most);
        }
        limits
    }
}

/// Parses a number of dollars above 0.
///
/// # Errors
/// Returns advice for anything else.
pub(crate) fn dollars(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(dollars) if f64::is_finite(dollars) && dollars > 0.0 => Ok(dollars),
        _ => Err("write a number of dollars above 0, such as 0.50"),
    }
}
