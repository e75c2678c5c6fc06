//! The statistics, held to data whose truth is known.

use super::bootstrap::resample;
use super::figure::{FIGURES, Figure};
use super::random::Random;
use super::report::Interval;
use super::sample::{Clusters, Figures, Sample};
use super::score::Score;
use super::trial::Trial;
use agent_runtime::Error;
use agent_runtime::model::Usage;
use proptest::prelude::*;
use std::time::Duration;

/// What a run came to: its score, or none when it failed, and its milliseconds.
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

/// What is found of two arms: their figures, and the intervals of all differences.
struct Found {
    figures: [Figures; 2],
    differences: [Option<Interval>; FIGURES],
}

/// Takes two arms, each with its runs by input, through the statistics.
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

/// From 0 to below 1.
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
fn intervals_of_success_hold_the_truth_as_often_as_they_say() {
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
fn intervals_of_latency_hold_the_truth_as_often_as_they_say() {
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
fn trials_that_repeat_each_other_make_no_interval_narrower() {
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
fn what_is_hard_for_both_arms_cancels_out() {
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
fn one_input_has_no_interval_and_two_have() {
    for (count, has) in [(1, false), (2, true)] {
        let runs = vec![vec![(Some(1.0), 1), (Some(0.0), 2)]; count];
        let found = found(&names(count), [&runs, &runs], 100, 0);
        let interval = found.differences[Figure::SuccessRate as usize];
        assert_eq!(interval.is_some(), has, "{count} inputs");
    }
}

#[test]
fn an_arm_that_always_fails_has_no_latency() {
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

/// Two numbers that are the same but for the order in which they were summed up.
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
    fn an_arm_beside_itself_does_not_differ((runs, _) in two_arms(), seed: u64) {
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
    fn swapped_arms_differ_the_other_way((base, other) in two_arms(), seed: u64) {
        let inputs = names(base.len());
        let there = found(&inputs, [&base, &other], 60, seed).differences;
        let back = found(&inputs, [&other, &base], 60, seed).differences;
        let turned = back.map(|interval| {
            interval.map(|Interval { low, high }| Interval { low: -high, high: -low })
        });
        prop_assert!(same(&there, &turned), "{there:?} {turned:?}");
    }

    /// Drawing an input twice is as having its runs twice, for means and percentiles alike.
    #[test]
    fn what_is_drawn_often_counts_often((base, _) in two_arms(), draws in prop::collection::vec(0..4_u32, 8)) {
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
    fn a_percentile_is_that_of_the_sorted_latencies(millis in prop::collection::vec(0..9_999_u64, 1..300)) {
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
