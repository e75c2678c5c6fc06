//! Prices given with `--price`.

use crate::outcome::{Trouble, warn};
use agent_runtime::cost::{Price, Prices};
use agent_runtime::{Agent, Model};
use agent_spec::names::nearest;
use std::str::FromStr;

const FORM: &str = "write PROVIDER/ID=SENT,WRITTEN in dollars per million tokens, such as \
                    OpenAI/gpt-4o-mini=0.15,0.60; a third number is the price of tokens from the cache";

/// What the tokens of a model cost.
#[derive(Clone, Debug)]
pub(super) struct ModelPrice {
    /// The model.
    pub(super) model: Model,
    /// Its price.
    pub(super) price: Price,
}

impl FromStr for ModelPrice {
    type Err = String;

    /// Reads `PROVIDER/ID=SENT,WRITTEN[,CACHED]`. The id may hold further `=`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (model, numbers) = text.rsplit_once('=').ok_or(FORM)?;
        let model = Model::parse(model.trim()).map_err(|error| error.to_string())?;
        let numbers: Result<Vec<f64>, _> = numbers.split(',').map(|n| n.trim().parse()).collect();
        let price = match numbers.as_deref() {
            Ok([sent, written]) => Price::per_million(*sent, *written),
            Ok([sent, written, cached]) => {
                Price::per_million(*sent, *written).and_then(|price| price.with_cached(*cached))
            }
            _ => return Err(FORM.to_owned()),
        };
        match price {
            Ok(price) => Ok(Self { model, price }),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The prices for an agent. One for a model that the agent does not ask may be a mistake, and may be one
/// of a list that a script gives to every agent, so it is told and no more.
///
/// # Errors
/// When there are two for one model.
pub(super) fn prices_for(agent: &Agent, given: &[ModelPrice]) -> Result<Prices, Trouble> {
    let mut prices = Prices::new();
    let asked: Vec<String> = models_of(agent).map(Model::to_string).collect();
    for ModelPrice { model, price } in given {
        if prices.get(model).is_some() {
            return Err(Trouble::new(format!(
                "`--price` is given twice for `{model}`; leave one of them out"
            )));
        }
        if models_of(agent).all(|other| other != model) {
            let name = model.to_string();
            let instead = match nearest(&name, asked.iter().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the agent asks {}", asked.join(", ")),
            };
            warn(&format!(
                "`--price` is given for `{name}`, which is not asked; {instead}"
            ));
        }
        prices = prices.with(model.clone(), *price);
    }
    Ok(prices)
}

/// The models that an agent may ask.
pub(super) fn models_of(agent: &Agent) -> impl Iterator<Item = &Model> {
    std::iter::once(agent.model()).chain(agent.settings().fallback.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read() {
        let read: ModelPrice = "Acme/a=b=1, 2 ,0.5".parse().expect("a price");
        assert_eq!(read.model.to_string(), "Acme/a=b");
        let expected = Price::per_million(1.0, 2.0).and_then(|price| price.with_cached(0.5));
        assert_eq!(Ok(read.price), expected);
    }

    #[test]
    fn what_is_no_price_is_told() {
        for (text, words) in [
            ("OpenAI/x", "SENT,WRITTEN"),
            ("OpenAI/x=1", "SENT,WRITTEN"),
            ("OpenAI/x=1,two", "SENT,WRITTEN"),
            ("OpenAI/x=1,2,3,4", "SENT,WRITTEN"),
            ("x=1,2", "Provider/model-id"),
            ("OpenAI/x=1,-2", "-2 is no price"),
            ("OpenAI/x=NaN,2", "NaN is no price"),
        ] {
            let error = text.parse::<ModelPrice>().expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
