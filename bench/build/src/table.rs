//! The results as tables in Markdown.

use crate::clean::Sample;
use crate::options::Options;
use crate::touch::Line;
use crate::usage::Usage;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How many crates of a build [`crates`] lists.
const DEAREST: usize = 25;

/// The clean builds beside each other.
pub(crate) fn clean(samples: &[Sample]) -> String {
    let mut out = String::from(
        "| clean build, one tool | crates | user s | wall s | largest rustc, MB |
| --- | ---: | ---: | ---: | ---: |
",
    );
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
        out.push_str(&format!(
            "| {} | {} | {:.1} | {:.1} | {:.0} |\n",
            subject.title,
            // The package that uses them is none of them.
            packages.len().saturating_sub(1),
            run.user.as_secs_f64(),
            run.wall.as_secs_f64(),
            megabytes(peak.unwrap_or_default()),
        ));
    }
    out
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
        out.push_str(&format!(
            "| {} | rustcs | user s |\n| --- | ---: | ---: |\n",
            subject.title
        ));
        for (package, (rustcs, user)) in packages.iter().take(DEAREST) {
            out.push_str(&format!(
                "| {package} | {rustcs} | {:.2} |\n",
                user.as_secs_f64()
            ));
        }
        out.push('\n');
    }
    out
}

/// Checks after a touch, by the number of tools.
pub(crate) fn touch(options: &Options, lines: &[Line]) -> String {
    let mut out = head(
        "touched `cargo check`, user ms",
        &numbers(options, ""),
        "ms a tool",
    );
    for line in lines {
        let mut cells: Vec<String> = line
            .checks
            .iter()
            .map(|usage| format!("{:.0}", milliseconds(usage)))
            .collect();
        cells.push(slope(options, &line.checks));
        out.push_str(&row(line.subject.title, &cells));
    }
    out
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
        out.push_str(&head(
            &format!("{title} of the user's crate alone, user ms"),
            &heads,
            "ms a tool",
        ));
        for line in lines {
            let usages = usages(line);
            let time = usages
                .iter()
                .map(|usage| format!("{:.0}", milliseconds(usage)));
            let memory = usages
                .iter()
                .map(|usage| format!("{:.0}", megabytes(usage.peak_bytes)));
            let mut cells: Vec<String> = time.chain(memory).collect();
            cells.push(slope(options, usages));
            out.push_str(&row(line.subject.title, &cells));
        }
        out.push('\n');
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

fn head(title: &str, columns: &[String], last: &str) -> String {
    format!(
        "| {title} | {} | {last} |\n| --- |{}\n",
        columns.join(" | "),
        " ---: |".repeat(columns.len() + 1)
    )
}

fn row(title: &str, cells: &[String]) -> String {
    format!("| {title} | {} |\n", cells.join(" | "))
}

fn milliseconds(usage: &Usage) -> f64 {
    usage.user.as_secs_f64() * 1e3
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
