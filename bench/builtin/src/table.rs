//! The tables that are printed.

use bench_shared::{Failure, Table, interleaved, median};
use std::time::{Duration, Instant};

/// A title and the work to be measured.
pub(crate) type Contender<'a> = (&'a str, Box<dyn FnMut() -> Result<(), Failure> + 'a>);

/// Measures the contenders, and prints the medians, compared with the first contender's.
pub(crate) fn measure(
    title: &str,
    rounds: usize,
    mut contenders: Vec<Contender<'_>>,
) -> Result<(), Failure> {
    // The first round is not counted, because it reads the files into memory.
    let results = interleaved(&mut contenders, rounds + 1, |(_, work)| {
        let began = Instant::now();
        work()?;
        Ok(began.elapsed())
    })?;
    let medians: Vec<Duration> = results
        .into_iter()
        .map(|times| median(times.into_iter().skip(1)))
        .collect();
    let first = medians.first().map_or(f64::NAN, Duration::as_secs_f64);
    let mut table = Table::new([title, "ms", "to the first"]);
    for ((title, _), median) in contenders.iter().zip(&medians) {
        let seconds = median.as_secs_f64();
        table.row([
            (*title).to_owned(),
            format!("{:.2}", seconds * 1e3),
            format!("{:.2}", seconds / first),
        ]);
    }
    println!("{table}");
    Ok(())
}
