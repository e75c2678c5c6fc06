//! The prices of tokens, in dollars.

use crate::usage::{Usage, UsagePart};
use agent_spec::Model;
use std::collections::HashMap;
use std::error::Error as StdError;
use std::fmt;

/// The price of a model's tokens, in dollars per million.
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
    tokens: TokenPrices,
    /// The prices of a longer request, and the number of input tokens above which these prices apply.
    long: Option<(u64, TokenPrices)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct TokenPrices {
    input: f64,
    output: f64,
    cached: Option<f64>,
    cache_write: Option<f64>,
}

/// The error of a price that is negative or not a finite number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceError(f64);

impl Price {
    /// Creates a price from the dollars for a million input tokens and for a million output tokens.
    ///
    /// # Errors
    /// When a number is negative or not finite.
    pub fn per_million(input: f64, output: f64) -> Result<Self, PriceError> {
        let tokens = TokenPrices {
            input: checked(input)?,
            output: checked(output)?,
            cached: None,
            cache_write: None,
        };
        Ok(Self { tokens, long: None })
    }

    /// Returns the price of a row of the catalogue. `for_longer` means that the cache keeps requests for
    /// longer, such as an hour, which may make writing to the cache more expensive.
    #[doc(hidden)]
    pub fn of_row(row: &agent_catalog::Price, for_longer: bool) -> Option<Self> {
        let (input, output) = (row.input?, row.output?);
        let longer = row.long_cache_write.filter(|_| for_longer);
        let tokens = TokenPrices {
            input,
            output,
            cached: row.cached_input,
            cache_write: longer.or(row.cache_write),
        };
        let long = row.long_context.as_ref().and_then(|long| {
            let long_input = long.input.unwrap_or(input);
            // A price that the row lacks for long requests grows in proportion to the price of their input
            // tokens.
            let grown = |price: f64| match input > 0.0 {
                true => price * long_input / input,
                false => long_input,
            };
            let written = long.cache_write.filter(|_| longer.is_none());
            let prices = TokenPrices {
                input: long_input,
                output: long.output.unwrap_or(output),
                cached: long.cached_input.or(row.cached_input.map(grown)),
                cache_write: written.or(tokens.cache_write.map(grown)),
            };
            Some((long.above?, prices))
        });
        Some(Self { tokens, long })
    }

    /// Sets the dollars for a million input tokens from the provider's cache. By default they cost as much as
    /// other input tokens.
    ///
    /// # Errors
    /// As [`per_million`](Self::per_million).
    pub fn with_cached(mut self, cached: f64) -> Result<Self, PriceError> {
        self.tokens.cached = Some(checked(cached)?);
        Ok(self)
    }

    /// Sets the dollars for a million input tokens that are written to the provider's cache. By default they cost
    /// as much as other input tokens.
    ///
    /// # Errors
    /// As [`per_million`](Self::per_million).
    pub fn with_cache_write(mut self, cache_write: f64) -> Result<Self, PriceError> {
        self.tokens.cache_write = Some(checked(cache_write)?);
        Ok(self)
    }

    /// Returns the cost of the tokens of a request, in dollars, without
    /// [uncounted requests](Usage::uncounted_requests).
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> f64 {
        // Some providers do not count cached tokens as input tokens; no difference may be negative.
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let written = usage.cache_written_tokens.min(usage.input_tokens - cached);
        let fresh = usage.input_tokens - cached - written;
        let prices = match &self.long {
            Some((above, long)) if usage.input_tokens > *above => long,
            _ => &self.tokens,
        };
        let millionths = fresh as f64 * prices.input
            + cached as f64 * prices.cached.unwrap_or(prices.input)
            + written as f64 * prices.cache_write.unwrap_or(prices.input)
            + usage.output_tokens as f64 * prices.output;
        millionths / 1e6
    }

