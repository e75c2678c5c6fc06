//! What a run uses, counted as it goes on, so that it is known of runs that fail, too.

use agent_runtime::cost::Prices;
use agent_runtime::model::Usage;
use agent_runtime::{Event, Model};
#[derive(Default)]
pub(super) struct Meter {
    pub(super) tool_calls: u64,
    pub(super) failed_calls: u64,
    pub(super) models: Vec<(Model, Usage)>,
    asked: Option<Model>,
}

impl Meter {
    /// Counts what an event says.
    pub(super) fn hear(&mut self, event: &Event) {
        match event {
            Event::ModelCalled { model, .. } => self.asked = Some(model.clone()),
            Event::ModelReplied { usage, .. } => self.add(usage),
            Event::ToolFinished { invocation, .. } => {
                self.tool_calls += 1;
                self.failed_calls += u64::from(invocation.result.is_err());
            }
            _ => {}
        }
    }

    fn add(&mut self, usage: &Usage) {
        // An answer comes from the model that was asked last.
        let Some(asked) = self.asked.take() else {
            return;
        };
        match self.models.iter_mut().find(|(model, _)| *model == asked) {
            Some((_, sum)) => sum.add(usage),
            None => self.models.push((asked, *usage)),
        }
    }

    /// The tokens of all models.
    pub(super) fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        for (_, usage) in &self.models {
            sum.add(usage);
        }
        sum
    }

    /// What they cost; `None` when a model has no price or did not count.
    pub(super) fn cost(&self, prices: &Prices) -> Option<f64> {
        self.models.iter().try_fold(0.0, |sum, (model, usage)| {
            Some(sum + prices.cost(model, usage)?)
        })
    }
}
