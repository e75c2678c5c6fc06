//! The clock.

use crate::input::Input;
use crate::rows::ROWS;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One measurement of one row.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    /// Until the result was there.
    pub work: Duration,
    /// Until the result was dropped, too: whoever reads something pays for that.
    pub with_drop: Duration,
}

/// Does something once, and drops the result, on the clock.
pub(crate) fn sample<T>(work: impl FnOnce() -> T) -> Sample {
    let start = Instant::now();
    let result = black_box(work());
    let done = start.elapsed();
    drop(result);
    Sample {
        work: done,
        with_drop: start.elapsed(),
    }
}

/// The median of each row: work, and work with the dropping of the result.
///
/// The rows take turns, so that whatever slows the machine for a while slows all of them. The first
/// turn is not counted.
pub(crate) fn interleaved(input: &Input, rounds: usize) -> Vec<Sample> {
    let mut samples: Vec<Vec<Sample>> = vec![Vec::with_capacity(rounds); ROWS.len()];
    for round in 0..=rounds {
        for (row, samples) in ROWS.iter().zip(&mut samples) {
            let sample = (row.run)(input);
            if round > 0 {
                samples.push(sample);
            }
        }
    }
    samples
        .into_iter()
        .map(|samples| Sample {
            work: median(samples.iter().map(|sample| sample.work)),
            with_drop: median(samples.iter().map(|sample| sample.with_drop)),
        })
        .collect()
}

/// The one in the middle; of an even number the later of the two.
pub(crate) fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
