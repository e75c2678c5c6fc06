//! What one message may use up.

use super::price::models_of;
use super::whole_number::{any, one_or_more};
use crate::outcome::Trouble;
use agent_runtime::Agent;
use agent_runtime::cost::Prices;
use agent_runtime::run::UsageLimits;

/// What one message may use up, with all that the agent does about it.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// Let a message lead to at most N requests to models
    #[arg(long, value_name = "N", value_parser = one_or_more)]
    max_requests: Option<u64>,
    /// Let a message lead to at most N calls of tools, those that fail or are denied included
    #[arg(long, value_name = "N", value_parser = any)]
    max_tool_calls: Option<u64>,
    /// Let a message lead to at most N tokens that are sent
    #[arg(long, value_name = "N", value_parser = one_or_more)]
    max_input_tokens: Option<u64>,
    /// Let a message lead to at most N tokens that models write
    #[arg(long, value_name = "N", value_parser = one_or_more)]
    max_output_tokens: Option<u64>,
    /// Let a message lead to at most N tokens, sent and written together
    #[arg(long, value_name = "N", value_parser = one_or_more)]
    max_total_tokens: Option<u64>,
    /// Let a message cost at most so many dollars; --price must say what each model of the agent costs
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    max_cost: Option<f64>,
}

impl LimitArgs {
    /// The limits.
    ///
    /// # Errors
    /// When the cost is limited, and that of a model is not known.
    pub(super) fn limits(self, agent: &Agent, prices: &Prices) -> Result<UsageLimits, Trouble> {
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
            let mut models = models_of(agent);
            if let Some(model) = models.find(|model| prices.get(model).is_none()) {
                return Err(Trouble::new(format!(
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
