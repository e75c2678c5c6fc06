//! How far figures and their differences might be off: the bootstrap.
//!
//! Inputs are drawn with replacement, as many as there are, again and again, and the figures are
//! taken of what was drawn each time. An input is drawn with all its runs, because runs of one input
//! are alike: ten trials of an easy input say once, and not ten times, that the agent is good, and
//! drawing single runs would give intervals that are far too narrow. All arms get the same draw, so
//! what makes an input hard for both cancels out in their difference.
//!
//! The interval is from the 2.5th to the 97.5th percentile of what came out. It needs no model of
//! how the figures are distributed, keeps to their range, and is the same whichever arm is taken
//! from the other.

use super::figure::Figure;
use super::random::Random;
use super::report::Interval;
use super::sample::{Figures, Sample};

/// How often inputs are drawn for the intervals of a report.
pub const RESAMPLES: usize = 2_000;

/// The share of intervals that hold the true value, when there are inputs enough.
pub const CONFIDENCE: f64 = 0.95;

/// So that the draws are not those numbers that put the arms in their order.
const APART: u64 = 0x5DEE_CE66_D1CE_4E5B;

/// What each draw said of each arm.
pub(super) struct Resampled {
    by_arm: Vec<Vec<Figures>>,
}

/// Draws from the samples of the arms of an experiment with so many inputs.
pub(super) fn resample(
    samples: &[Sample],
    inputs: usize,
    resamples: usize,
    seed: u64,
) -> Resampled {
    let mut by_arm = vec![Vec::new(); samples.len()];
    // A single input can only be drawn again, which says nothing about others.
    if inputs >= 2 {
        let mut random = Random::new(seed ^ APART);
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
    /// The interval of a figure of an arm.
    pub(super) fn interval(&self, arm: usize, figure: Figure) -> Option<Interval> {
        let draws = &self.by_arm[arm];
        interval_of(draws.iter().map(|draw| draw[figure as usize]))
    }

    /// The interval of how much more an arm has than another.
    pub(super) fn difference(&self, base: usize, other: usize, figure: Figure) -> Option<Interval> {
        let draws = self.by_arm[base].iter().zip(&self.by_arm[other]);
        interval_of(
            draws.map(|(base, other)| Some(other[figure as usize]? - base[figure as usize]?)),
        )
    }
}

fn interval_of(draws: impl ExactSizeIterator<Item = Option<f64>>) -> Option<Interval> {
    let all = draws.len();
    let mut values: Vec<f64> = draws.flatten().collect();
    // A draw can hold no answer at all. When that is common, the rest is a choice and no sample.
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

/// The value below which a share of these lies, between two of them in proportion.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (at.floor(), at.ceil());
    let (low, high) = (sorted[below as usize], sorted[above as usize]);
    low + (high - low) * (at - below)
}
