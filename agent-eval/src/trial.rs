//! One run of an experiment, and the meter that counts its usage.

use crate::score::{Score, ScoreError};
use agent_runtime::cost::Prices;
use agent_runtime::model::{Usage, UsagePart};
use agent_runtime::{Error, Event, Model};
use std::collections::BTreeMap;
use std::time::Duration;

/// One run of an experiment, with its answer and score.
#[derive(Debug)]
#[non_exhaustive]
pub struct Trial {
    /// The index of the arm in the report.
    pub arm: usize,
    /// The index of the input in the report.
    pub input: usize,
    /// The number of the trial of this arm with this input, from 1.
    pub number: usize,
    /// The answer, or the error that ended the run.
    pub answer: Result<String, Error>,
    /// The score of the answer; `None` when there is no answer.
    pub score: Option<Result<Score, ScoreError>>,
    /// The number of calls that models asked for, those of agents that were called included.
    pub tool_calls: u64,
    /// The number of calls without a result: they failed, were denied, named no tool, or the tool asked for
    /// other arguments.
    pub failed_calls: u64,
    /// The tokens of all requests, also when the run failed.
    pub usage: Usage,
    /// The tokens by model, in the order of the models' first requests. There are several models when a
    /// fallback was asked, or when a model asked another one for an answer.
    pub models: Vec<(Model, Usage)>,
    /// The cost of the tokens, in dollars; `None` when a model has no price or did not report its tokens.
    pub cost: Option<f64>,
    /// The duration of the run, without the scorer.
    pub latency: Duration,
}

impl Trial {
    /// Returns the score that counts for the success rate; `None` when the answer could not be scored, because
    /// that is no property of the arm.
    pub(crate) fn success(&self) -> Option<f64> {
        match &self.score {
            Some(Ok(score)) => Some(score.value()),
            Some(Err(_)) => None,
            None => Some(0.0),
        }
    }
}

/// Counts the usage of a run from its events, so that the usage of a failed run is known, too.
pub(crate) struct Meter<'p> {
    prices: &'p Prices,
    pub(crate) tool_calls: u64,
    pub(crate) failed_calls: u64,
    /// The tokens of all models.
    pub(crate) usage: Usage,
    /// The cost of the tokens; `None` when a model has no price or did not report its tokens.
    pub(crate) cost: Option<f64>,
    pub(crate) models: Vec<(Model, Usage)>,
    /// The models of the current requests, by the ids of the calls that lead to the agents which send them.
    asked: BTreeMap<String, Model>,
}

impl<'p> Meter<'p> {
    pub(crate) fn new(prices: &'p Prices) -> Self {
        Self {
            prices,
            tool_calls: 0,
            failed_calls: 0,
            usage: Usage::default(),
            cost: Some(0.0),
            models: Vec::new(),
            asked: BTreeMap::new(),
        }
    }

    /// Counts an event.
    pub(crate) fn count(&mut self, event: &Event) {
        match event {
            Event::Nested { call_id, event, .. } => self.count_of(call_id, event),
            event => self.count_of("", event),
        }
    }

    fn count_of(&mut self, run: &str, event: &Event) {
        match event {
            Event::ModelCalled { model, .. } => {
                self.asked.insert(run.to_owned(), model.clone());
            }
            Event::ModelReplied {
                usage, usage_parts, ..
            } => self.add(run, usage, usage_parts),
            Event::ToolFinished { invocation, .. } => {
                self.tool_calls += 1;
                self.failed_calls += u64::from(invocation.result.is_err());
            }
            _ => {}
        }
    }

    fn add(&mut self, run: &str, usage: &Usage, parts: &[UsagePart]) {
        // A reply comes from the model of the last request.
        let Some(asked) = self.asked.remove(run) else {
            return;
        };
        self.usage.add(usage);
        if parts.is_empty() {
            self.add_tokens(&asked, usage, self.prices.cost(&asked, usage));
        }
        for part in parts {
            let model = part.model_for(&asked).unwrap_or_else(|| asked.clone());
            self.add_tokens(&model, &part.usage, self.prices.cost_of_part(&asked, part));
        }
    }

    fn add_tokens(&mut self, model: &Model, usage: &Usage, cost: Option<f64>) {
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum + cost);
        match self.models.iter_mut().find(|(known, _)| known == model) {
            Some((_, sum)) => sum.add(usage),
            None => self.models.push((model.clone(), *usage)),
        }
    }
}
