//! The tables that are printed.

use crate::Failure;
use std::time::{Duration, Instant};

/// A thing to be measured, with its title.
pub(crate) type Contender<'a> = (&'a str, Box<dyn FnMut() -> Result<(), Failure> + 'a>);

/// Measures in rounds in which the contenders take turns, and prints the medians. The first is what the
/// others are compared with.
pub(crate) fn measure(
    title: &str,
    rounds: usize,
    mut contenders: Vec<Contender<'_>>,
) -> Result<(), Failure> {
    let mut times = vec![Vec::new(); contenders.len()];
    for round in 0..=rounds {
        for ((_, act), times) in contenders.iter_mut().zip(&mut times) {
            let began = Instant::now();
            act()?;
            let time = began.elapsed();
            // In the first, files come into memory.
            if round > 0 {
                times.push(time);
            }
        }
    }
    println!("| {title} | ms | to the first |");
    println!("| --- | ---: | ---: |");
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    let first = medians.first().map_or(f64::NAN, Duration::as_secs_f64);
    for ((title, _), median) in contenders.iter().zip(&medians) {
        let seconds = median.as_secs_f64();
        println!(
            "| {title} | {:.2} | {:.2} |",
            seconds * 1e3,
            seconds / first
        );
    }
    println!();
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