    /// Returns the dollars that the provider's cache saved: the difference to the cost of the same tokens without
    /// a cache. It is negative when writing to the cache cost more than reading from it saved.
    #[must_use]
    pub fn saved(&self, usage: &Usage) -> f64 {
        let mut uncached = *usage;
        uncached.cached_tokens = 0;
        uncached.cache_written_tokens = 0;
        self.cost(&uncached) - self.cost(usage)
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

/// The prices of models. A model without a price is not free: its cost is unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices(HashMap<Model, Price>);

impl Prices {
    /// Creates an empty list of prices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the price of a model.
    #[must_use]
    pub fn with(mut self, model: Model, price: Price) -> Self {
        self.0.insert(model, price);
        self
    }

    /// Returns the price of a model.
    #[must_use]
    pub fn get(&self, model: &Model) -> Option<&Price> {
        self.0.get(model)
    }

    /// Whether no model has a price.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the cost of a model's tokens, in dollars; `None` for a model without a price, and for usage
    /// with [uncounted requests](Usage::uncounted_requests).
    #[must_use]
    pub fn cost(&self, model: &Model, usage: &Usage) -> Option<f64> {
        let price = self.get(model)?;
        usage.is_counted().then(|| price.cost(usage))
    }

    /// Returns the cost of a part of the usage of a request to the model `asked`, in dollars: by the price of
    /// the part's own model, else the cost that the provider reports.
    #[must_use]
    pub fn cost_of_part(&self, asked: &Model, part: &UsagePart) -> Option<f64> {
        let model = part.model_for(asked);
        let cost = model.and_then(|model| self.cost(&model, &part.usage));
        cost.or(part.cost)
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
    fn a_long_request_costs_no_less_where_the_row_does_not_say_it() {
        let row = agent_catalog::Document::read(
            "[A:Catalog | [m:Model {price: {input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5, \
             longContext: {above: 100, input: 4, output: 10}}}]]",
        );
        let catalog = agent_catalog::Catalog::default().with(&row).expect("a row");
        let row = catalog.model("A", "m").expect("a row").row;
        let price = Price::of_row(row.price.as_ref().expect("a price"), false).expect("a price");
        let mut written = Usage::of_request(1_000_000, 0);
        written.cache_written_tokens = 1_000_000;
        assert_eq!(price.cost(&written), 5.0);
        assert_eq!(price.cost(&usage(1_000_000, 1_000_000, 0)), 0.4);
    }

    #[test]
    fn adds_the_cost_of_all_kinds_of_tokens() {
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
    fn counts_tokens_written_to_the_cache_and_what_the_cache_saved() {
        let price = Price::per_million(4.0, 8.0).and_then(|price| price.with_cached(0.5));
        let price = price.and_then(|price| price.with_cache_write(5.0));
        let price = price.expect("a price");
        let million = 1_000_000;
        let check = |[input, cached, written]: [u64; 3], cost: f64, saved: f64| {
            let mut usage = usage(input * million, cached * million, 0);
            usage.cache_written_tokens = written * million;
            assert_eq!((price.cost(&usage), price.saved(&usage)), (cost, saved));
        };
        check([3, 0, 0], 12.0, 0.0);
        check([3, 0, 2], 14.0, -2.0);
        check([3, 2, 0], 5.0, 7.0);
        check([3, 2, 1], 6.0, 6.0);
        // More than what was sent: only what was sent is paid for.
        check([3, 2, 9], 6.0, 6.0);
        let plain = Price::per_million(4.0, 8.0).expect("a price");
        let mut usage = usage(million, 0, 0);
        usage.cache_written_tokens = million;
        assert_eq!((plain.cost(&usage), plain.saved(&usage)), (4.0, 0.0));
    }

    #[test]
    fn the_price_of_a_row_has_brackets_and_caches_for_longer() {
        let found = agent_catalog::Catalog::builtin().model("Anthropic", "claude-haiku-5-5");
        let row = found.expect("a row").row.price.clone().expect("a price");
        let price = Price::of_row(&row, false).expect("a price");
        let of = |price: &Price, input, output| price.cost(&Usage::of_request(input, output));
        assert_eq!(of(&price, 100_000, 0), 0.01);
        assert_eq!(of(&price, 200_000, 1_000_000), 0.1 + 2.5);
        let mut written = Usage::of_request(100_000, 0);
        written.cache_written_tokens = 100_000;
        let longer = Price::of_row(&row, true).expect("a price");
        assert!(longer.cost(&written) > price.cost(&written));
    }

    #[test]
    fn rejects_prices_that_are_negative_or_not_finite() {
        for wrong in [-0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Price::per_million(wrong, 1.0).is_err());
            assert!(Price::per_million(1.0, wrong).is_err());
            let price = Price::per_million(1.0, 1.0).expect("a price");
            let error = price.with_cached(wrong).expect_err("no price");
            assert!(error.to_string().contains("dollars"), "{error}");
            assert!(price.with_cache_write(wrong).is_err());
        }
    }

    #[test]
    fn a_model_without_a_price_has_no_known_cost() {
        let known = Model::from_static("OpenAI", "gpt-6-luna");
        let unknown = Model::from_static("OpenAI", "gpt-6-sol");
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
