//! Figures of arms and their confidence intervals, by bootstrap.
//!
//! Inputs are drawn with replacement, as many as there are, and the figures are computed for each draw. An
//! input is drawn with all its runs, because runs of one input are alike: ten trials of an easy input say
//! once, not ten times, that the agent is good. Drawing single runs would give intervals that are far too
//! narrow. All arms get the same draws, so that inputs that are hard for both arms cancel out in their
//! difference.
//!
//! The interval is from the 2.5th to the 97.5th percentile of the draws. It needs no model of the figures'
//! distribution, stays within their range, and is symmetric in the two arms.

use crate::figure::{FIGURES, Figure};
use crate::random::Random;
use crate::trial::Trial;
use std::collections::BTreeMap;

/// The number of draws of inputs for the intervals of a report.
pub const RESAMPLES: usize = 2_000;

/// The share of intervals that hold the true value, given enough inputs.
pub const CONFIDENCE: f64 = 0.95;

/// Keeps the draws apart from the random numbers that order the arms.
const DRAW_SEED: u64 = 0x5DEE_CE66_D1CE_4E5B;

/// A number with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The interval of 95 %; `None` when the runs do not suffice: those of a single input, and, for a
    /// latency, when fewer than five answers took longer.
    pub interval: Option<Interval>,
}

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Estimate {
    /// Whether the interval excludes 0, so that a difference is hardly chance.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.interval
            .is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0)
    }

    pub(crate) fn negated(self) -> Self {
        // The value is subtracted from 0 and not negated, so that the result is never -0.
        Self {
            value: 0.0 - self.value,
            interval: self.interval.map(|Interval { low, high }| Interval {
                low: 0.0 - high,
                high: 0.0 - low,
            }),
        }
    }
}

/// The figures of one arm; `None` if unknown.
pub(crate) type Figures = [Option<f64>; FIGURES];

/// The figures that are latencies, shortest first.
const LATENCIES: [Figure; 3] = [Figure::LatencyP50, Figure::LatencyP90, Figure::LatencyP99];

/// The number of answers that must take longer than a latency for it to have an interval. With fewer, the same
/// few slow answers are drawn again and again, and the interval is too narrow.
const BEYOND: f64 = 5.0;

/// The number of figures that are means, which are first in [`Figure::ALL`].
const MEANS: usize = FIGURES - LATENCIES.len();

/// The inputs that have runs, sorted by text, so that their order changes no result. Inputs of the same text
/// are one cluster.
pub(crate) struct Clusters {
    of_input: Vec<usize>,
    count: usize,
}

