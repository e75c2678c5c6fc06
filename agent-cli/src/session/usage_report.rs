//! The requests, tokens and cost of a run or chat, as text.

use agent_project::report::counted;
use agent_runtime::cost::Prices;
use agent_runtime::model::{Usage, UsagePart};
use agent_runtime::{Error, Event, Model};
use std::collections::BTreeMap;

/// The requests, tokens and cost so far, including those of messages that failed.
pub(crate) struct UsageReport {
    prices: Prices,
    usage: Usage,
    /// The number of requests, including those that failed.
    requests: u64,
    /// The number of requests whose answers had token counts.
    counted: u64,
    /// The cost in dollars of the requests whose model has a price.
    dollars: f64,
    /// The dollars that the caches of the providers saved.
    saved: f64,
    /// A model that has answered and has no price.
    without_price: Option<Model>,
    /// The models of the current requests, by the ids of the calls that lead to the agents which send the
    /// requests. The id is empty for the first agent.
    requested: BTreeMap<String, Model>,
}

impl UsageReport {
    /// Creates a report without requests.
    pub(crate) fn new(prices: Prices) -> Self {
        Self {
            prices,
            usage: Usage::default(),
            requests: 0,
            counted: 0,
            dollars: 0.0,
            saved: 0.0,
            without_price: None,
            requested: BTreeMap::new(),
        }
    }

    /// Whether there are prices, and requests that may have a cost.
    pub(crate) fn is_priced(&self) -> bool {
        !self.prices.is_empty() && self.requests > 0
    }

