//! Finding the exchange that a request belongs to.

use super::difference::{self, Difference};
use super::exchange::Exchange;
use crate::tool::shortened;
use serde_json::Value;

/// The exchanges of a file, and which of them were used.
pub(super) struct Player {
    exchanges: Vec<Exchange>,
    used: Vec<bool>,
}

/// How much of a request is shown, in bytes.
const SHOWN: usize = 80;

impl Player {
    pub(super) fn new(exchanges: Vec<Exchange>) -> Self {
        let used = vec![false; exchanges.len()];
        Self { exchanges, used }
    }

    /// The first unused exchange with an equal request: so runs at the same time find their own,
    /// and equal requests get the answers in the order in which they were recorded.
    pub(super) fn take(&mut self, request: &Value) -> Result<Exchange, String> {
        // Numbers may lose a last digit when they are read, so both sides are read.
        let read: Option<Value> = serde_json::from_str(&request.to_string()).ok();
        let request = read.as_ref().unwrap_or(request);
        let mut unused = self.exchanges.iter().zip(&self.used);
        match unused.position(|(exchange, used)| !used && exchange.request == *request) {
            Some(place) => {
                self.used[place] = true;
                Ok(self.exchanges[place].clone())
            }
            None => Err(self.why_none(request)),
        }
    }

    /// The provider of all requests, if it is one.
    pub(super) fn provider(&self) -> Option<&str> {
        let mut providers = self.exchanges.iter().map(|exchange| {
            let model = exchange.request["model"].as_str()?;
            Some(model.split_once('/')?.0)
        });
        let first = providers.next()??;
        providers.all(|other| other == Some(first)).then_some(first)
    }

    fn why_none(&self, request: &Value) -> String {
        let equal = self.exchanges.iter();
        let equal = equal.filter(|exchange| exchange.request == *request);
        match equal.count() {
            0 => {}
            1 => return "it was recorded once, and comes once more".to_owned(),
            times => return format!("it was recorded {times} times, and comes once more"),
        }
        let nearest = (1..).zip(&self.exchanges).zip(&self.used);
        // Of those that are equally near, one that was not used is meant.
        let nearest = nearest
            .filter_map(|((number, exchange), used)| {
                let Difference { count, first } = difference::between(&exchange.request, request)?;
                Some((count, used, number, first))
            })
            .min_by_key(|(count, used, number, _)| (*count, **used, *number));
        match nearest {
            None => "it holds none at all".to_owned(),
            Some((_, _, number, first)) => format!(
                "the nearest of its {}, number {number}, differs at {first}",
                self.exchanges.len()
            ),
        }
    }

    /// The exchanges that were not used, in a few words each.
    pub(super) fn unused(&self) -> Vec<String> {
        let all = (1..).zip(&self.exchanges).zip(&self.used);
        all.filter(|(_, used)| !**used)
            .map(|((number, exchange), _)| {
                let last = exchange.request["messages"].as_array();
                let said = last
                    .and_then(|messages| messages.last()?["content"].as_str())
                    .unwrap_or_default();
                format!("number {number}, after {:?}", shortened(said, SHOWN))
            })
            .collect()
    }
}