impl Clusters {
    pub(crate) fn new(inputs: &[String], trials: &[Trial]) -> Self {
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

    pub(crate) const fn count(&self) -> usize {
        self.count
    }
}

/// The runs of an arm by cluster, in a form from which figures are computed quickly for each draw.
pub(crate) struct Sample {
    /// The sum and the count of each figure that is a mean, by cluster.
    tallies: Vec<[Tally; MEANS]>,
    /// The seconds of each answer with its cluster, fastest first.
    latencies: Vec<(f64, usize)>,
    /// Whether the cost of every run is known. The mean of a part of the runs would be wrong.
    has_cost: bool,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    sum: f64,
    count: f64,
}

impl Sample {
    pub(crate) fn new<'a>(trials: impl Iterator<Item = &'a Trial>, clusters: &Clusters) -> Self {
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

    /// Computes the figures when each cluster is drawn so many times.
    pub(crate) fn figures(&self, times: &[u32]) -> Figures {
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

    /// Computes the latencies: the least time within which the share of the answers arrived.
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

    /// Whether the runs suffice for an interval of a figure.
    pub(crate) fn suffices(&self, figure: Figure) -> bool {
        let beyond = |share: f64| (1.0 - share) * self.latencies.len() as f64;
        // The tolerance is below any count; 0.9 and 0.99 are no exact doubles.
        figure
            .quantile()
            .is_none_or(|share| beyond(share) + 1e-9 >= BEYOND)
    }

    /// Returns the seconds of each answer, fastest first.
    pub(crate) fn seconds(&self) -> impl Iterator<Item = f64> {
        self.latencies.iter().map(|(seconds, _)| *seconds)
    }
}

/// Returns the value of one run for a figure that is a mean.
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

/// The figures of each arm for each draw.
pub(crate) struct Resampled {
    by_arm: Vec<Vec<Figures>>,
}

/// Draws inputs, and computes the figures of each arm for each draw.
pub(crate) fn resample(
    samples: &[Sample],
    inputs: usize,
    resamples: usize,
    seed: u64,
) -> Resampled {
    let mut by_arm = vec![Vec::new(); samples.len()];
    // Every draw of a single input is the same.
    if inputs >= 2 {
        let mut random = Random::new(seed ^ DRAW_SEED);
        let mut times = vec![0_u32; inputs];
        for _ in 0..resamples {
            times.fill(0);
            for _ in 0..inputs {
                times[random.below(inputs)] += 1;
            }
            for (sample, draws) in samples.iter().zip(&mut by_arm) {
                draws.push(sample.figures(&times));
            }
        }
    }
    Resampled { by_arm }
}

impl Resampled {
    /// Returns the interval of a figure of an arm.
    pub(crate) fn interval(&self, arm: usize, figure: Figure) -> Option<Interval> {
        let draws = &self.by_arm[arm];
        interval_of(draws.iter().map(|draw| draw[figure as usize]))
    }

    /// Returns the interval of the difference `other` - `base`.
    pub(crate) fn difference(&self, base: usize, other: usize, figure: Figure) -> Option<Interval> {
        let draws = self.by_arm[base].iter().zip(&self.by_arm[other]);
        interval_of(
            draws.map(|(base, other)| Some(other[figure as usize]? - base[figure as usize]?)),
        )
    }
}

fn interval_of(draws: impl ExactSizeIterator<Item = Option<f64>>) -> Option<Interval> {
    let all = draws.len();
    let mut values: Vec<f64> = draws.flatten().collect();
    // A draw may hold no answer. When more than a tenth hold none, the rest are no fair sample.
    if values.is_empty() || values.len() * 10 < all * 9 {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let tail = (1.0 - CONFIDENCE) / 2.0;
    Some(Interval {
        low: percentile(&values, tail),
        high: percentile(&values, 1.0 - tail),
    })
}

/// Returns the value below which a share of the values lies, interpolated linearly.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (at.floor(), at.ceil());
    let (low, high) = (sorted[below as usize], sorted[above as usize]);
    low + (high - low) * (at - below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;
    use agent_runtime::Error;
    use agent_runtime::model::Usage;
    use proptest::prelude::*;
    use std::time::Duration;

    /// The score of a run, or `None` if it failed, and its milliseconds.
    type Came = (Option<f64>, u64);

    fn trial(arm: usize, input: usize, (score, millis): Came) -> Trial {
        let calls = millis % 3;
        Trial {
            arm,
            input,
            number: 1,
            answer: score
                .map(|_| "Hi.".to_owned())
                .ok_or_else(|| Error::llm("down")),
            score: score.map(Score::new),
            tool_calls: calls,
            failed_calls: calls / 2,
            usage: Usage::of_request(millis, millis / 7),
            models: Vec::new(),
            cost: Some(millis as f64 / 1e6),
            latency: Duration::from_millis(millis),
        }
    }

    /// The statistics of two arms: their figures, and the intervals of all differences.
    struct Found {
        figures: [Figures; 2],
        differences: [Option<Interval>; FIGURES],
    }

    /// Computes the statistics of two arms, each with its runs by input.
    fn found(inputs: &[String], arms: [&[Vec<Came>]; 2], resamples: usize, seed: u64) -> Found {
        let mut trials = Vec::new();
        for (arm, runs) in arms.into_iter().enumerate() {
            for (input, runs) in runs.iter().enumerate() {
                trials.extend(runs.iter().map(|came| trial(arm, input, *came)));
            }
        }
        let clusters = Clusters::new(inputs, &trials);
        let samples = [0, 1].map(|arm| {
            let of_arm = trials.iter().filter(|trial| trial.arm == arm);
            Sample::new(of_arm, &clusters)
        });
        let drawn = resample(&samples, clusters.count(), resamples, seed);
        let once = vec![1; clusters.count()];
        Found {
            figures: [0, 1].map(|arm: usize| samples[arm].figures(&once)),
            differences: Figure::ALL.map(|figure| drawn.difference(0, 1, figure)),
        }
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("input {at:03}")).collect()
    }

    /// Returns a random number from 0 to below 1.
    fn share(random: &mut Random) -> f64 {
        (random.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Simulates experiments whose true difference is known, and counts how many intervals hold it.
    fn coverage(
        figure: Figure,
        truth: f64,
        mut simulate: impl FnMut(&mut Random) -> [Vec<Vec<Came>>; 2],
    ) -> f64 {
        const EXPERIMENTS: u32 = 300;
        let mut random = Random::new(20_240_229);
        let mut held = 0;
        for seed in 0..EXPERIMENTS {
            let [base, other] = simulate(&mut random);
            let inputs = names(base.len());
            let found = found(&inputs, [&base, &other], 300, u64::from(seed));
            let Interval { low, high } = found.differences[figure as usize].expect("an interval");
            held += u32::from(low <= truth && truth <= high);
        }
        f64::from(held) / f64::from(EXPERIMENTS)
    }

    #[test]
    fn intervals_of_success_hold_the_truth_in_95_of_100_experiments() {
        // Inputs differ much in how hard they are, so the trials of one are alike; the second arm passes
        // one time in ten more often on each.
        let covered = coverage(Figure::SuccessRate, 0.1, |random| {
            let hard: Vec<f64> = (0..40).map(|_| 0.9 * share(random)).collect();
            [0.0, 0.1].map(|more| {
                let mut passed =
                    |easy: f64| (Some(f64::from(u8::from(share(random) < easy + more))), 10);
                hard.iter()
                    .map(|easy| (0..3).map(|_| passed(*easy)).collect())
                    .collect()
            })
        });
        assert!((0.91..=0.98).contains(&covered), "{covered}");
    }

    #[test]
    fn intervals_of_latency_hold_the_truth_in_95_of_100_experiments() {
        // Each run takes from 1 to 2 seconds, and 0.3 more with the second arm.
        let covered = coverage(Figure::LatencyP50, 0.3, |random| {
            [0, 300].map(|more| {
                let mut run = || (Some(1.0), 1_000 + more + random.below(1_000) as u64);
                (0..60).map(|_| vec![run(), run()]).collect()
            })
        });
        assert!((0.90..=0.99).contains(&covered), "{covered}");
    }

    #[test]
    fn repeated_trials_make_no_interval_narrower() {
        let runs = |passed: &dyn Fn(usize) -> bool, times: usize| -> Vec<Vec<Came>> {
            let came = |at| (Some(f64::from(u8::from(passed(at)))), 10);
            (0..12).map(|at| vec![came(at); times]).collect()
        };
        let inputs = names(12);
        let [once, often] = [1, 50].map(|times| {
            let (base, other) = (
                runs(&|at| at % 3 == 0, times),
                runs(&|at| at % 2 == 0, times),
            );
            found(&inputs, [&base, &other], 500, 3).differences[Figure::SuccessRate as usize]
        });
        assert_eq!(once, often);
    }

    #[test]
    fn inputs_hard_for_both_arms_cancel_out() {
        // Every input is passed by both or by none, so there is no difference whatever is drawn.
        let runs: Vec<Vec<Came>> = (0..10)
            .map(|at| vec![(Some(f64::from(at % 2)), 5)])
            .collect();
        let found = found(&names(10), [&runs, &runs], 500, 1);
        let interval = found.differences[Figure::SuccessRate as usize];
        assert_eq!(
            interval,
            Some(Interval {
                low: 0.0,
                high: 0.0
            })
        );
    }

    #[test]
    fn needs_two_inputs_for_an_interval() {
        for (count, has) in [(1, false), (2, true)] {
            let runs = vec![vec![(Some(1.0), 1), (Some(0.0), 2)]; count];
            let found = found(&names(count), [&runs, &runs], 100, 0);
            let interval = found.differences[Figure::SuccessRate as usize];
            assert_eq!(interval.is_some(), has, "{count} inputs");
        }
    }

    #[test]
    fn gives_no_latency_for_an_arm_that_always_fails() {
        let (good, bad) = (vec![vec![(Some(1.0), 8)]; 4], vec![vec![(None, 1)]; 4]);
        let found = found(&names(4), [&good, &bad], 100, 0);
        let of = |arm: usize, figure: Figure| found.figures[arm][figure as usize];
        assert_eq!(of(1, Figure::SuccessRate), Some(0.0));
        assert_eq!(of(1, Figure::ErrorRate), Some(1.0));
        assert_eq!(of(1, Figure::LatencyP50), None);
        assert_eq!(found.differences[Figure::LatencyP50 as usize], None);
        let success = found.differences[Figure::SuccessRate as usize];
        assert_eq!(
            success,
            Some(Interval {
                low: -1.0,
                high: -1.0
            })
        );
    }

    /// Runs of an arm: for each input some, most with a score.
    fn runs(inputs: usize) -> impl Strategy<Value = Vec<Vec<Came>>> {
        let came = (prop::option::weighted(0.8, 0.0..=1.0), 0..5_000_u64);
        prop::collection::vec(prop::collection::vec(came, 1..4), inputs)
    }

    fn two_arms() -> impl Strategy<Value = (Vec<Vec<Came>>, Vec<Vec<Came>>)> {
        (1..8_usize).prop_flat_map(|inputs| (runs(inputs), runs(inputs)))
    }

    /// Whether two numbers are equal, except for the rounding of sums in another order.
    fn near(a: Option<f64>, b: Option<f64>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    fn same(a: &[Option<Interval>], b: &[Option<Interval>]) -> bool {
        let ends = |interval: Option<Interval>| (interval.map(|i| i.low), interval.map(|i| i.high));
        a.iter().zip(b).all(|(a, b)| {
            let (a, b) = (ends(*a), ends(*b));
            near(a.0, b.0) && near(a.1, b.1)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn an_arm_does_not_differ_from_itself((runs, _) in two_arms(), seed: u64) {
            let inputs = names(runs.len());
            let found = found(&inputs, [&runs, &runs], 60, seed);
            prop_assert_eq!(&found.figures[0], &found.figures[1]);
            for interval in found.differences.into_iter().flatten() {
                prop_assert_eq!(interval, Interval { low: 0.0, high: 0.0 });
            }
        }

        #[test]
        fn the_order_of_inputs_and_runs_changes_nothing((base, other) in two_arms(), seed: u64) {
            let inputs = names(base.len());
            let before = found(&inputs, [&base, &other], 60, seed);
            let backwards = |runs: &[Vec<Came>]| -> Vec<Vec<Came>> {
                runs.iter().rev().map(|runs| runs.iter().rev().copied().collect()).collect()
            };
            let (base, other) = (backwards(&base), backwards(&other));
            let inputs: Vec<String> = inputs.into_iter().rev().collect();
            let after = found(&inputs, [&base, &other], 60, seed);
            for (before, after) in before.figures.iter().zip(&after.figures) {
                prop_assert!(before.iter().zip(after).all(|(a, b)| near(*a, *b)));
            }
            prop_assert!(same(&before.differences, &after.differences));
        }

        #[test]
        fn swapping_arms_negates_the_difference((base, other) in two_arms(), seed: u64) {
            let inputs = names(base.len());
            let there = found(&inputs, [&base, &other], 60, seed).differences;
            let back = found(&inputs, [&other, &base], 60, seed).differences;
            let turned = back.map(|interval| {
                interval.map(|Interval { low, high }| Interval { low: -high, high: -low })
            });
            prop_assert!(same(&there, &turned), "{there:?} {turned:?}");
        }

        /// Drawing an input twice is the same as having its runs twice, for means and percentiles alike.
        #[test]
        fn an_input_drawn_twice_counts_as_its_runs_twice((base, _) in two_arms(), draws in prop::collection::vec(0..4_u32, 8)) {
            let inputs = names(base.len());
            let times = &draws[..base.len()];
            let trials = |runs: &[Vec<Came>]| -> Vec<Trial> {
                let runs = runs.iter().enumerate();
                runs.flat_map(|(at, runs)| runs.iter().map(move |came| trial(0, at, *came))).collect()
            };
            let all = trials(&base);
            let clusters = Clusters::new(&inputs, &all);
            let drawn = Sample::new(all.iter(), &clusters).figures(times);
            let repeated: Vec<Vec<Came>> = base.iter().zip(times)
                .map(|(runs, times)| runs.repeat(*times as usize)).collect();
            let repeated = trials(&repeated);
            let written = Sample::new(repeated.iter(), &clusters).figures(&vec![1; clusters.count()]);
            for ((drawn, written), figure) in drawn.iter().zip(written).zip(Figure::ALL) {
                let (drawn, none) = (*drawn, repeated.is_empty());
                prop_assert!(near(drawn, written) || none, "{figure:?}: {drawn:?} {written:?}");
            }
        }

        #[test]
        fn a_latency_is_the_percentile_of_sorted_latencies(millis in prop::collection::vec(0..9_999_u64, 1..300)) {
            let runs: Vec<Vec<Came>> = millis.iter().map(|millis| vec![(Some(1.0), *millis)]).collect();
            let found = found(&names(runs.len()), [&runs, &runs], 0, 0);
            let mut sorted = millis.clone();
            sorted.sort_unstable();
            for (figure, percent) in [(Figure::LatencyP50, 50), (Figure::LatencyP90, 90), (Figure::LatencyP99, 99)] {
                let rank = (sorted.len() * percent).div_ceil(100);
                let expected = sorted[rank - 1] as f64 / 1e3;
                prop_assert!(near(found.figures[0][figure as usize], Some(expected)), "{figure:?}");
            }
        }
    }
}
