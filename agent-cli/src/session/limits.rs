//! The limits of requests, calls, tokens and cost for one message.

use super::number::{non_negative, positive};
use crate::outcome::CommandError;
use crate::provider::models_of;
use agent_runtime::Agent;
use agent_runtime::cost::Prices;
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
    /// Spend at most this many dollars on a message; needs --price for each model of the agent
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    max_cost: Option<f64>,
}

impl LimitArgs {
    /// Returns the limits.
    ///
    /// # Errors
    /// Returns an error if the cost is limited and a model has no price.
    pub(crate) fn limits(
        self,
        agent: &Agent,
        prices: &Prices,
    ) -> Result<UsageLimits, CommandError> {
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
        if let Some(most) = self.max_cost {
            let mut models = models_of(agent).into_iter();
            if let Some(model) = models.find(|model| prices.get(model).is_none()) {
                return Err(CommandError::new(format!(
                    "`--max-cost` needs to know what `{model}` costs; add \
                     `--price {model}=SENT,WRITTEN`, in dollars per million tokens"
                )));
            }
            limits = limits.cost(most);
        }
        Ok(limits)
    }
}

fn dollars(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(dollars) if f64::is_finite(dollars) && dollars > 0.0 => Ok(dollars),
        _ => Err("write a number of dollars above 0, such as 0.50"),
    }
}
