//! The results as tables in Markdown.

use crate::clean::Sample;
use crate::options::Options;
use crate::touch::Line;
use crate::usage::Usage;
use bench_shared::Table;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How many crates of a build [`crates`] lists.
const DEAREST: usize = 25;

/// The clean builds beside each other.
pub(crate) fn clean(samples: &[Sample]) -> String {
    let heads = [
        "clean build, one tool",
        "crates",
        "user s",
        "wall s",
        "largest rustc, MB",
    ];
    let mut table = Table::new(heads);
    for Sample { subject, run } in samples {
        let packages: BTreeSet<&str> = run
            .rustcs
            .iter()
            .map(|record| record.package.as_str())
            .collect();
        let peak = run
            .rustcs
            .iter()
            .map(|record| record.usage.peak_bytes)
            .max();
        table.row([
            subject.title.to_owned(),
            // The package with the tools is not counted.
            packages.len().saturating_sub(1).to_string(),
            format!("{:.1}", run.user.as_secs_f64()),
            format!("{:.1}", run.wall.as_secs_f64()),
            format!("{:.0}", megabytes(peak.unwrap_or_default())),
        ]);
    }
    table.to_string()
}

/// The dearest crates of each clean build.
pub(crate) fn crates(samples: &[Sample]) -> String {
    let mut out = String::new();
    for Sample { subject, run } in samples {
        let mut packages: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
        for record in &run.rustcs {
            let (rustcs, user) = packages.entry(&record.package).or_default();
            *rustcs += 1;
            *user += record.usage.user;
        }
        let mut packages: Vec<_> = packages.into_iter().collect();
        packages.sort_unstable_by_key(|(_, (_, user))| std::cmp::Reverse(*user));
        let mut table = Table::new([subject.title, "rustcs", "user s"]);
        for (package, (rustcs, user)) in packages.iter().take(DEAREST) {
            let seconds = format!("{:.2}", user.as_secs_f64());
            table.row([(*package).to_owned(), rustcs.to_string(), seconds]);
        }
        out.push_str(&format!("{table}\n"));
    }
    out
}

/// Checks after a touch, by the number of tools.
pub(crate) fn touch(options: &Options, lines: &[Line]) -> String {
    let mut table = head("touched `cargo check`, user ms", numbers(options, ""));
    for line in lines {
        let mut cells: Vec<String> = line
            .checks
            .iter()
            .map(|usage| format!("{:.0}", milliseconds(usage)))
            .collect();
        cells.insert(0, line.subject.title.to_owned());
        cells.push(slope(options, &line.checks));
        table.row(cells);
    }
    table.to_string()
}

/// The user's crate with nothing kept from before, by the number of tools: time and memory.
pub(crate) fn alone(options: &Options, lines: &[Line]) -> String {
    let mut out = String::new();
    for (title, usages) in [
        (
            "`cargo check`",
            (|line| &line.checks) as fn(&Line) -> &Vec<Usage>,
        ),
        ("`cargo build`", |line| &line.builds),
    ] {
        let mut heads = numbers(options, "");
        heads.extend(numbers(options, "MB, "));
        let title = format!("{title} of the user's crate alone, user ms");
        let mut table = head(&title, heads);
        for line in lines {
            let usages = usages(line);
            let time = usages
                .iter()
                .map(|usage| format!("{:.0}", milliseconds(usage)));
            let memory = usages
                .iter()
                .map(|usage| format!("{:.0}", megabytes(usage.peak_bytes)));
            let mut cells = vec![line.subject.title.to_owned()];
            cells.extend(time.chain(memory));
            cells.push(slope(options, usages));
            table.row(cells);
        }
        out.push_str(&format!("{table}\n"));
    }
    out
}

/// What one more tool costs: the difference of the most and the fewest, over their number.
fn slope(options: &Options, usages: &[Usage]) -> String {
    let (&[fewest, .., most], [first, .., last]) = (options.tools.as_slice(), usages) else {
        return "-".to_owned();
    };
    let more = milliseconds(last) - milliseconds(first);
    format!("{:.2}", more / (most - fewest) as f64)
}

fn numbers(options: &Options, before: &str) -> Vec<String> {
    let number = |tools: &usize| format!("{before}{tools}");
    options.tools.iter().map(number).collect()
}

fn head(title: &str, columns: Vec<String>) -> Table {
    let mut heads = vec![title.to_owned()];
    heads.extend(columns);
    heads.push("ms a tool".to_owned());
    Table::new(heads)
}

fn milliseconds(usage: &Usage) -> f64 {
    usage.user.as_secs_f64() * 1e3
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
