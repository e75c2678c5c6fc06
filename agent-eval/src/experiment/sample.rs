//! The runs of an arm, in a form from which figures are taken quickly, again and again.

use super::figure::{FIGURES, Figure};
use super::trial::Trial;
use std::collections::BTreeMap;

/// The figures of one arm; `None` where the runs do not say.
pub(super) type Figures = [Option<f64>; FIGURES];

/// The figures that are latencies, shortest first.
const LATENCIES: [Figure; 3] = [Figure::LatencyP50, Figure::LatencyP90, Figure::LatencyP99];

/// How many answers must have taken longer than a latency for its interval to say anything: with
/// fewer, the same few slow answers are drawn again and again, and no slower one can be.
const BEYOND: f64 = 5.0;

/// The figures that are means come first in [`Figure::ALL`].
const MEANS: usize = FIGURES - LATENCIES.len();

/// The inputs of which there are runs, in the order of their texts: so the order in which they were
/// given changes nothing. Inputs of the same text are one.
pub(super) struct Clusters {
    of_input: Vec<usize>,
    count: usize,
}

impl Clusters {
    pub(super) fn new(inputs: &[String], trials: &[Trial]) -> Self {
        let mut texts: BTreeMap<&str, usize> = trials
            .iter()
            .map(|trial| (inputs[trial.input].as_str(), 0))
            .collect();
        for (at, place) in texts.values_mut().enumerate() {
            *place = at;
        }
        let of = |input: &String| texts.get(input.as_str()).copied();
        Self {
            // An input without runs is never looked up.
            of_input: inputs.iter().map(|input| of(input).unwrap_or(0)).collect(),
            count: texts.len(),
        }
    }

    pub(super) const fn count(&self) -> usize {
        self.count
    }
}

/// The runs of an arm by input.
pub(super) struct Sample {
    /// For each cluster the sum and the number of each figure that is a mean.
    tallies: Vec<[Tally; MEANS]>,
    /// The seconds of each answer with its cluster, quickest first.
    latencies: Vec<(f64, usize)>,
    /// Whether the cost of every run is known. A part of it would be a wrong number.
    has_cost: bool,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    sum: f64,
    count: f64,
}

impl Sample {
    pub(super) fn new<'a>(trials: impl Iterator<Item = &'a Trial>, clusters: &Clusters) -> Self {
        let mut sample = Self {
            tallies: vec![[Tally::default(); MEANS]; clusters.count],
            latencies: Vec::new(),
            has_cost: true,
        };
        for trial in trials {
            let cluster = clusters.of_input[trial.input];
            for (tally, figure) in sample.tallies[cluster].iter_mut().zip(Figure::ALL) {
                if let Some(value) = of_run(figure, trial) {
                    tally.sum += value;
                    tally.count += 1.0;
                }
            }
            sample.has_cost &= trial.cost.is_some();
            if trial.answer.is_ok() {
                let seconds = trial.latency.as_secs_f64();
                sample.latencies.push((seconds, cluster));
            }
        }
        sample.latencies.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        sample
    }

    /// The figures when each cluster is there so many times.
    pub(super) fn figures(&self, times: &[u32]) -> Figures {
        let mut sums = [Tally::default(); MEANS];
        for (tallies, times) in self.tallies.iter().zip(times) {
            let times = f64::from(*times);
            for (sum, tally) in sums.iter_mut().zip(tallies) {
                sum.sum += tally.sum * times;
                sum.count += tally.count * times;
            }
        }
        let mut figures: Figures = [None; FIGURES];
        for (figure, Tally { sum, count }) in figures.iter_mut().zip(sums) {
            *figure = (count > 0.0).then(|| sum / count);
        }
        if !self.has_cost {
            figures[Figure::Cost as usize] = None;
        }
        self.quantiles(times, &mut figures);
        figures
    }

    /// The least latency within which the wanted share of the answers came.
    fn quantiles(&self, times: &[u32], figures: &mut Figures) {
        let times = |cluster: usize| u64::from(times[cluster]);
        let all: u64 = self.latencies.iter().map(|(_, at)| times(*at)).sum();
        let share = |figure: &Figure| figure.quantile().unwrap_or(1.0);
        let mut wanted = LATENCIES.into_iter().peekable();
        let mut so_far = 0;
        for (seconds, cluster) in &self.latencies {
            so_far += times(*cluster);
            while so_far > 0
                && let Some(figure) =
                    wanted.next_if(|figure| so_far as f64 >= share(figure) * all as f64)
            {
                figures[figure as usize] = Some(*seconds);
            }
        }
    }

    /// Whether there are runs enough for an interval of a figure.
    pub(super) fn suffices(&self, figure: Figure) -> bool {
        let beyond = |share: f64| (1.0 - share) * self.latencies.len() as f64;
        // Rounded up by less than any count, since 0.9 and 0.99 are not to be had exactly.
        figure
            .quantile()
            .is_none_or(|share| beyond(share) + 1e-9 >= BEYOND)
    }

    /// The seconds of each answer, quickest first.
    pub(super) fn seconds(&self) -> impl Iterator<Item = f64> {
        self.latencies.iter().map(|(seconds, _)| *seconds)
    }
}

/// What a run says of a figure that is a mean.
fn of_run(figure: Figure, trial: &Trial) -> Option<f64> {
    match figure {
        Figure::SuccessRate => trial.success(),
        Figure::ErrorRate => Some(f64::from(u8::from(trial.answer.is_err()))),
        Figure::ToolCalls => Some(trial.tool_calls as f64),
        Figure::FailedCalls => Some(trial.failed_calls as f64),
        Figure::InputTokens if trial.usage.is_counted() => Some(trial.usage.input_tokens as f64),
        Figure::OutputTokens if trial.usage.is_counted() => Some(trial.usage.output_tokens as f64),
        Figure::InputTokens | Figure::OutputTokens => None,
        Figure::Cost => trial.cost,
        Figure::LatencyP50 | Figure::LatencyP90 | Figure::LatencyP99 => None,
    }
}
