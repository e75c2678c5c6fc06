//! The results as tables in Markdown.

use crate::input::Input;
use crate::measure::Sample;
use crate::rows::ROWS;
use crate::scaling::{Line, SIZES};
use std::time::Duration;

/// The readers beside each other.
pub(crate) fn rows(input: &Input, samples: &[Sample], peaks: &[Option<u64>]) -> String {
    let mut out = String::from(
        "| what | ms | MB/s | ms, freed | MB/s, freed | peak MB |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for ((row, sample), peak) in ROWS.iter().zip(samples).zip(peaks) {
        let megabytes = input.text(row.form).len() as f64 / 1e6;
        let speed = |time: Duration| megabytes / time.as_secs_f64();
        let peak = match peak {
            Some(bytes) => format!("{:.1}", *bytes as f64 / 1e6),
            None => "-".to_owned(),
        };
        out.push_str(&format!(
            "| {} | {:.2} | {:.0} | {:.2} | {:.0} | {peak} |\n",
            row.title,
            milliseconds(sample.work),
            speed(sample.work),
            milliseconds(sample.with_drop),
            speed(sample.with_drop),
        ));
    }
    out
}

/// Nanoseconds for a byte, by the length of the text.
pub(crate) fn scaling(lines: &[Line]) -> String {
    let sizes: Vec<String> = SIZES.iter().map(|size| size_text(*size)).collect();
    let mut out = format!(
        "| ns/byte | by | {} | longest / shortest |\n| --- | --- |{}\n",
        sizes.join(" | "),
        " ---: |".repeat(SIZES.len() + 1),
    );
    for line in lines {
        let cells: Vec<String> = line
            .nanoseconds
            .iter()
            .map(|time| format!("{time:.2}"))
            .collect();
        let growth = line.nanoseconds[SIZES.len() - 1] / line.nanoseconds[0];
        out.push_str(&format!(
            "| {} | `{}` | {} | {growth:.2} |\n",
            line.kind,
            line.reader,
            cells.join(" | "),
        ));
    }
    out
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
