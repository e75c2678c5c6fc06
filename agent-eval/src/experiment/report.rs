//! What an experiment found.

mod figures_text;
mod html;
mod json;
mod notes;
mod plot;
mod table;
mod xml;

use super::Experiment;
use super::bootstrap::{RESAMPLES, resample};
use super::figure::{FIGURES, Figure};
use super::plan::planned;
use super::sample::{Clusters, Sample};
use super::trial::Trial;
use agent_runtime::Model;
use agent_runtime::model::Usage;
use std::collections::BTreeMap;
use std::fmt;

/// What an experiment found: each arm, each pair of arms, each run.
///
/// `Display` is the table, [`to_json`](Self::to_json) is for programs, [`to_html`](Self::to_html) is
/// a page with plots.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExperimentReport {
    /// The agent's name.
    pub agent: String,
    /// The inputs, as they were given.
    pub inputs: Vec<String>,
    /// How often each arm was to get each input.
    pub trials_per_input: usize,
    /// How many runs there were to be.
    pub planned: usize,
    /// Where chance began.
    pub seed: u64,
    /// The arms, as they were given.
    pub arms: Vec<ArmReport>,
    /// Every pair of arms, the earlier one as the base.
    pub comparisons: Vec<Comparison>,
    /// The runs that were done: trial by trial, input by input, arm by arm.
    pub trials: Vec<Trial>,
}

/// What was found of an arm.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ArmReport {
    /// Its name.
    pub name: String,
    /// The model that it asked first.
    pub model: Model,
    /// How many runs were done.
    pub runs: usize,
    /// How many ended with an answer.
    pub answered: usize,
    /// How many answers could not be scored.
    pub unscored: usize,
    /// How many runs failed, by the kind of error: `validation`, `configuration`, `llm`, `tool`,
    /// `limit`, `cancelled`.
    pub failures: BTreeMap<&'static str, usize>,
    /// The tokens of all runs.
    pub usage: Usage,
    /// What they cost, in dollars; `None` when a model has no price or did
    /// not say how many tokens there were.
    pub cost: Option<f64>,
    estimates: [Option<Estimate>; FIGURES],
    latencies: Vec<f64>,
}

/// How two arms differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The name of the arm that is taken from the other.
    pub base: String,
    /// The name of the other.
    pub other: String,
    estimates: [Option<Estimate>; FIGURES],
}

/// A number, and between which numbers the true one is likely to be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The interval of 95%; `None` when the runs do not say: those of a single input, and, for a
    /// latency, those of which fewer than five took longer.
    pub interval: Option<Interval>,
}

/// From one number to another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// The lower one.
    pub low: f64,
    /// The higher one.
    pub high: f64,
}

impl ExperimentReport {
    pub(super) fn new(experiment: &Experiment, trials: Vec<Trial>) -> Self {
        let clusters = Clusters::new(&experiment.inputs, &trials);
        let of_arm = |arm| trials.iter().filter(move |trial| trial.arm == arm);
        let samples: Vec<Sample> = (0..experiment.arms.len())
            .map(|arm| Sample::new(of_arm(arm), &clusters))
            .collect();
        let once = vec![1; clusters.count()];
        let figures: Vec<_> = samples.iter().map(|sample| sample.figures(&once)).collect();
        let drawn = resample(&samples, clusters.count(), RESAMPLES, experiment.seed);

        let arms = experiment.arms.iter().enumerate().map(|(at, arm)| {
            let estimates = Figure::ALL.map(|figure| {
                let value = figures[at][figure as usize]?;
                let interval = drawn.interval(at, figure);
                let interval = interval.filter(|_| samples[at].suffices(figure));
                Some(Estimate { value, interval })
            });
            let latencies = samples[at].seconds().collect();
            let model = experiment.agent_of(arm).model().clone();
            let report = ArmReport::new(&arm.name, model, estimates, latencies);
            of_arm(at).fold(report, ArmReport::with)
        });
        let pairs = (0..samples.len())
            .flat_map(|base| (base + 1..samples.len()).map(move |other| (base, other)));
        let comparisons = pairs.map(|(base, other)| Comparison {
            base: experiment.arms[base].name.clone(),
            other: experiment.arms[other].name.clone(),
            estimates: Figure::ALL.map(|figure| {
                let value = figures[other][figure as usize]? - figures[base][figure as usize]?;
                let suffices = |arm: usize| samples[arm].suffices(figure);
                let interval = drawn.difference(base, other, figure);
                let interval = interval.filter(|_| suffices(base) && suffices(other));
                Some(Estimate { value, interval })
            }),
        });
        Self {
            agent: experiment.agent.name().to_owned(),
            inputs: experiment.inputs.clone(),
            trials_per_input: experiment.trials,
            planned: planned(experiment).unwrap_or(usize::MAX),
            seed: experiment.seed,
            arms: arms.collect(),
            comparisons: comparisons.collect(),
            trials,
        }
    }

