//! One run of an experiment.

use super::score::{Score, ScoreError};
use agent_runtime::model::Usage;
use agent_runtime::{Error, Model};
use std::time::Duration;

/// One run of an experiment, and what came of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Trial {
    /// The arm, as its place in the report.
    pub arm: usize,
    /// The input, as its place in the report.
    pub input: usize,
    /// Which trial of the arm with the input this is, from 1.
    pub number: usize,
    /// The answer, or why there is none.
    pub answer: Result<String, Error>,
    /// What the scorer said of the answer; `None` when there is no answer.
    pub score: Option<Result<Score, ScoreError>>,
    /// How many calls the model asked for.
    pub tool_calls: u64,
    /// How many of them brought no result: they failed, were denied, named no tool, or the tool asked
    /// for other arguments.
    pub failed_calls: u64,
    /// The tokens of all requests, also when the run failed.
    pub usage: Usage,
    /// The same by model, in the order in which they were first asked. There are several when a
    /// fallback was asked.
    pub models: Vec<(Model, Usage)>,
    /// What the tokens cost, in dollars; `None` when a model has no price or did
    /// not say how many tokens there were.
    pub cost: Option<f64>,
    /// How long the run took, the scorer's time apart.
    pub latency: Duration,
}

impl Trial {
    /// What the run counts for in the success rate. Nothing, when there is an answer without a
    /// score: that says nothing about the arm.
    pub(super) fn success(&self) -> Option<f64> {
        match &self.score {
            Some(Ok(score)) => Some(score.value()),
            Some(Err(_)) => None,
            None => Some(0.0),
        }
    }
}
