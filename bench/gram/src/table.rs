//! The results as tables in Markdown.

use crate::input::Input;
use crate::measure::Sample;
use crate::rows::ROWS;
use crate::scaling::{Line, SIZES};
use bench_shared::Table;
use std::time::Duration;

/// The readers beside each other.
pub(crate) fn rows(input: &Input, samples: &[Sample], peaks: &[Option<u64>]) -> Table {
    let heads = ["what", "ms", "MB/s", "ms, freed", "MB/s, freed", "peak MB"];
    let mut table = Table::new(heads);
    for ((row, sample), peak) in ROWS.iter().zip(samples).zip(peaks) {
        let megabytes = input.text(row.form).len() as f64 / 1e6;
        let speed = |time: Duration| megabytes / time.as_secs_f64();
        let peak = match peak {
            Some(bytes) => format!("{:.1}", *bytes as f64 / 1e6),
            None => "-".to_owned(),
        };
        table.row([
            row.title.to_owned(),
            format!("{:.2}", milliseconds(sample.work)),
            format!("{:.0}", speed(sample.work)),
            format!("{:.2}", milliseconds(sample.with_drop)),
            format!("{:.0}", speed(sample.with_drop)),
            peak,
        ]);
    }
    table
}

/// Nanoseconds for a byte, by the length of the text.
pub(crate) fn scaling(lines: &[Line]) -> Table {
    let sizes = SIZES.iter().map(|size| size_text(*size));
    let mut heads = vec!["ns/byte".to_owned(), "by".to_owned()];
    heads.extend(sizes);
    heads.push("longest / shortest".to_owned());
    let mut table = Table::with_labels(2, heads);
    for line in lines {
        let growth = line.nanoseconds[SIZES.len() - 1] / line.nanoseconds[0];
        let times = line.nanoseconds.iter().chain([&growth]);
        let mut cells = vec![line.kind.to_owned(), format!("`{}`", line.reader)];
        cells.extend(times.map(|time| format!("{time:.2}")));
        table.row(cells);
    }
    table
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn size_text(bytes: usize) -> String {
    if bytes < 1_000_000 {
        format!("{} KB", bytes / 1_000)
    } else {
        format!("{} MB", bytes / 1_000_000)
    }
}
