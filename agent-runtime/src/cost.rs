//! What tokens cost, in dollars.

use crate::usage::Usage;
use agent_spec::Model;
use std::collections::HashMap;
use std::error::Error as StdError;
use std::fmt;

/// What the tokens of a model cost, in dollars per million.
///
/// ```
/// use agent_runtime::cost::Price;
/// use agent_runtime::model::Usage;
///
/// let price = Price::per_million(0.15, 0.60)?.with_cached(0.075)?;
/// assert_eq!(price.cost(&Usage::of_request(2_000_000, 500_000)), 0.60);
/// # Ok::<(), agent_runtime::cost::PriceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    input: f64,
    output: f64,
    cached: Option<f64>,
}

/// A price that cannot be: less than nothing, or no number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceError(f64);

impl Price {
    /// Dollars for a million tokens that are sent, and for a million that the model writes.
    ///
    /// # Errors
    /// When one of them is negative, infinite or no number.
    pub fn per_million(input: f64, output: f64) -> Result<Self, PriceError> {
        Ok(Self {
            input: checked(input)?,
            output: checked(output)?,
            cached: None,
        })
    }

    /// The same price, with another for a million sent tokens that the provider had in its cache.
    /// Without it they cost what the others cost.
    ///
    /// # Errors
    /// As [`per_million`](Self::per_million).
    pub fn with_cached(mut self, cached: f64) -> Result<Self, PriceError> {
        self.cached = Some(checked(cached)?);
        Ok(self)
    }

    /// What these tokens cost, in dollars. Requests whose tokens nobody
    /// [counted](Usage::uncounted_requests) are not in it.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> f64 {
        // A provider that counts cached tokens apart from the sent ones must not earn us money.
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let fresh = usage.input_tokens - cached;
        let millionths = fresh as f64 * self.input
            + cached as f64 * self.cached.unwrap_or(self.input)
            + usage.output_tokens as f64 * self.output;
        millionths / 1e6
    }
}

fn checked(dollars: f64) -> Result<f64, PriceError> {
    if dollars.is_finite() && dollars >= 0.0 {
        Ok(dollars)
    } else {
        Err(PriceError(dollars))
    }
}

impl fmt::Display for PriceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.0;
        write!(
            out,
            "{found} is no price; one is a number of dollars, 0 or more, per million tokens"
        )
    }
}

impl StdError for PriceError {}

/// The prices of models. What is not in it has no price, which is not the same as being free.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices(HashMap<Model, Price>);

impl Prices {
    /// No prices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same prices with one more; a model's earlier price is replaced.
    #[must_use]
    pub fn with(mut self, model: Model, price: Price) -> Self {
        self.0.insert(model, price);
        self
    }

    /// The price of a model, by its whole name.
    #[must_use]
    pub fn get(&self, model: &Model) -> Option<&Price> {
        self.0.get(model)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What these tokens of a model cost, in dollars; `None` when it has no price, or the provider did
    /// not [count](Usage::uncounted_requests) the tokens of each request.
    #[must_use]
    pub fn cost(&self, model: &Model, usage: &Usage) -> Option<f64> {
        let price = self.get(model)?;
        usage.is_counted().then(|| price.cost(usage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, cached: u64, output: u64) -> Usage {
        let mut usage = Usage::of_request(input, output);
        usage.cached_tokens = cached;
        usage
    }

    #[test]
    fn tokens_cost_what_they_are() {
        let plain = Price::per_million(2.0, 8.0).expect("a price");
        let cached = plain.with_cached(0.5).expect("a price");
        for (price, usage, dollars) in [
            (plain, usage(0, 0, 0), 0.0),
            (plain, usage(1_000_000, 0, 0), 2.0),
            (plain, usage(0, 0, 1_000_000), 8.0),
            (plain, usage(1_000_000, 400_000, 0), 2.0),
            (cached, usage(1_000_000, 400_000, 0), 1.4),
            // More cached than sent: only what was sent is paid for.
            (cached, usage(1_000_000, 9_000_000, 0), 0.5),
        ] {
            assert_eq!(price.cost(&usage), dollars, "{usage:?}");
        }
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for wrong in [-0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Price::per_million(wrong, 1.0).is_err());
            assert!(Price::per_million(1.0, wrong).is_err());
            let price = Price::per_million(1.0, 1.0).expect("a price");
            let error = price.with_cached(wrong).expect_err("no price");
            assert!(error.to_string().contains("dollars"), "{error}");
        }
    }

    #[test]
    fn a_model_without_a_price_is_not_free() {
        let known = Model::from_static("OpenAI", "gpt-4o-mini");
        let unknown = Model::from_static("OpenAI", "gpt-4o");
        let price = Price::per_million(1.0, 1.0).expect("a price");
        let prices = Prices::new().with(known.clone(), price);
        let usage = Usage::of_request(1_000_000, 0);
        assert_eq!(prices.cost(&known, &usage), Some(1.0));
        assert_eq!(prices.cost(&unknown, &usage), None);
        let mut untold = usage;
        untold.add(&Usage::reported(5, None));
        assert_eq!(prices.cost(&known, &untold), None);
        assert!(!prices.is_empty() && Prices::new().is_empty());
    }
}
