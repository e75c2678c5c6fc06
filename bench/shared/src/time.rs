//! CPU time.

use rustix::time::{ClockId, clock_gettime};

/// Returns the CPU time of all threads of this process, in nanoseconds.
#[must_use]
pub fn cpu_nanos() -> i64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Returns the nanoseconds of CPU time per call. A tenth as many calls are made before, so that memory is
/// allocated and branches are predicted.
///
/// # Errors
/// The error of the first call that fails.
pub async fn per_call<F: AsyncFnMut() -> Result<(), E>, E>(
    calls: u32,
    mut call: F,
) -> Result<f64, E> {
    for _ in 0..calls / 10 {
        call().await?;
    }
    let before = cpu_nanos();
    for _ in 0..calls {
        call().await?;
    }
    Ok((cpu_nanos() - before) as f64 / f64::from(calls))
}
