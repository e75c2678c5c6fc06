//! Prices given with `--price`.

use crate::outcome::CommandError;
use crate::output::warning_to_stderr;
use crate::provider::models_of;
use agent_runtime::cost::{Price, Prices};
use agent_runtime::{Agent, Model};
use agent_spec::check::listed;
use agent_spec::names::nearest;
use std::str::FromStr;

const FORM: &str = "write PROVIDER/ID=SENT,WRITTEN in dollars per million tokens, such as \
                    OpenAI/gpt-6-luna=0.10,0.50; a third number is the price of tokens from the cache, and \
                    a fourth that of tokens written to it";

/// The price of a model.
#[derive(Clone, Debug)]
pub(crate) struct ModelPrice {
    pub(super) model: Model,
    pub(super) price: Price,
}

impl FromStr for ModelPrice {
    type Err = String;

    /// Parses `PROVIDER/ID=SENT,WRITTEN[,CACHED[,STORED]]`. The id may contain more `=`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (model, numbers) = text.rsplit_once('=').ok_or(FORM)?;
        let model = Model::parse(model.trim()).map_err(|error| error.to_string())?;
        let numbers: Result<Vec<f64>, _> = numbers.split(',').map(|n| n.trim().parse()).collect();
        let price = match numbers.as_deref() {
            Ok([sent, written]) => Price::per_million(*sent, *written),
            Ok([sent, written, cached]) => {
                Price::per_million(*sent, *written).and_then(|price| price.with_cached(*cached))
            }
            Ok([sent, written, cached, stored]) => Price::per_million(*sent, *written)
                .and_then(|price| price.with_cached(*cached))
                .and_then(|price| price.with_cache_write(*stored)),
            _ => return Err(FORM.to_owned()),
        };
        match price {
            Ok(price) => Ok(Self { model, price }),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Returns all given prices, whether or not their models are used.
///
/// # Errors
/// Returns an error if a model has two prices.
pub(crate) fn all_prices(given: &[ModelPrice]) -> Result<Prices, CommandError> {
    let mut prices = Prices::new();
    for ModelPrice { model, price } in given {
        if prices.get(model).is_some() {
            return Err(CommandError::new(format!(
                "`--price` is given twice for `{model}`; leave one of them out"
            )));
        }
        prices = prices.with(model.clone(), *price);
    }
    Ok(prices)
}

/// Returns the prices for an agent. A price of a model that the agent does not use gives a warning and no
/// error, because a script may pass the same prices to every agent.
///
/// # Errors
/// Returns an error if a model has two prices.
pub(super) fn prices_for(agent: &Agent, given: &[ModelPrice]) -> Result<Prices, CommandError> {
    let prices = all_prices(given)?;
    let models = models_of(agent);
    let used: Vec<String> = models.iter().map(ToString::to_string).collect();
    let used: Vec<&str> = used.iter().map(String::as_str).collect();
    for ModelPrice { model, .. } in given {
        if !models.contains(&model) {
            let name = model.to_string();
            let instead = match nearest(&name, used.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the agent uses {}", listed(&used)),
            };
            warning_to_stderr(&format!(
                "`--price` is given for `{name}`, which the agent does not use; {instead}"
            ));
        }
    }
    Ok(prices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_prices() {
        let parsed: ModelPrice = "Acme/a=b=1, 2 ,0.5".parse().expect("a price");
        assert_eq!(parsed.model.to_string(), "Acme/a=b");
        let expected = Price::per_million(1.0, 2.0).and_then(|price| price.with_cached(0.5));
        assert_eq!(Ok(parsed.price), expected);
    }

    #[test]
    fn parses_the_price_of_tokens_stored_in_the_cache() {
        let parsed: ModelPrice = "Acme/a=1,2,0.5,1.25".parse().expect("a price");
        let expected = Price::per_million(1.0, 2.0)
            .and_then(|price| price.with_cached(0.5))
            .and_then(|price| price.with_cache_write(1.25));
        assert_eq!(Ok(parsed.price), expected);
        assert!("Acme/a=1,2,0.5,1.25,3".parse::<ModelPrice>().is_err());
    }

    #[test]
    fn rejects_invalid_prices() {
        for (text, words) in [
            ("OpenAI/x", "SENT,WRITTEN"),
            ("OpenAI/x=1", "SENT,WRITTEN"),
            ("OpenAI/x=1,two", "SENT,WRITTEN"),
            ("OpenAI/x=1,2,3,4,5", "SENT,WRITTEN"),
            ("x=1,2", "Provider/model-id"),
            ("OpenAI/x=1,-2", "-2 is no price"),
            ("OpenAI/x=NaN,2", "NaN is no price"),
        ] {
            let error = text.parse::<ModelPrice>().expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
