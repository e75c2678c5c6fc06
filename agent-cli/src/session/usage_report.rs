//! What requests have used up.

use agent_lsp::report::counted;
use agent_runtime::cost::Prices;
use agent_runtime::model::Usage;
use agent_runtime::{Event, Model};

/// What requests have used up, those of messages that failed included.
pub(crate) struct Spent {
    prices: Prices,
    usage: Usage,
    /// Requests that were made, whatever came of them.
    requests: u64,
    /// Requests whose answers came with numbers of tokens.
    counted: u64,
    /// Dollars for the requests whose model has a price.
    dollars: f64,
    /// A model that answered and has none.
    without_price: Option<Model>,
    /// The model that is asked.
    asked: Option<Model>,
}

impl Spent {
    /// Nothing, and what things cost.
    pub(crate) fn new(prices: Prices) -> Self {
        Self {
            prices,
            usage: Usage::default(),
            requests: 0,
            counted: 0,
            dollars: 0.0,
            without_price: None,
            asked: None,
        }
    }

    /// Whether somebody has said what things cost, and there is something that may have.
    pub(crate) fn is_priced(&self) -> bool {
        !self.prices.is_empty() && self.requests > 0
    }

    /// Takes what happens in a run.
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::ModelCalled { model, .. } => {
                self.requests += 1;
                self.asked = Some(model.clone());
            }
            Event::ModelReplied { usage, .. } => {
                self.usage.add(usage);
                if usage.is_counted() {
                    self.counted += 1;
                }
                let Some(model) = self.asked.take() else {
                    return;
                };
                match self.prices.get(&model) {
                    Some(price) => self.dollars += price.cost(usage),
                    None => self.without_price = Some(model),
                }
            }
            _ => {}
        }
    }

    /// Takes back the request that could not be made, for want of a key, say, or that nobody took.
    pub(crate) fn not_made(&mut self) {
        if self.asked.take().is_some() {
            self.requests = self.requests.saturating_sub(1);
        }
    }

    /// What was used up, as people read it, in several lines.
    pub(crate) fn text(&self) -> String {
        if self.requests == 0 {
            return "requests: 0, since nothing was said yet".to_owned();
        }
        let usage = &self.usage;
        let part = |count: u64, of: &str| match count {
            0 => String::new(),
            count => format!(" ({count} of them {of})"),
        };
        let sent = part(usage.cached_tokens, "from the cache");
        let written = part(usage.reasoning_tokens, "for thoughts");
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        let tokens = match self.uncounted() {
            0 => format!("{input} sent{sent}, {output} written{written}"),
            all if all == self.requests => "not known, since no answer told".to_owned(),
            some => {
                let some = counted(usize::try_from(some).unwrap_or(usize::MAX), "request");
                format!(
                    "{input} sent{sent}, {output} written{written}; not known of {some} without a \
                     whole answer or a count"
                )
            }
        };
        let (requests, cost) = (self.requests, self.cost());
        format!("requests: {requests}\ntokens:   {tokens}\ncost:     {cost}")
    }

    /// What was used up, in a line.
    pub(crate) fn line(&self) -> String {
        let cost = self.cost();
        let requests = counted(
            usize::try_from(self.requests).unwrap_or(usize::MAX),
            "request",
        );
        let (input, output) = (self.usage.input_tokens, self.usage.output_tokens);
        let tokens = match self.uncounted() {
            all if all == self.requests => "tokens not known".to_owned(),
            _ => format!("{input} tokens sent, {output} written"),
        };
        format!("cost: {cost} ({requests}, {tokens})")
    }

    /// Requests whose tokens nobody told.
    fn uncounted(&self) -> u64 {
        self.requests.saturating_sub(self.counted)
    }

    fn cost(&self) -> String {
        if let Some(model) = &self.without_price {
            return format!("unknown; --price {model}=SENT,WRITTEN tells it");
        }
        match self.uncounted() {
            0 => format!("${:.4}", self.dollars),
            all if all == self.requests => "not known".to_owned(),
            _ => format!("at least ${:.4}", self.dollars),
        }
    }
}
