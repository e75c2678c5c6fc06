//! What is printed.

use crate::drive::Measured;
use bench_shared::Table;
use std::time::Duration;

/// The target: 99 of 100 answers within this.
const TARGET: Duration = Duration::from_millis(50);

pub(crate) fn print(mut measured: Measured) {
    let mut table = Table::new(["answer", "count", "p50", "p90", "p99", "most"]);
    let mut late = Vec::new();
    for (name, times) in &mut measured.times {
        times.sort();
        let at = |percent| milliseconds(quantile(times, percent));
        table.row([
            (*name).to_owned(),
            times.len().to_string(),
            at(50),
            at(90),
            at(99),
            at(100),
        ]);
        if quantile(times, 99) >= TARGET {
            late.push(*name);
        }
    }
    println!(
        "{table}\nin milliseconds; findings were sent {} times, {} the last time",
        measured.publications, measured.findings
    );
    if let Some(memory) = measured.peak_memory {
        println!("most memory: {} MiB", memory / 1_048_576);
    }
    if !measured.unserved.is_empty() {
        println!("not answered: {}", measured.unserved.join(", "));
    }
    if late.is_empty() {
        println!(
            "99 of 100 answers of each kind came within {} ms",
            TARGET.as_millis()
        );
    } else {
        println!("beyond {} ms: {}", TARGET.as_millis(), late.join(", "));
    }
}

/// The time within which so many of a hundred answers came. They are in order.
fn quantile(times: &[Duration], percent: usize) -> Duration {
    let rank = (times.len() * percent).div_ceil(100);
    times
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1000.0)
}
