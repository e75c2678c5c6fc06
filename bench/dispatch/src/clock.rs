//! The time that calls took.

use rustix::time::{ClockId, clock_gettime};

/// The time that all threads of this process had on CPUs, in nanoseconds. There is one thread, but for
/// the contender that has its calls made by another, and that thread's time is part of its cost.
pub(crate) fn cpu_nanos() -> i64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Times calls in one go, and gives the nanoseconds that each took. Some are made beforehand: memory is
/// got, and branches are known.
pub(crate) async fn per_call<F: AsyncFnMut() -> Result<(), E>, E>(
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
