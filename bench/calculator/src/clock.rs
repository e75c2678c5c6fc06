//! The time that calls took.

use rustix::time::{ClockId, clock_gettime};

fn cpu_nanos() -> i64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// The nanoseconds that each of many calls took. Some are made beforehand: memory is got, and branches
/// are known.
pub(crate) async fn per_call(calls: u32, mut call: impl AsyncFnMut()) -> f64 {
    for _ in 0..calls / 10 {
        call().await;
    }
    let before = cpu_nanos();
    for _ in 0..calls {
        call().await;
    }
    (cpu_nanos() - before) as f64 / f64::from(calls)
}
