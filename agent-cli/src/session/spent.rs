//! What a chat has used up.

use agent_runtime::{Event, Model, Prices, Usage};

/// What the requests of a chat have used up, those of turns that failed included.
pub(super) struct Spent {
    prices: Prices,
    usage: Usage,
    /// Dollars for the requests whose model has a price.
    dollars: f64,
    /// A model that answered and has none.
    without_price: Option<Model>,
    /// The model that is asked.
    asked: Option<Model>,
}

impl Spent {
    /// Nothing, and what things cost.
    pub(super) fn new(prices: Prices) -> Self {
        Self {
            prices,
            usage: Usage::default(),
            dollars: 0.0,
            without_price: None,
            asked: None,
        }
    }

    /// Takes what happens in a run.
    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::ModelCalled { model, .. } => self.asked = Some(model.clone()),
            Event::ModelReplied { usage, .. } => {
                self.usage.add(usage);
                let Some(model) = self.asked.take() else {
                    return;
                };
                match self.prices.cost(&model, usage) {
                    Some(dollars) => self.dollars += dollars,
                    None => self.without_price = Some(model),
                }
            }
            _ => {}
        }
    }

    /// What was used up, as people read it.
    pub(super) fn text(&self) -> String {
        let usage = &self.usage;
        let part = |count: u64, of: &str| match count {
            0 => String::new(),
            count => format!(" ({count} of them {of})"),
        };
        let sent = part(usage.cached_tokens, "from the cache");
        let written = part(usage.reasoning_tokens, "for thoughts");
        let cost = match &self.without_price {
            None => format!("${:.4}", self.dollars),
            Some(model) => format!("unknown; --price {model}=SENT,WRITTEN tells it"),
        };
        format!(
            "requests: {}\ntokens:   {} sent{sent}, {} written{written}\ncost:     {cost}",
            usage.requests, usage.input_tokens, usage.output_tokens
        )
    }
}
