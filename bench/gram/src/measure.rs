//! The clock.

use crate::input::Input;
use crate::rows::ROWS;
use bench_shared::{Failure, interleaved, median};
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

/// Returns the medians of each row.
///
/// # Errors
/// None; [`bench_shared::interleaved`] passes on those of rows.
pub(crate) fn medians(input: &Input, rounds: usize) -> Result<Vec<Sample>, Failure> {
    let samples = interleaved(ROWS, rounds + 1, |row| Ok((row.run)(input)))?;
    let medians = samples.into_iter().map(|samples| {
        // The first round is not counted, because caches are cold.
        let samples = || samples.iter().skip(1);
        Sample {
            work: median(samples().map(|sample| sample.work)),
            with_drop: median(samples().map(|sample| sample.with_drop)),
        }
    });
    Ok(medians.collect())
}
