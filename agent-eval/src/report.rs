//! The report of an experiment: its figures, and notes on how to read them.

mod html;
mod json;
mod table;

use crate::figure::{FIGURES, Figure, UNKNOWN};
use crate::statistics::{Clusters, Estimate, Interval, RESAMPLES, Sample, resample};
use crate::trial::Trial;
use agent_runtime::Model;
use agent_runtime::model::Usage;
use agent_runtime::redact::Redactor;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as StdError;
use std::fmt;

/// The number of inputs below which the intervals are likely to be too narrow.
const FEW_INPUTS: usize = 10;

/// The maximum number of characters of an error in a note.
const QUOTED: usize = 200;

/// The result of an experiment: each arm, each pair of arms, each run.
///
/// `Display` gives a table, [`to_json_text`](Self::to_json_text) JSON for programs, and
/// [`to_html`](Self::to_html) a page with plots. All of them have `[key]` in place of the keys of the
/// runtimes, and no characters that control a terminal; the fields have the texts unchanged.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExperimentReport {
    /// The agent's name.
    pub agent: String,
    /// The inputs, in the order of the experiment.
    pub inputs: Vec<String>,
    /// The number of runs of each arm with each input.
    pub trials_per_input: usize,
    /// The number of runs of the complete experiment.
    pub planned: usize,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The arms, in the order of the experiment.
    pub arms: Vec<ArmReport>,
    /// Every pair of arms, the earlier arm as the base.
    pub comparisons: Vec<Comparison>,
    /// The completed runs, sorted by trial, input and arm.
    pub trials: Vec<Trial>,
    redactors: Vec<Redactor>,
}

/// The result of an arm.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ArmReport {
    /// The name.
    pub name: String,
    /// The model that the arm asks first.
    pub model: Model,
    /// The number of completed runs.
    pub runs: usize,
    /// The number of runs that ended with an answer.
    pub answered: usize,
    /// The number of answers that could not be scored.
    pub unscored: usize,
    /// The number of failed runs by [kind of error](agent_runtime::Error::kind_name).
    pub failures: BTreeMap<&'static str, usize>,
    /// The tokens of all runs.
    pub usage: Usage,
    /// The cost of all runs, in dollars; `None` when a model has no price or did not report its tokens.
    pub cost: Option<f64>,
    estimates: [Option<Estimate>; FIGURES],
    latencies: Vec<f64>,
}

/// The difference of two arms.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The name of the arm that is subtracted from the other.
    pub base: String,
    /// The name of the other arm.
    pub other: String,
    estimates: [Option<Estimate>; FIGURES],
}

/// The set-up of the experiment that a report describes.
pub(crate) struct Setup {
    pub(crate) agent: String,
    /// The name and the model of each arm.
    pub(crate) arms: Vec<(String, Model)>,
    pub(crate) inputs: Vec<String>,
    pub(crate) trials_per_input: usize,
    pub(crate) planned: usize,
    pub(crate) seed: u64,
    /// The redactors of the runtimes, which know their keys.
    pub(crate) redactors: Vec<Redactor>,
}

impl ExperimentReport {
    pub(crate) fn new(setup: Setup, trials: Vec<Trial>) -> Self {
        let clusters = Clusters::new(&setup.inputs, &trials);
        let of_arm = |arm| trials.iter().filter(move |trial| trial.arm == arm);
        let samples: Vec<Sample> = (0..setup.arms.len())
            .map(|arm| Sample::new(of_arm(arm), &clusters))
            .collect();
        let once = vec![1; clusters.count()];
        let figures: Vec<_> = samples.iter().map(|sample| sample.figures(&once)).collect();
        let drawn = resample(&samples, clusters.count(), RESAMPLES, setup.seed);

        let arms = setup.arms.iter().enumerate().map(|(at, (name, model))| {
            let estimates = Figure::ALL.map(|figure| {
                let value = figures[at][figure as usize]?;
                let interval = drawn.interval(at, figure);
                let interval = interval.filter(|_| samples[at].suffices(figure));
                Some(Estimate { value, interval })
            });
            let latencies = samples[at].seconds().collect();
            let report = ArmReport::new(name, model.clone(), estimates, latencies);
            of_arm(at).fold(report, ArmReport::with)
        });
        let pairs = (0..samples.len())
            .flat_map(|base| (base + 1..samples.len()).map(move |other| (base, other)));
        let comparisons = pairs.map(|(base, other)| Comparison {
            base: setup.arms[base].0.clone(),
            other: setup.arms[other].0.clone(),
            estimates: Figure::ALL.map(|figure| {
                let value = figures[other][figure as usize]? - figures[base][figure as usize]?;
                let suffices = |arm: usize| samples[arm].suffices(figure);
                let interval = drawn.difference(base, other, figure);
                let interval = interval.filter(|_| suffices(base) && suffices(other));
                Some(Estimate { value, interval })
            }),
        });
        let (arms, comparisons) = (arms.collect(), comparisons.collect());
        Self {
            agent: setup.agent,
            inputs: setup.inputs,
            trials_per_input: setup.trials_per_input,
            planned: setup.planned,
            seed: setup.seed,
            arms,
            comparisons,
            trials,
            redactors: setup.redactors,
        }
    }

    /// Returns a text of a model or a server without the keys of the runtimes.
    fn masked(&self, text: &str) -> String {
        let mask = |text: String, redactor: &Redactor| redactor.text(&text);
        self.redactors.iter().fold(text.to_owned(), mask)
    }

