//! The tables that are printed: medians over rounds in which the contenders alternate.

use crate::Amount;
use crate::contender::{Contender, Failure};
use crate::drive::{ServerProcess, ask};
use bench_shared::{Table, interleaved, median};
use serde_json::Value;

const COLUMNS: [&str; 5] = ["runsPerSecond", "p50", "p99", "cpuMicros", "peakBytes"];

pub(crate) fn runs(amount: &Amount, server: &ServerProcess) -> Result<(), Failure> {
    let heads = [
        "at a time",
        "",
        "runs/s",
        "p50 µs",
        "p99 µs",
        "CPU µs a run",
        "peak MB",
        "p50 to reqwest's",
    ];
    let mut table = Table::with_labels(2, heads);
    for (at_a_time, runs) in &amount.loads {
        let results = interleaved(Contender::ALL, amount.rounds, |contender| {
            ask(&[
                "drive",
                contender.word(),
                &at_a_time.to_string(),
                &runs.to_string(),
                &server.base_url(),
            ])
        })?;
        let bare = median_of(&results[0], "p50");
        for (contender, results) in Contender::ALL.into_iter().zip(&results) {
            let [per_second, p50, p99, cpu, peak] =
                COLUMNS.map(|column| median_of(results, column));
            table.row([
                at_a_time.to_string(),
                contender.word().to_owned(),
                format!("{per_second:.0}"),
                format!("{p50:.0}"),
                format!("{p99:.0}"),
                format!("{cpu:.0}"),
                format!("{:.1}", peak / 1_048_576.0),
                format!("{:.2}", p50 / bare),
            ]);
        }
    }
    println!("{table}");
    Ok(())
}

pub(crate) fn first_token(server: &ServerProcess) -> Result<(), Failure> {
    let took = ask(&["first-token", &server.base_url()])?;
    let mut table = Table::new([
        "a piece of a streamed answer, median µs after it was written",
        "",
    ]);
    for (title, key) in [
        ("read from the socket by hand", "socket"),
        ("as a chunk of reqwest's", "chunk"),
        ("the first chunk of an answer", "firstChunk"),
        ("as an event of a run", "piece"),
        ("the first of a run", "first"),
    ] {
        let micros = took[key].as_f64().unwrap_or(f64::NAN);
        table.row([title.to_owned(), format!("{micros:.0}")]);
    }
    print!("{table}");
    Ok(())
}

fn median_of(results: &[Value], column: &str) -> f64 {
    median(
        results
            .iter()
            .map(|result| result[column].as_f64().unwrap_or(f64::NAN)),
    )
}
