//! The tables that are printed: medians over rounds in which the contenders take turns.

use crate::contender::{Contender, Failure};
use crate::drive::{ServerProcess, ask};
use crate::options::Options;
use serde_json::Value;

const COLUMNS: [&str; 5] = ["runsPerSecond", "p50", "p99", "cpuMicros", "peakKb"];

pub(crate) fn runs(options: &Options, server: &ServerProcess) -> Result<(), Failure> {
    println!(
        "| at a time | | runs/s | p50 µs | p99 µs | CPU µs a run | peak MB | p50 to reqwest's |"
    );
    println!("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (at_a_time, runs) in &options.loads {
        let mut results = vec![Vec::new(); Contender::ALL.len()];
        for _ in 0..options.rounds {
            for (contender, results) in Contender::ALL.into_iter().zip(&mut results) {
                let words = [
                    "drive",
                    contender.word(),
                    &at_a_time.to_string(),
                    &runs.to_string(),
                    &server.base_url(),
                ];
                results.push(ask(&words)?);
            }
        }
        let bare = median(&results[0], "p50");
        for (contender, results) in Contender::ALL.into_iter().zip(&results) {
            let [per_second, p50, p99, cpu, peak] = COLUMNS.map(|column| median(results, column));
            println!(
                "| {at_a_time} | {} | {per_second:.0} | {p50:.0} | {p99:.0} | {cpu:.0} | {:.1} | {:.2} |",
                contender.word(),
                peak / 1_024.0,
                p50 / bare
            );
        }
    }
    Ok(())
}

pub(crate) fn first_token(server: &ServerProcess) -> Result<(), Failure> {
    let took = ask(&["first-token", &server.base_url()])?;
    let number = |key: &str| took[key].as_f64().unwrap_or(f64::NAN);
    println!("\n| a piece of a streamed answer, median µs after it was written | |");
    println!("| --- | ---: |");
    println!("| read from the socket by hand | {:.0} |", number("socket"));
    println!("| as an event of a run | {:.0} |", number("piece"));
    println!("| the first of a run | {:.0} |", number("first"));
    Ok(())
}

fn median(results: &[Value], column: &str) -> f64 {
    let mut numbers: Vec<f64> = results
        .iter()
        .filter_map(|result| result[column].as_f64())
        .collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