    /// Counts the request or answer of an event.
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::Nested { call_id, event, .. } => self.event_of(call_id, event),
            event => self.event_of("", event),
        }
    }

    fn event_of(&mut self, run: &str, event: &Event) {
        match event {
            Event::ModelCalled { model, .. } | Event::CompactionStarted { model, .. } => {
                self.requests += 1;
                self.requested.insert(run.to_owned(), model.clone());
            }
            Event::Compacted { usage, .. } => self.answer_of(run, usage, &[]),
            Event::ModelReplied {
                usage, usage_parts, ..
            } => self.answer_of(run, usage, usage_parts),
            _ => {}
        }
    }

    /// Counts an answer. `parts` are the parts of its usage, if the provider made several requests for it.
    fn answer_of(&mut self, run: &str, usage: &Usage, parts: &[UsagePart]) {
        self.usage.add(usage);
        // A summary may have needed two requests.
        self.counted += usage.requests.saturating_sub(usage.uncounted_requests);
        let Some(asked) = self.requested.remove(run) else {
            return;
        };
        let whole = [UsagePart::new(None, *usage)];
        let parts = if parts.is_empty() { &whole[..] } else { parts };
        for part in parts {
            let model = part.model_for(&asked).unwrap_or_else(|| asked.clone());
            match (self.prices.get(&model), part.cost) {
                (Some(price), _) => {
                    self.dollars += price.cost(&part.usage);
                    self.saved += price.saved(&part.usage);
                }
                (None, Some(cost)) => self.dollars += cost,
                (None, None) => self.without_price = Some(model),
            }
        }
    }

    /// Adds the requests of another run with the same prices, which has ended.
    pub(crate) fn add(&mut self, other: &Self) {
        let Self {
            prices: _,
            usage,
            requests,
            counted,
            dollars,
            saved,
            without_price,
            requested: _,
        } = other;
        self.usage.add(usage);
        self.requests += requests;
        self.counted += counted;
        self.dollars += dollars;
        self.saved += saved;
        if self.without_price.is_none() {
            self.without_price.clone_from(without_price);
        }
    }

    /// Counts the error of a run. Its last request is subtracted if it was not sent or not accepted, for
    /// example without a key or with an image that the provider does not accept.
    pub(crate) fn run_failed(&mut self, error: &Error) {
        let is_unsent = error.is_configuration() || error.is_validation();
        // An error before the next request must not subtract this one.
        let requested = std::mem::take(&mut self.requested);
        if requested.contains_key("") && is_unsent {
            self.requests = self.requests.saturating_sub(1);
        }
    }

    /// Formats the report as several lines.
    pub(crate) fn text(&self) -> String {
        if self.requests == 0 {
            return "requests: 0, because no message was sent yet".to_owned();
        }
        let usage = &self.usage;
        let part = |count: u64, of: &str| (count > 0).then(|| format!("{count} of them {of}"));
        let parts = |parts: &[Option<String>]| {
            let parts: Vec<&str> = parts.iter().flatten().map(String::as_str).collect();
            match parts.is_empty() {
                true => String::new(),
                false => format!(" ({})", parts.join(", ")),
            }
        };
        let sent = parts(&[
            part(usage.cached_tokens, "from the cache"),
            part(usage.cache_written_tokens, "stored in it"),
        ]);
        let written = parts(&[part(usage.reasoning_tokens, "for thoughts")]);
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        let tokens = match self.uncounted() {
            0 => format!("{input} sent{sent}, {output} written{written}"),
            all if all == self.requests => "unknown, because no answer had a count".to_owned(),
            some => {
                let some = counted(usize::try_from(some).unwrap_or(usize::MAX), "request");
                format!(
                    "{input} sent{sent}, {output} written{written}; unknown for {some} without a \
                     complete answer or a count"
                )
            }
        };
        let (requests, cost) = (self.requests, self.cost());
        format!("requests: {requests}\ntokens:   {tokens}\ncost:     {cost}")
    }

    /// Formats the report as one line.
    pub(crate) fn line(&self) -> String {
        let cost = self.cost();
        let requests = counted(
            usize::try_from(self.requests).unwrap_or(usize::MAX),
            "request",
        );
        let (input, output) = (self.usage.input_tokens, self.usage.output_tokens);
        let cached = match self.usage.cached_tokens {
            0 => String::new(),
            cached => format!(", {cached} of them from the cache"),
        };
        let tokens = match self.uncounted() {
            all if all == self.requests => "tokens unknown".to_owned(),
            _ => format!("{input} tokens sent{cached}, {output} written"),
        };
        format!("cost: {cost} ({requests}, {tokens})")
    }

    /// Returns the number of requests without token counts.
    fn uncounted(&self) -> u64 {
        self.requests.saturating_sub(self.counted)
    }

    fn cost(&self) -> String {
        if let Some(model) = &self.without_price {
            return format!("unknown; give the price with --price {model}=SENT,WRITTEN");
        }
        let saved = self.saved();
        match self.uncounted() {
            0 => format!("${:.4}{saved}", self.dollars),
            all if all == self.requests => "unknown".to_owned(),
            _ => format!("at least ${:.4}{saved}", self.dollars),
        }
    }

    /// Returns the clause about the saving of the cache, unless it is less than can be shown.
    fn saved(&self) -> String {
        const LEAST: f64 = 0.000_05;
        match self.saved {
            saved if saved >= LEAST => format!("; the cache saved ${saved:.4}"),
            saved if saved <= -LEAST => {
                format!("; storing in the cache cost ${:.4} of it", -saved)
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::cost::Price;
    use serde_json::json;

    #[test]
    fn tokens_of_another_model_cost_its_price() {
        let usage = json!({"inputTokens": 1_000_000, "outputTokens": 0, "requests": 1});
        let part = |model: Option<&str>, cost: Option<f64>| json!({"model": model, "usage": usage, "cost": cost});
        let own = Model::from_static("Anthropic", "small");
        let other = Model::from_static("Anthropic", "large");
        let price = |dollars: f64| Price::per_million(dollars, 0.0).expect("a price");
        let one = Prices::new().with(own, price(1.0));
        let both = one.clone().with(other, price(10.0));
        let advised = [part(None, None), part(Some("large"), None)];
        let known = [part(None, None), part(Some("large"), Some(7.0))];
        for (parts, prices, cost) in [
            (&[][..], &one, "$1.0000"),
            (&advised, &both, "$11.0000"),
            (&known, &one, "$8.0000"),
            (&known, &both, "$11.0000"),
            (
                &advised,
                &one,
                "unknown; give the price with --price Anthropic/large=SENT,WRITTEN",
            ),
        ] {
            let mut report = UsageReport::new(prices.clone());
            for event in [
                json!({"type": "modelCalled", "model": "Anthropic/small"}),
                json!({"type": "modelReplied", "parts": [], "calls": [], "finishReason": "stop", "usage": usage,
                       "usageParts": parts}),
            ] {
                report.event(&serde_json::from_value(event).expect("an event"));
            }
            assert_eq!(report.cost(), cost, "{parts:?}");
        }
    }
}
