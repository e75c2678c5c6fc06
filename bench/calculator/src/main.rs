//! The CPU time of a short expression as a whole call, and of a call beside the tool itself.
//!
//! The subjects alternate in one process on one thread; the median of the rounds counts.

mod subject;
mod table;

use bench_shared::{Failure, Options, interleaved, median};
use subject::Subject;

fn main() -> Result<(), Failure> {
    let mut options = Options::of_process();
    let (rounds, calls) = match options.flag("--quick") {
        true => (1, 200),
        false => (15, 20_000),
    };
    let rounds = options.rounds(rounds)?;
    options.finish()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let results = interleaved(Subject::ALL, rounds, |subject| {
        runtime.block_on(subject.measure(calls))
    })?;
    let medians: Vec<f64> = results.into_iter().map(median).collect();
    table::print(&medians);
    Ok(())
}