    /// Formats an error with its sources, without keys.
    fn chain(&self, error: &dyn StdError) -> String {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        self.masked(&text)
    }

    /// Formats an error with its sources on one line, without keys, and cut when it is long.
    fn quoted(&self, error: &dyn StdError) -> String {
        let text = self.chain(error);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match text.char_indices().nth(QUOTED) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// Returns the answer of a run, or its error with the sources, without the keys of the runtimes.
    #[must_use]
    pub fn answer_text(&self, trial: &Trial) -> String {
        match &trial.answer {
            Ok(answer) => self.masked(answer),
            Err(error) => self.chain(error),
        }
    }

    /// Whether every run was completed. If not, the experiment was cancelled.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.trials.len() == self.planned
    }

    /// Returns the arm of this name.
    #[must_use]
    pub fn arm(&self, name: &str) -> Option<&ArmReport> {
        self.arms.iter().find(|arm| arm.name == name)
    }

    /// Returns the difference `other` - `base`, in whichever order the experiment has the arms.
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

    /// Returns the report with a further run counted.
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

    /// Returns a figure with its interval; `None` if it is unknown, such as the latency of an arm that always
    /// fails.
    #[must_use]
    pub fn figure(&self, figure: Figure) -> Option<Estimate> {
        self.estimates[figure as usize]
    }
}

impl Comparison {
    /// Returns the difference `other` - `base` of a figure.
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

/// Writes the table: the arms, each pair, and notes. No line is longer than 100 characters.
impl fmt::Display for ExperimentReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&table::table(self))
    }
}

/// Returns the notes, each of a sentence or two.
fn notes(report: &ExperimentReport) -> Vec<String> {
    let mut notes = Vec::new();
    let (done, planned) = (report.trials.len(), report.planned);
    if !report.is_complete() {
        notes.push(format!(
            "The experiment was cancelled after {done} of {planned} runs; the figures are of these."
        ));
    }
    let inputs: BTreeSet<&str> = report
        .trials
        .iter()
        .map(|trial| report.inputs[trial.input].as_str())
        .collect();
    match inputs.len() {
        0 => {}
        1 => notes.push(
            "There are no intervals: how far other inputs would differ, a single one cannot say."
                .to_owned(),
        ),
        few if few < FEW_INPUTS => notes.push(format!(
            "{few} inputs are few: the intervals are likely to be too narrow. More inputs help, \
             more trials of these hardly."
        )),
        _ => {}
    }
    if inputs.len() > 1 && lacks_latency_interval(report) {
        notes.push(
            "A latency has an interval when five answers took longer: p50 from 10 answers on, p90 \
             from 50, p99 from 500."
                .to_owned(),
        );
    }
    for (at, arm) in report.arms.iter().enumerate() {
        let trials = || report.trials.iter().filter(move |trial| trial.arm == at);
        if let Some(error) = trials().find_map(|trial| trial.answer.as_ref().err()) {
            let failed = arm.runs - arm.answered;
            let (name, all, error) = (&arm.name, arm.runs, report.quoted(error));
            notes.push(match (failed, all) {
                (1, 1) => format!("{name}: the only run failed: {error}"),
                (1, _) => format!("{name}: 1 of {all} runs failed: {error}"),
                _ => {
                    format!("{name}: {failed} of {all} runs failed, the first of them so: {error}")
                }
            });
        }
        let wrong = trials().find_map(|trial| trial.score.as_ref()?.as_ref().err());
        if let Some(error) = wrong {
            let (name, unscored, all, error) =
                (&arm.name, arm.unscored, arm.answered, report.quoted(error));
            notes.push(match (unscored, all) {
                (1, 1) => format!("{name}: the only answer could not be scored: {error}"),
                (1, _) => format!(
                    "{name}: 1 of {all} answers could not be scored and does not count for the \
                     success rate: {error}"
                ),
                _ => format!(
                    "{name}: {unscored} of {all} answers could not be scored and do not count for \
                     the success rate, the first of them so: {error}"
                ),
            });
        }
    }
    notes.extend(cost_note(report));
    notes
}

fn lacks_latency_interval(report: &ExperimentReport) -> bool {
    let latencies = Figure::ALL.into_iter().filter(|it| it.quantile().is_some());
    let estimates =
        latencies.flat_map(|it| report.arms.iter().filter_map(move |arm| arm.figure(it)));
    estimates
        .into_iter()
        .any(|estimate| estimate.interval.is_none())
}

/// Returns the note about arms without a cost, if another arm has one.
fn cost_note(report: &ExperimentReport) -> Option<String> {
    let priced = |figure: Figure| report.arms.iter().any(|arm| arm.figure(figure).is_some());
    if !priced(Figure::Cost) {
        return None;
    }
    let without = report.arms.iter().filter(|arm| arm.cost.is_none());
    let names: Vec<&str> = without.map(|arm| &*arm.name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "What {} cost is not known: a model that was asked has no price, or its provider did \
             not say how many tokens there were.",
            names.join(" and ")
        )
    })
}

/// Formats an interval, each bound by `text`.
fn interval_text(
    interval: Option<Interval>,
    figure: Figure,
    text: fn(Figure, f64) -> String,
) -> String {
    match interval {
        Some(Interval { low, high }) => {
            format!("{} … {}", text(figure, low), text(figure, high))
        }
        None => UNKNOWN.to_owned(),
    }
}