    /// Whether every run was done; when not, the experiment was cancelled.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.trials.len() == self.planned
    }

    /// The arm of this name.
    #[must_use]
    pub fn arm(&self, name: &str) -> Option<&ArmReport> {
        self.arms.iter().find(|arm| arm.name == name)
    }

    /// How much more the second arm has than the first, whichever was given first.
    #[must_use]
    pub fn comparison(&self, base: &str, other: &str) -> Option<Comparison> {
        let pairs = &self.comparisons;
        pairs
            .iter()
            .find_map(|pair| match (&*pair.base, &*pair.other) {
                found if found == (base, other) => Some(pair.clone()),
                found if found == (other, base) => Some(pair.reversed()),
                _ => None,
            })
    }
}

impl ArmReport {
    fn new(
        name: &str,
        model: Model,
        estimates: [Option<Estimate>; FIGURES],
        latencies: Vec<f64>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            model,
            runs: 0,
            answered: 0,
            unscored: 0,
            failures: BTreeMap::new(),
            usage: Usage::default(),
            cost: Some(0.0),
            estimates,
            latencies,
        }
    }

    /// The same report with one more run counted.
    fn with(mut self, trial: &Trial) -> Self {
        self.runs += 1;
        match &trial.answer {
            Ok(_) => self.answered += 1,
            Err(error) => *self.failures.entry(error.kind_name()).or_default() += 1,
        }
        self.unscored += usize::from(matches!(trial.score, Some(Err(_))));
        self.usage.add(&trial.usage);
        self.cost = self.cost.zip(trial.cost).map(|(sum, more)| sum + more);
        self
    }

    /// A figure, with its interval; `None` when the runs do not say, as the latency of an arm that
    /// always fails.
    #[must_use]
    pub fn figure(&self, figure: Figure) -> Option<Estimate> {
        self.estimates[figure as usize]
    }
}

impl Comparison {
    /// How much more of a figure the other arm has than the base.
    #[must_use]
    pub fn difference(&self, figure: Figure) -> Option<Estimate> {
        self.estimates[figure as usize]
    }

    fn reversed(&self) -> Self {
        Self {
            base: self.other.clone(),
            other: self.base.clone(),
            estimates: self
                .estimates
                .map(|estimate| estimate.map(Estimate::negated)),
        }
    }
}

impl Estimate {
    /// Whether the interval leaves out 0: a difference that is hardly chance.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.interval
            .is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0)
    }

    fn negated(self) -> Self {
        // Taken from 0 rather than negated, so that no -0 comes out.
        Self {
            value: 0.0 - self.value,
            interval: self.interval.map(|Interval { low, high }| Interval {
                low: 0.0 - high,
                high: 0.0 - low,
            }),
        }
    }
}

/// The table: the arms, each pair, and what is to be known about them. No line is longer than 100
/// characters.
impl fmt::Display for ExperimentReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&table::table(self))
    }
}
